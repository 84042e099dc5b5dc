// Command exec-ext lets a model orchestrate many MCP tools in one sandboxed script.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/exec-ext/exec-ext/cmd/exec-ext/internal/cli"
	"github.com/exec-ext/exec-ext/sandbox/worker"
)

// version is set when a release is linked.
var version = "dev"

func main() { os.Exit(program()) }

// program is the whole of it; it gives the exit code.
func program() int {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		return worker.Main()
	}
	stdout := os.Stdout
	os.Stdout = os.Stderr // whatever prints by mistake must not reach a protocol
	interrupts := make(chan os.Signal, 2)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signal.Notify(interrupts, syscall.SIGHUP)
	}
	return cli.Main(context.Background(), &cli.Program{
		Version:    version,
		Stdin:      os.Stdin,
		Stdout:     stdout,
		Stderr:     os.Stderr,
		Lookup:     os.LookupEnv,
		ConfigDir:  os.UserConfigDir,
		Interrupts: interrupts,
	}, os.Args[1:])
}
