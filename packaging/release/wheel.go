package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// wheelTags says in Python's words where a target's program runs. It is linked statically, so on Linux it needs no C
// library of any kind.
var wheelTags = map[string][]string{
	"darwin/amd64":  {"macosx_12_0_x86_64"},
	"darwin/arm64":  {"macosx_12_0_arm64"},
	"linux/amd64":   {"manylinux_2_17_x86_64", "manylinux2014_x86_64", "musllinux_1_1_x86_64"},
	"linux/arm64":   {"manylinux_2_17_aarch64", "manylinux2014_aarch64", "musllinux_1_1_aarch64"},
	"windows/amd64": {"win_amd64"},
	"windows/arm64": {"win_arm64"},
}

// A pyproject is what packaging/python/pyproject.toml says of the package: the one source of its metadata.
type pyproject struct {
	Project struct {
		Name           string
		Description    string
		Readme         string
		RequiresPython string `toml:"requires-python"`
		License        string
		Keywords       []string
		Classifiers    []string
		Dependencies   []string
		Optional       map[string][]string `toml:"optional-dependencies"`
		Scripts        map[string]string
	}
}

// wheels makes one wheel a target: the Python sources, and the program beside them.
func (b *build) wheels() error {
	var p pyproject
	if _, err := toml.DecodeFile(b.path("packaging/python/pyproject.toml"), &p); err != nil {
		return err
	}
	version := wheelVersion(b.version)
	sources, err := b.pythonSources(version)
	if err != nil {
		return err
	}
	readme, err := os.ReadFile(b.path("packaging/python/" + p.Project.Readme))
	if err != nil {
		return err
	}
	name := strings.ReplaceAll(p.Project.Name, "-", "_")
	info := name + "-" + version + ".dist-info/"
	for _, t := range b.targets {
		tags, ok := wheelTags[t.String()]
		if !ok {
			return fmt.Errorf("no wheel tag for %s", t)
		}
		files := append(slices.Clone(sources),
			file{name + "/bin/" + t.binaryName(), t.program, true},
			file{info + "METADATA", p.metadata(version, readme), false},
			file{info + "WHEEL", wheelFile(tags), false},
			file{info + "entry_points.txt", p.entryPoints(), false},
			file{info + "licenses/LICENSE", b.licence, false},
			file{info + "licenses/THIRD_PARTY_LICENSES.txt", b.thirdParty, false},
		)
		files = sorted(files)
		data, err := zipped(append(files, file{info + "RECORD", record(files, info), false}))
		if err != nil {
			return err
		}
		if err := b.write(fmt.Sprintf("%s-%s-py3-none-%s.whl", name, version, strings.Join(tags, ".")), data); err != nil {
			return err
		}
	}
	return nil
}

// wheelVersion spells a version as Python orders it: 1.2.3-rc.1 is 1.2.3rc1.
func wheelVersion(version string) string {
	parts := versions.FindStringSubmatch(version)
	short := map[string]string{"alpha": "a", "beta": "b", "rc": "rc"}
	return parts[1] + short[parts[2]] + parts[3]
}

func (b *build) pythonSources(version string) ([]file, error) {
	folder := b.path("packaging/python/src/exec_ext")
	all, err := appendTree(nil, folder, "exec_ext")
	if err != nil {
		return nil, err
	}
	sources := slices.DeleteFunc(all, func(f file) bool {
		return path.Ext(f.Name) != ".py" && path.Base(f.Name) != "py.typed"
	})
	i := slices.IndexFunc(sources, func(f file) bool { return f.Name == "exec_ext/_version.py" })
	if i < 0 {
		return nil, fmt.Errorf("%s has no _version.py", folder)
	}
	stamped := bytes.Replace(sources[i].Data, []byte(`"0.0.0"`), []byte(`"`+version+`"`), 1)
	if bytes.Equal(stamped, sources[i].Data) {
		return nil, fmt.Errorf("%s has no version 0.0.0 to replace", sources[i].Name)
	}
	sources[i].Data = stamped
	return sources, nil
}

func (p pyproject) metadata(version string, readme []byte) []byte {
	var out bytes.Buffer
	line := func(key, value string) { fmt.Fprintf(&out, "%s: %s\n", key, value) }
	line("Metadata-Version", "2.4")
	line("Name", p.Project.Name)
	line("Version", version)
	line("Summary", p.Project.Description)
	line("License-Expression", p.Project.License)
	line("License-File", "LICENSE")
	line("License-File", "THIRD_PARTY_LICENSES.txt")
	line("Keywords", strings.Join(p.Project.Keywords, ","))
	for _, c := range p.Project.Classifiers {
		line("Classifier", c)
	}
	line("Requires-Python", p.Project.RequiresPython)
	for _, d := range p.Project.Dependencies {
		line("Requires-Dist", d)
	}
	for _, extra := range slices.Sorted(maps.Keys(p.Project.Optional)) {
		line("Provides-Extra", extra)
		for _, d := range p.Project.Optional[extra] {
			line("Requires-Dist", fmt.Sprintf("%s; extra == '%s'", d, extra))
		}
	}
	line("Description-Content-Type", "text/markdown")
	out.WriteByte('\n')
	out.Write(readme)
	return out.Bytes()
}

func (p pyproject) entryPoints() []byte {
	var out bytes.Buffer
	out.WriteString("[console_scripts]\n")
	for _, name := range slices.Sorted(maps.Keys(p.Project.Scripts)) {
		fmt.Fprintf(&out, "%s = %s\n", name, p.Project.Scripts[name])
	}
	return out.Bytes()
}

func wheelFile(tags []string) []byte {
	var out bytes.Buffer
	out.WriteString("Wheel-Version: 1.0\nGenerator: exec-ext release\nRoot-Is-Purelib: false\n")
	for _, tag := range tags {
		fmt.Fprintf(&out, "Tag: py3-none-%s\n", tag)
	}
	return out.Bytes()
}

// record lists every file with its digest, itself without.
func record(files []file, info string) []byte {
	lines := []string{}
	for _, f := range files {
		sum := sha256.Sum256(f.Data)
		lines = append(lines, fmt.Sprintf("%s,sha256=%s,%d\n", f.Name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.Data)))
	}
	slices.SortFunc(lines, cmp.Compare)
	return []byte(strings.Join(lines, "") + info + "RECORD,,\n")
}
