package refhost

import (
	"bytes"
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
}

// entry is a server as files write it. Members that other hosts put beside these are ignored.
type entry struct {
	Type      string            `json:"type"`
	Transport string            `json:"transport"` // some hosts call the type so
	Command   string            `json:"command"`
	Args      []string          `json:"args"`
	Env       map[string]string `json:"env"`
	Cwd       string            `json:"cwd"`
	URL       string            `json:"url"`
	Headers   map[string]string `json:"headers"`
	Disabled  bool              `json:"disabled"`
}

// ReadConfig reads a file with the member mcpServers or servers. lookup finds a variable, as os.LookupEnv does. The
// servers are in the order of their names; those marked disabled are left out. The error names every place at fault.
func ReadConfig(path string, lookup func(string) (string, bool)) ([]Spec, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("MCP configuration: %w", err)
	}
	specs, err := parseConfig(data, lookup)
	if err != nil {
		return nil, fmt.Errorf("MCP configuration %s: %w", path, err)
	}
	return specs, nil
}

func parseConfig(data []byte, lookup func(string) (string, bool)) ([]Spec, error) {
	var file struct {
		MCPServers map[string]entry `json:"mcpServers"`
		Servers    map[string]entry `json:"servers"`
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, atLine(data, err)
	}
	if file.MCPServers == nil && file.Servers == nil {
		return nil, errors.New(`no member "mcpServers" or "servers": name the servers there, ` +
			`as {"mcpServers": {"files": {"command": "…", "args": ["…"]}}}`)
	}
	entries := map[string]entry{}
	maps.Copy(entries, file.Servers)
	maps.Copy(entries, file.MCPServers)

	var specs []Spec
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		e := entries[name]
		if e.Disabled {
			continue
		}
		spec, err := e.spec(name, lookup)
		if err != nil {
			faults = append(faults, err)
		}
		specs = append(specs, spec)
	}
	return specs, errors.Join(faults...)
}

// atLine puts the place in front of a JSON error.
func atLine(data []byte, err error) error {
	offset := int64(-1)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
		err = fmt.Errorf("%s must be of type %s, not %s", kind.Field, kind.Type, kind.Value)
	}
	if offset < 0 || offset > int64(len(data)) {
		return err
	}
	return fmt.Errorf("line %d: %w", 1+bytes.Count(data[:offset], []byte("\n")), err)
}

// spec fills in the variables and settles the transport.
func (e entry) spec(name string, lookup func(string) (string, bool)) (Spec, error) {
	x := expander{lookup: lookup, server: name}
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
	var err error
	s.Transport, err = e.transport()
	if err != nil {
		x.fault("%s", err)
	}
	if name == "" {
		x.fault("the name is empty")
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
