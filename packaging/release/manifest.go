package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/rpc"
)

// A pluginManifest tells a host that installs extensions what this one is and where its programs are.
type pluginManifest struct {
	Name        string           `json:"name"`
	Version     string           `json:"version"`
	Description string           `json:"description"`
	License     string           `json:"license"`
	Protocol    pluginProtocol   `json:"protocol"`
	Command     []string         `json:"command"` // run in the folder of an unpacked archive
	Tool        string           `json:"tool"`
	Platforms   []pluginPlatform `json:"platforms"`
}

type pluginProtocol struct {
	Versions  []int    `json:"versions"`
	Transport string   `json:"transport"`
	Framings  []string `json:"framings"`
}

type pluginPlatform struct {
	OS            string `json:"os"`   // in Go's words
	Arch          string `json:"arch"` // in Go's words
	Archive       string `json:"archive"`
	ArchiveSHA256 string `json:"archiveSha256"`
	Program       string `json:"program"` // its path in the archive
	ProgramSHA256 string `json:"programSha256"`
	ProgramBytes  int    `json:"programBytes"`
}

const description = "One tool, Exec, for an agent's whole MCP tool pool: the model writes a short script, a sandbox runs it."

func (b *build) pluginManifest() error {
	m := pluginManifest{
		Name: "exec-ext", Version: b.version, Description: description, License: "Apache-2.0",
		Protocol: pluginProtocol{
			Versions: []int{hostapi.ProtocolVersion}, Transport: "stdio",
			Framings: []string{string(rpc.FramingNDJSON), string(rpc.FramingContentLength)},
		},
		Command: []string{"exec-ext", "serve"},
		Tool:    "Exec",
	}
	for _, t := range b.targets {
		m.Platforms = append(m.Platforms, pluginPlatform{
			OS: t.GOOS, Arch: t.GOARCH, Archive: b.archiveName(t), ArchiveSHA256: b.written[b.archiveName(t)],
			Program: t.binaryName(), ProgramSHA256: digest(t.program), ProgramBytes: len(t.program),
		})
	}
	return b.writeJSON("exec-ext-plugin.json", m)
}

func (b *build) writeJSON(name string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return b.write(name, append(data, '\n'))
}

// checksums lists every file of the release, as sha256sum --check reads it.
func (b *build) checksums() error {
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(b.written)) {
		fmt.Fprintf(&lines, "%s  %s\n", b.written[name], name)
	}
	return b.write("SHA256SUMS", []byte(lines.String()))
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
