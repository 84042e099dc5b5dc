package hostkit_test

import (
	"context"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/exec-ext/exec-ext/rpc"
)

// A spawned is the extension's process, as the reference host's side of two pipes. A fault may sit between them.
type spawned struct {
	command []string
	fault   string
	host    *adapterHost

	mu      sync.Mutex
	process *os.Process // guarded by mu
}

func (p *spawned) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	kill(p.process)
}

// extension runs the process until it ends or, some time after its input has ended, is killed.
func (p *spawned) extension(_ context.Context, in io.Reader, out io.Writer) int {
	cmd := exec.Command(p.command[0], append(append([]string{}, p.command[1:]...), "serve")...)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		panic(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		panic(err)
	}
	if err := cmd.Start(); err != nil {
		return 1
	}
	p.mu.Lock()
	p.process = cmd.Process
	p.mu.Unlock()
	w := &wire{toExtension: stdin, toHost: out, fault: p.fault, host: p.host}
	go func() {
		w.pass(in, stdin, w.fromHost)
		stdin.Close()
		if p.fault != "never-killed" {
			time.AfterFunc(2*time.Second, p.kill)
		}
	}()
	w.pass(stdout, out, w.fromExtension)
	if p.fault == "never-killed" {
		return 0
	}
	_ = cmd.Wait()
	return cmd.ProcessState.ExitCode()
}

// A wire passes messages in both directions, and does to some of them what a broken host would.
type wire struct {
	toExtension io.Writer
	toHost      io.Writer
	fault       string
	host        *adapterHost
	m           mischief

	mu sync.Mutex // held while a message is written
}

// pass copies from r to w; with a fault message by message, so that meddle can take one away.
func (w *wire) pass(r io.Reader, to io.Writer, meddle func(body []byte) []byte) {
	if w.fault == "" {
		_, _ = io.Copy(to, r)
		return
	}
	frames := rpc.NewFrameReader(r, rpc.FramingAuto, 1<<30)
	for {
		body, err := frames.Next()
		if err != nil {
			return
		}
		if body = meddle(body); body != nil {
			w.send(to, body)
		}
	}
}

func (w *wire) send(to io.Writer, body []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = rpc.WriteFrame(to, rpc.FramingNDJSON, body) // the reader's end tells the rest
}
