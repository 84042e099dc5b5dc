package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
)

// npmPackages makes one package a target, and the package that people install, which names those as optional.
func (b *build) npmPackages(nodeModules string) error {
	for _, t := range b.targets {
		if err := b.platformPackage(t); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	folder, err := os.MkdirTemp("", "exec-ext-npm-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := b.buildJavaScript(folder, nodeModules); err != nil {
		return err
	}
	return b.mainPackage(folder)
}

func (b *build) platformPackage(t target) error {
	text, err := os.ReadFile(b.path("packaging/npm/platform/package.json.tmpl"))
	if err != nil {
		return err
	}
	manifest, err := template.New("package.json").Parse(string(text))
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := manifest.Execute(&out, map[string]string{"OS": t.OS, "CPU": t.CPU, "Version": b.version, "Binary": t.Binary}); err != nil {
		return err
	}
	return b.npmTarball("exec-ext-"+t.OS+"-"+t.CPU, []file{
		{"package.json", out.Bytes(), false},
		{t.Binary, t.program, true},
		{"LICENSE", b.licence, false},
		{"THIRD_PARTY_LICENSES.txt", b.thirdParty, false},
	})
}

func (b *build) npmTarball(name string, files []file) error {
	for i := range files {
		files[i].Name = "package/" + files[i].Name
	}
	data, err := tarball(files)
	if err != nil {
		return err
	}
	return b.write(name+"-"+b.version+".tgz", data)
}

// buildJavaScript copies the npm package's sources to folder, gives them their packages, and builds.
func (b *build) buildJavaScript(folder, nodeModules string) error {
	source := b.path("packaging/npm")
	err := filepath.WalkDir(source, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains([]string{"node_modules", "dist", "examples", "test"}, d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(source, name)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		to := filepath.Join(folder, rel)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, data, 0o644)
	})
	if err != nil {
		return err
	}
	if nodeModules == "" {
		err = npm(folder, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	} else if nodeModules, err = filepath.Abs(nodeModules); err == nil {
		err = os.Symlink(nodeModules, filepath.Join(folder, "node_modules"))
	}
	if err != nil {
		return err
	}
	return npm(folder, "run", "build")
}

func npm(folder string, args ...string) error {
	cmd := exec.Command("npm", args...)
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// mainPackage packs what was built in folder. Its dependencies at run time are bundled: an installation from files
// needs no network.
func (b *build) mainPackage(folder string) error {
	data, err := os.ReadFile(filepath.Join(folder, "package.json"))
	if err != nil {
		return err
	}
	var manifest struct {
		Files        []string
		Dependencies map[string]string
	}
	if err := json.Unmarshal(data, &manifest); err != nil {
		return err
	}
	published, err := b.publishedManifest(data, manifest.Dependencies)
	if err != nil {
		return err
	}
	files := []file{
		{"package.json", published, false},
		{"LICENSE", b.licence, false},
		{"README.md", b.readme, false},
	}
	for _, name := range manifest.Files {
		if name == "LICENSE" || name == "README.md" {
			continue
		}
		if files, err = appendTree(files, filepath.Join(folder, name), name); err != nil {
			return err
		}
	}
	for name := range manifest.Dependencies {
		inside := path.Join("node_modules", name)
		if files, err = appendTree(files, filepath.Join(folder, filepath.FromSlash(inside)), inside); err != nil {
			return err
		}
	}
	return b.npmTarball("exec-ext", files)
}

// publishedManifest is the package's own manifest with this version, the platform packages at exactly it, the
// dependencies bundled, and without what only its development needs. The order of members is kept: in "exports" it
// has a meaning.
func (b *build) publishedManifest(data []byte, dependencies map[string]string) ([]byte, error) {
	members, err := readMembers(data)
	if err != nil {
		return nil, err
	}
	platforms := map[string]string{}
	for _, t := range b.all {
		platforms["@exec-ext/"+t.OS+"-"+t.CPU] = b.version
	}
	bundled := []string{}
	for name := range dependencies {
		bundled = append(bundled, name)
	}
	slices.Sort(bundled)
	members = slices.DeleteFunc(members, func(m member) bool { return m.key == "scripts" || m.key == "devDependencies" })
	for _, change := range []struct {
		key   string
		value any
	}{{"version", b.version}, {"bundleDependencies", bundled}, {"optionalDependencies", platforms}} {
		value, err := json.Marshal(change.value)
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(members, func(m member) bool { return m.key == change.key }); i >= 0 {
			members[i].value = value
		} else {
			members = append(members, member{change.key, value})
		}
	}
	return writeMembers(members)
}

// appendTree adds the files under folder, under the name given; a program in bin keeps its mode.
func appendTree(files []file, folder, name string) ([]file, error) {
	err := filepath.WalkDir(folder+string(filepath.Separator), func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(folder, at)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(at)
		if err != nil {
			return err
		}
		files = append(files, file{path.Join(name, filepath.ToSlash(rel)), data, name == "bin"})
		return nil
	})
	return files, err
}
