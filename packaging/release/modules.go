package main

import (
	"bytes"
	"cmp"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A module is a Go module, or Go itself, whose code is in a program.
type module struct {
	Path, Version string
	licence       string // SPDX
	text          []byte // of its licence and notice files
}

// collectModules reads from the programs themselves what is linked into them, and from the module cache under which
// licences. A module without a licence that is known here fails the release.
func (b *build) collectModules() error {
	found := map[string]string{} // version by path
	for _, t := range b.targets {
		info, err := buildinfo.Read(bytes.NewReader(t.program))
		if err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		b.goVersion = strings.TrimPrefix(info.GoVersion, "go")
		for _, m := range info.Deps {
			if m.Replace != nil {
				return fmt.Errorf("%s is replaced by %s: a release takes modules as they were published", m.Path, m.Replace.Path)
			}
			found[m.Path] = m.Version
		}
	}
	goroot, err := b.goCommand("env", "GOROOT")
	if err != nil {
		return err
	}
	folders, err := b.moduleFolders()
	if err != nil {
		return err
	}
	folders["std"] = string(bytes.TrimSpace(goroot))
	found["std"] = b.goVersion
	var notices bytes.Buffer
	fmt.Fprintf(&notices, "exec-ext %s contains the following modules under their own licences.\n", b.version)
	for path, version := range found {
		m := module{Path: path, Version: version}
		if m.licence, m.text, err = licenceOf(folders[m.Path]); err != nil {
			return fmt.Errorf("%s %s: %w", m.Path, m.Version, err)
		}
		b.modules = append(b.modules, m)
	}
	slices.SortFunc(b.modules, func(x, y module) int { return cmp.Compare(x.Path, y.Path) })
	for _, m := range b.modules {
		fmt.Fprintf(&notices, "\n%s\n%s %s (%s)\n\n%s", strings.Repeat("=", 80), m.Path, m.Version, m.licence, m.text)
	}
	b.thirdParty = notices.Bytes()
	return b.write("THIRD_PARTY_LICENSES.txt", b.thirdParty)
}

func (b *build) goCommand(args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = b.root
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return out, nil
}

// moduleFolders maps module paths to where their sources are.
func (b *build) moduleFolders() (map[string]string, error) {
	out, err := b.goCommand("list", "-m", "-json=Path,Dir", "all")
	if err != nil {
		return nil, err
	}
	folders := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var m struct{ Path, Dir string }
		if err := d.Decode(&m); err == io.EOF {
			return folders, nil
		} else if err != nil {
			return nil, err
		}
		folders[m.Path] = m.Dir
	}
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([.-].*)?$`)

// licenceOf gives the licence of the module in folder, and the text of its licence and notice files.
func licenceOf(folder string) (id string, text []byte, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "", nil, err
	}
	for _, e := range entries {
		if e.IsDir() || !licenceFile.MatchString(e.Name()) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return "", nil, err
		}
		if id == "" {
			id = spdx(string(data))
		}
		text = append(append(text, bytes.TrimSpace(data)...), "\n\n"...)
	}
	if id == "" {
		return "", nil, fmt.Errorf("no licence known to this command in %s", folder)
	}
	return id, text, nil
}

// spdx names a licence by sentences that only it has; "" if it is none that may be linked in without a thought.
func spdx(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	has := func(parts ...string) bool {
		return !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(text, p) })
	}
	switch {
	case has("Apache License", "Version 2.0, January 2004"):
		return "Apache-2.0"
	case has("Permission is hereby granted, free of charge", "without restriction", "The above copyright notice and this permission notice"):
		return "MIT"
	case has("Permission to use, copy, modify, and", "distribute this software for any purpose with or without fee"):
		return "ISC"
	case has("Redistribution and use in source and binary forms", "endorse or promote products"):
		return "BSD-3-Clause"
	case has("Redistribution and use in source and binary forms"):
		return "BSD-2-Clause"
	case has("Mozilla Public License", "2.0"):
		return "MPL-2.0"
	}
	return ""
}
