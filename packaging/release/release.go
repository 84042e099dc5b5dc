package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Options of one release. The zero value is the project in the current folder, into the current folder.
type Options struct {
	Root        string   // the project's folder
	Out         string   // a folder, made if it is not there
	Version     string   // "" = that of packaging/npm/package.json
	Targets     []string // GOOS/GOARCH; none = all
	NodeModules string   // what packaging/npm/package-lock.json pins; "" = installed aside
	Log         io.Writer
}

// versions that both registries can order: npm's spelling; wheelVersion gives Python's.
var versions = regexp.MustCompile(`^(\d+\.\d+\.\d+)(?:-(alpha|beta|rc)\.(\d+))?$`)

// A build is what all parts of one release share.
type build struct {
	root, out, version string
	all, targets       []target // of the project; of this release
	licence            []byte   // the project's own
	readme             []byte
	thirdParty         []byte
	modules            []module // linked into any of the programs, by path
	goVersion          string
	log                io.Writer
	written            map[string]string // digest of each file by name
}

// Release writes a release to o.Out. The error says which part could not be made; files made before stay.
func Release(o Options) error {
	b, err := prepare(o)
	if err != nil {
		return err
	}
	if err := b.programs(); err != nil {
		return err
	}
	if err := b.collectModules(); err != nil {
		return err
	}
	for _, part := range []struct {
		name string
		make func() error
	}{
		{"archives", b.archives},
		{"npm packages", func() error { return b.npmPackages(o.NodeModules) }},
		{"wheels", b.wheels},
		{"plugin manifest", b.pluginManifest},
		{"sbom", b.sbom},
		{"checksums", b.checksums},
	} {
		b.say("%s", part.name)
		if err := part.make(); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return nil
}

func prepare(o Options) (*build, error) {
	b := &build{root: o.Root, out: o.Out, version: o.Version, log: o.Log, written: map[string]string{}}
	if b.log == nil {
		b.log = io.Discard
	}
	var err error
	if b.all, err = readTargets(b.path("packaging/npm/platform/platforms.json")); err != nil {
		return nil, err
	}
	if b.targets, err = choose(b.all, o.Targets); err != nil {
		return nil, err
	}
	if b.version == "" {
		if b.version, err = npmVersion(b.path("packaging/npm/package.json")); err != nil {
			return nil, err
		}
	}
	if !versions.MatchString(b.version) {
		return nil, fmt.Errorf("version %q: want 1.2.3, or 1.2.3-rc.1 (or alpha, beta)", b.version)
	}
	if b.licence, err = os.ReadFile(b.path("LICENSE")); err != nil {
		return nil, err
	}
	if b.readme, err = os.ReadFile(b.path("README.md")); err != nil {
		return nil, err
	}
	return b, os.MkdirAll(b.out, 0o755)
}

func (b *build) path(name string) string { return filepath.Join(b.root, filepath.FromSlash(name)) }

func (b *build) say(format string, args ...any) { fmt.Fprintf(b.log, "release: "+format+"\n", args...) }

// write puts one finished file into the release.
func (b *build) write(name string, data []byte) error {
	b.written[name] = digest(data)
	return os.WriteFile(filepath.Join(b.out, name), data, 0o644)
}

func npmVersion(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	var p struct{ Version string }
	if err := json.Unmarshal(data, &p); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return p.Version, nil
}

// A target is one platform, in Go's words and in npm's.
type target struct {
	OS, CPU      string // npm's
	GOOS, GOARCH string
	Binary       string // its path in the npm package
	program      []byte
}

func (t target) String() string { return t.GOOS + "/" + t.GOARCH }

// binaryName is the program's file name.
func (t target) binaryName() string { return t.Binary[strings.LastIndex(t.Binary, "/")+1:] }

func readTargets(path string) ([]target, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []target
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return all, nil
}

// choose gives those of all that are named, or all if none is.
func choose(all []target, names []string) ([]target, error) {
	if len(names) == 0 {
		return slices.Clone(all), nil
	}
	var chosen []target
	for _, name := range names {
		i := slices.IndexFunc(all, func(t target) bool { return t.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("target %q is none of %v", name, all)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}
