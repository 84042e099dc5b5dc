// Command exec-ext lets a model orchestrate many MCP tools in one sandboxed script.
package main

import (
	"context"
	"os"

	"github.com/rs/zerolog"

	"github.com/exec-ext/exec-ext/cmd/exec-ext/internal/serve"
	"github.com/exec-ext/exec-ext/sandbox/worker"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		os.Exit(worker.Main())
	}
	out := os.Stdout
	os.Stdout = os.Stderr
	os.Exit(serve.Serve(context.Background(), os.Stdin, out, serve.Options{Version: "dev", Log: zerolog.New(os.Stderr)}))
}
