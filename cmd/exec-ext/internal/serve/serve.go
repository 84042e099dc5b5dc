// Package serve is the extension itself: the methods of the protocol over one connection, the run queue, the
// funnel of nested calls and the text of a result.
package serve

import (
	"context"
	"io"
	"os/exec"

	"github.com/exec-ext/exec-ext/rpc"
	"github.com/rs/zerolog"
)

// Exit codes of Serve.
const (
	ExitOK        = 0
	ExitNoGoodbye = 1  // the host went away without shutdown
	ExitIsolation = 3  // the machine gives less than RequireIsolation
	ExitFraming   = 65 // no further message could be found on the input
)

// Options of one extension. The zero value serves with the defaults.
type Options struct {
	Version          string
	Framing          rpc.Framing      // "" = auto
	RequireIsolation string           // full, partial, process; "" = none
	TryUnproven      bool             // use isolation layers that no run on this platform has proven
	WorkerCommand    func() *exec.Cmd // nil: this binary with the argument "worker"
	Trace            func(dir string, frame []byte)
	Log              zerolog.Logger
}

// Serve speaks protocol version 1 on in and out until the host says exit, goes away, or ctx ends, and returns the
// exit code. When it returns, every worker is gone.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) int { panic("not built yet") }
