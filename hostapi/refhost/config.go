package refhost

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
)

// Transports of a Spec.
const (
	TransportStdio = "stdio"
	TransportHTTP  = "http" // streamable HTTP
	TransportSSE   = "sse"  // the HTTP+SSE transport of 2024-11-05
)

// A Spec is one server of a configuration file, its variables filled in.
type Spec struct {
	Name      string
	Transport string
	Command   string // stdio
	Args      []string
	Env       map[string]string // added to the environment of the host
	Dir       string            // "" = the host's own
	URL       string            // http, sse
	Headers   map[string]string
	Fault     error // why the entry cannot be used: its Source fails with it; nil if all is well
}

// entry is a server as files write it; members says what else may stand there.
type entry struct {
	Type      string            `json:"type"`
	Transport string            `json:"transport"` // some hosts call the type so
	Command   string            `json:"command"`
	Args      []string          `json:"args"`
	Env       map[string]string `json:"env"`
	Cwd       string            `json:"cwd"`
	URL       string            `json:"url"`
	ServerURL string            `json:"serverUrl"` // some hosts call the URL so
	HTTPURL   string            `json:"httpUrl"`
	Headers   map[string]string `json:"headers"`
	Disabled  bool              `json:"disabled"`
	Enabled   *bool             `json:"enabled"`
}

// ReadConfig reads a file with the member mcpServers or servers, in which comments and trailing commas may stand. lookup
// finds a variable, as os.LookupEnv does. The servers are in the order of their names; those marked disabled are left
// out, and an entry that cannot be used has a Fault. notes are sentences about members that are without effect. The error
// is of the file as a whole, or names every variable that is missing.
func ReadConfig(path string, lookup func(string) (string, bool)) (specs []Spec, notes []string, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, fmt.Errorf("MCP configuration: %w", err)
	}
	specs, notes, err = parseConfig(data, lookup)
	if err != nil {
		return nil, nil, fmt.Errorf("MCP configuration %s: %w", path, err)
	}
	for i, s := range specs {
		if s.Fault != nil {
			specs[i].Fault = fmt.Errorf("MCP configuration %s: %w", path, s.Fault)
		}
	}
	for i, n := range notes {
		notes[i] = fmt.Sprintf("MCP configuration %s: %s", path, n)
	}
	return specs, notes, nil
}

func parseConfig(data []byte, lookup func(string) (string, bool)) (specs []Spec, told []string, err error) {
	if data, err = standardJSON(bytes.TrimPrefix(data, []byte("\ufeff"))); err != nil {
		return nil, nil, err
	}
	entries, told, err := serverEntries(data)
	if err != nil {
		return nil, nil, err
	}
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		raw := entries[name]
		var e entry
		if err := json.Unmarshal(raw, &e); err != nil {
			offset, plain := jsonFault(err, shapes(members()))
			specs = append(specs, Spec{Name: name, Fault: atLine(data, int64(bytes.Index(data, raw))+offset, plain)})
			continue
		}
		if e.Disabled || e.Enabled != nil && !*e.Enabled {
			continue
		}
		spec, err := e.spec(name, lookup)
		if err != nil {
			faults = append(faults, err)
		}
		specs = append(specs, spec)
		var found map[string]json.RawMessage
		_ = json.Unmarshal(raw, &found) // an object, as it was read into e
		for _, n := range notes(found, members(), false) {
			told = append(told, fmt.Sprintf("server %q: %s", name, n))
		}
	}
	return specs, told, errors.Join(faults...)
}

// serverEntries gives the raw entries by name; of equal names that in mcpServers counts.
func serverEntries(data []byte) (entries map[string]json.RawMessage, told []string, err error) {
	var file struct {
		MCPServers map[string]json.RawMessage `json:"mcpServers"`
		Servers    map[string]json.RawMessage `json:"servers"`
	}
	var found map[string]json.RawMessage
	if err = json.Unmarshal(data, &found); err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err != nil {
		offset, plain := jsonFault(err, shapes(topMembers()))
		return nil, nil, atLine(data, offset, plain)
	}
	if file.MCPServers == nil && file.Servers == nil {
		return nil, nil, errors.New(`no member "mcpServers" or "servers": name the servers there, ` +
			`as {"mcpServers": {"files": {"command": "…", "args": ["…"]}}}`)
	}
	entries = map[string]json.RawMessage{}
	maps.Copy(entries, file.Servers)
	maps.Copy(entries, file.MCPServers)
	return entries, notes(found, topMembers(), true), nil
}

// spec fills in the variables and settles the transport. The error is about variables only.
func (e entry) spec(name string, lookup func(string) (string, bool)) (Spec, error) {
	x := expander{lookup: lookup, server: name}
	e.URL = cmp.Or(e.URL, e.ServerURL, e.HTTPURL)
	s := Spec{
		Name:    name,
		Command: x.expand("command", e.Command),
		Dir:     x.expand("cwd", e.Cwd),
		URL:     x.expand("url", e.URL),
		Env:     x.expandMap("env", e.Env),
		Headers: x.expandMap("headers", e.Headers),
	}
	for i, a := range e.Args {
		s.Args = append(s.Args, x.expand(fmt.Sprintf("args[%d]", i), a))
	}
	s.Transport, s.Fault = e.transport()
	if name == "" {
		s.Fault = errors.New("its name is empty")
	}
	return s, errors.Join(x.faults...)
}

// transport names the transport from the type, or from what the entry holds.
func (e entry) transport() (string, error) {
	kind := e.Type
	if kind == "" {
		kind = e.Transport
	}
	switch kind {
	case "":
		if e.URL != "" && e.Command == "" {
			kind = TransportHTTP
		} else {
			kind = TransportStdio
		}
	case "streamable-http", "streamable_http", "streamableHttp":
		kind = TransportHTTP
	}
	switch kind {
	case TransportStdio:
		if e.Command == "" {
			return "", errors.New(`it has neither "command" nor "url"`)
		}
	case TransportHTTP, TransportSSE:
		if e.URL == "" {
			return "", fmt.Errorf(`type %q needs "url"`, kind)
		}
	default:
		return "", fmt.Errorf("the type %q is not known; use stdio, http or sse", kind)
	}
	return kind, nil
}
