package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
	"github.com/mark3labs/mcp-go/server/servertest"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/exec-ext/exec-ext/hostapi/refhost/rawserver"
)

// TestMain lets the test program be what the scripts call: exec-ext itself, its workers, and some helpers.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		os.Exit(program())
	}
	testscript.Main(m, map[string]func(){
		"exec-ext":   func() { os.Exit(program()) },
		"raw-server": func() { os.Exit(rawserver.Serve(os.Args[1], os.Stdin, os.Stdout, os.Stderr)) },
		"code":       func() { os.Exit(tellCode(nil, "", os.Args[1:])) },
		"interrupt":  func() { os.Exit(tellCode(os.Interrupt, os.Args[1], os.Args[2:])) },
		"terminate":  func() { os.Exit(tellCode(syscall.SIGTERM, os.Args[1], os.Args[2:])) },
		"hangup":     func() { os.Exit(tellCode(syscall.SIGHUP, os.Args[1], os.Args[2:])) },
		"ttyerr":     func() { os.Exit(onTerminal(os.Args[1:])) },
		"full":       func() { os.Exit(tellCodeOnFull(os.Args[1:])) },
	})
}

// tellCode runs a command and prints its exit code as the last line of stderr. When a line with the text at comes on
// its stdout, it gets the signal; until then its stdin does not end.
func tellCode(which os.Signal, at string, args []string) int {
	if which != nil { // one that is ignored here, as a hang-up under nohup, would be ignored by the command too
		signal.Notify(make(chan os.Signal, 1), which)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stderr = os.Stdin, os.Stderr
	rest, end := io.Pipe()
	if which != nil {
		cmd.Stdin = io.MultiReader(os.Stdin, rest)
	}
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for lines := bufio.NewReader(stdout); ; {
		line, err := lines.ReadBytes('\n')
		_, _ = os.Stdout.Write(line)
		if at != "" && bytes.Contains(line, []byte(at)) {
			_ = cmd.Process.Signal(which)
		}
		if err != nil {
			break
		}
	}
	end.Close()
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Fprintln(os.Stderr, "exit code", cmd.ProcessState.ExitCode())
	return 0
}

// onTerminal runs a command whose stderr is the terminal, as when its stdin comes from a pipe, and gives its exit code.
func onTerminal(args []string) int {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout = os.Stdin, os.Stdout
	terminal, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	cmd.Stderr = terminal
	if err := cmd.Run(); err != nil {
		return 1
	}
	return 0
}

// tellCodeOnFull runs a command whose stdout takes nothing, and prints its exit code as tellCode does.
func tellCodeOnFull(args []string) int {
	stdout, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, stdout, os.Stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Fprintln(os.Stderr, "exit code", cmd.ProcessState.ExitCode())
	return 0
}

// Each script of testdata/script is a test; its name begins with the scenario it proves.
func TestScript(t *testing.T) {
	streamable := servertest.NewTestStreamableHTTPServer(shop())
	t.Cleanup(streamable.Close)
	t.Cleanup(streamable.CloseClientConnections)
	sse := servertest.NewTestServer(shop())
	t.Cleanup(sse.Close)
	t.Cleanup(sse.CloseClientConnections)
	odd := servertest.NewTestStreamableHTTPServer(oddities())
	t.Cleanup(odd.Close)
	t.Cleanup(odd.CloseClientConnections)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HTTP_URL", streamable.URL+"/mcp")
			e.Setenv("SSE_URL", sse.URL+"/sse")
			e.Setenv("ODD_URL", odd.URL+"/mcp")
			e.Setenv("XDG_CONFIG_HOME", e.WorkDir+"/config")
			return os.WriteFile(e.WorkDir+"/big.ts", bytes.Repeat([]byte("// filler\n"), 20_000), 0o600)
		},
		Condition: func(name string) (bool, error) {
			if name == "terminal" { // pseudo-terminals as the test package knows them
				return runtime.GOOS == "linux" || runtime.GOOS == "darwin", nil
			}
			if path, ok := strings.CutPrefix(name, "exists:"); ok {
				_, err := os.Stat(path)
				return err == nil, nil
			}
			return false, fmt.Errorf("no such condition")
		},
	})
}

// oddities is a server whose tools do not do what they declare, or go away.
func oddities() *mcpserver.MCPServer {
	s := mcpserver.NewMCPServer("odd", "1", mcpserver.WithToolCapabilities(true))
	declared := mcp.NewTool("declared", mcp.WithRawOutputSchema([]byte(`{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}`)))
	s.AddTool(declared, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("only text"), nil
	})
	s.AddTool(mcp.NewTool("photo"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewImageContent("aGVsbG8=", "image/png")}}, nil
	})
	s.AddTool(mcp.NewTool("fleeting"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("still there"), nil
	})
	s.AddTool(mcp.NewTool("remove"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.DeleteTools("fleeting")
		return mcp.NewToolResultText("removed"), nil
	})
	return s
}

// shop is a server with one tool for text and one for structured content.
func shop() *mcpserver.MCPServer {
	s := mcpserver.NewMCPServer("shop", "1", mcpserver.WithToolCapabilities(true))
	answer := func(text string) mcpserver.ToolHandlerFunc {
		return func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText(text), nil
		}
	}
	s.AddTool(mcp.NewTool("open", mcp.WithDescription("Open the shop.")), answer("open now"))
	s.AddTool(mcp.NewTool("price", mcp.WithString("item", mcp.Required())), func(_ context.Context, q mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultStructuredOnly(map[string]any{"item": q.GetString("item", ""), "cents": 250}), nil
	})
	return s
}
