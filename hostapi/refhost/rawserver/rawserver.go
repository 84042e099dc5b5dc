// Package rawserver is an MCP server for tests whose answers are written by hand, byte for byte. It speaks stdio.
package rawserver

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// What the server sends. It has two tools, on two pages, and an entry without a name.
const (
	Tool1  = `{"title":"Z","name":"odd","x-vendor":{"b":1,"a":2.50},"inputSchema":{"type":"object","properties":{"z":{"type":"number","default":1.0},"a":{"maximum":1e3}}},"description":"first"}`
	Tool2  = `{"name":"page-two","inputSchema":true}`
	Result = `{"content":[{"type":"hologram","volume":1.0},{"type":"text","text":"b<a"}],"structuredContent":{"z":1.50,"a":[1e2,12345678901234567890]},"_meta":{"k":0.10}}`
)

// Serve answers every call with Result, unless kind says otherwise:
//
//	exits     ends before it answers anything
//	mute      never answers initialize
//	modern    knows no initialize, only the newest protocol
//	no tools  knows no tools/list
//	dies      ends in the middle of a call
//	silent    never answers a call
//	echo      answers a call with the parameters it was sent, as text
//	refuses   answers a call with a JSON-RPC error
//
// It gives the exit code.
func Serve(kind string, stdin io.Reader, stdout, stderr io.Writer) int {
	if kind == "exits" {
		fmt.Fprintln(stderr, "no API key given")
		return 3
	}
	in := bufio.NewScanner(stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var q struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		}
		if json.Unmarshal(in.Bytes(), &q) != nil || len(q.ID) == 0 {
			continue
		}
		answer := answerTo(kind, q.Method, string(q.Params))
		switch answer {
		case "die":
			fmt.Fprintln(stderr, "segmentation fault")
			return 139
		case "":
			continue
		}
		fmt.Fprintf(stdout, "{\"jsonrpc\":\"2.0\",\"id\":%s,%s}\n", q.ID, answer)
	}
	return 0
}

func answerTo(kind, method, params string) string {
	switch method {
	case "initialize":
		switch kind {
		case "mute":
			return ""
		case "modern":
			return `"error":{"code":-32601,"message":"initialize was removed"}`
		}
		return `"result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"raw","version":"1"},"capabilities":{"tools":{"listChanged":true}}}`
	case "server/discover":
		return `"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"resultType":"complete"}`
	case "tools/list":
		switch {
		case kind == "no tools":
			return `"error":{"code":-32601,"message":"no such method"}`
		case strings.Contains(params, "page2"):
			return `"result":{"tools":[` + Tool2 + `]}`
		}
		return `"result":{"tools":[` + Tool1 + `,{"description":"nameless"}],"nextCursor":"page2"}`
	case "tools/call":
		switch kind {
		case "dies":
			return "die"
		case "silent":
			return ""
		case "echo":
			quoted, _ := json.Marshal(params)
			return `"result":{"content":[{"type":"text","text":` + string(quoted) + `}]}`
		case "refuses":
			return `"error":{"code":-32602,"message":"z must be positive"}`
		}
		return `"result":` + Result
	}
	return `"error":{"code":-32601,"message":"no such method"}`
}
