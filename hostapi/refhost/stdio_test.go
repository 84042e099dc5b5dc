package refhost

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestMain lets the test program be a stdio server itself: what it does is the value of this variable.
const serverVariable = "REFHOST_TEST_SERVER"

func TestMain(m *testing.M) {
	if kind := os.Getenv(serverVariable); kind != "" {
		os.Exit(serveRaw(kind))
	}
	os.Exit(m.Run())
}

// stdioServer is this program as a server of the given kind.
func stdioServer(t *testing.T, kind string) Source {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Spec{Name: "raw", Transport: TransportStdio, Command: self, Env: map[string]string{serverVariable: kind}}.Source()
}

// What the hand-written server sends, byte for byte.
const (
	rawTool1  = `{"title":"Z","name":"odd","x-vendor":{"b":1,"a":2.50},"inputSchema":{"type":"object","properties":{"z":{"type":"number","default":1.0},"a":{"maximum":1e3}}},"description":"first"}`
	rawTool2  = `{"name":"page-two","inputSchema":true}`
	rawResult = `{"content":[{"type":"hologram","data":1.0},{"type":"text","text":"b<a"}],"structuredContent":{"z":1.50,"a":[1e2,12345678901234567890]},"_meta":{"k":0.10}}`
)

// serveRaw is an MCP server that writes its answers by hand. It answers a call to "odd" with rawResult, unless kind
// says otherwise.
func serveRaw(kind string) int {
	if kind == "exits" {
		fmt.Fprintln(os.Stderr, "no API key given")
		return 3
	}
	in := bufio.NewScanner(os.Stdin)
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
		answer := rawAnswer(kind, q.Method, string(q.Params))
		switch answer {
		case "die":
			fmt.Fprintln(os.Stderr, "segmentation fault")
			return 139
		case "":
			continue
		}
		fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,%s}\n", q.ID, answer)
	}
	return 0
}

func rawAnswer(kind, method, params string) string {
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
			return `"result":{"tools":[` + rawTool2 + `]}`
		}
		return `"result":{"tools":[` + rawTool1 + `,{"description":"nameless"}],"nextCursor":"page2"}`
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
		return `"result":` + rawResult
	}
	return `"error":{"code":-32601,"message":"no such method"}`
}
