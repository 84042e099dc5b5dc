package sandbox

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

const (
	readyWithin    = 30 * time.Second // a start takes milliseconds; a loaded machine may take long
	readBuffer     = 16 << 10
	readyFrame     = 1 << 20
	stderrKept     = 4 << 10
	stderrPatience = time.Second
)

// A process is one worker process and the parent's ends of its pipes. It runs one script and is never used again.
type process struct {
	cmd     *exec.Cmd
	stdin   *os.File
	stdout  *os.File
	frames  *bufio.Reader // reads stdout
	alive   *os.File      // closed by the kernel with this process, which ends the worker
	stderr  headBuffer
	memory  int64 // the cap it was started with
	outside *confinement
	report  Report
	watch   *memoryWatch  // from when it is ready, else nil
	idled   bool          // it has been a spare, so nobody knows when it was last alive
	gone    chan struct{} // closed when the process has been waited for
}

// launch starts a worker. onGone is called once the process is gone and waited for.
func launch(s *spawner, o Options, setup wire.Setup, onGone func()) (*process, error) {
	cmd := selfCommand()
	if o.Command != nil {
		cmd = o.Command()
	}
	p := &process{cmd: cmd, memory: setup.MemoryBytes, gone: make(chan struct{}), stderr: headBuffer{keep: stderrKept}}
	theirs, err := p.pipes(&setup)
	if err != nil {
		return nil, fmt.Errorf("sandbox: pipes of a worker: %w", err)
	}
	cmd.Args = append(cmd.Args, setup.Args()...)
	cmd.Env = workerEnv()
	cmd.Dir = workerDir()
	cmd.Stderr = &p.stderr
	cmd.WaitDelay = stderrPatience
	p.outside = confine(cmd, setup)
	if err = s.start(cmd); err == nil {
		p.outside.started(cmd)
	}
	for _, f := range theirs {
		f.Close()
	}
	if err != nil {
		p.outside.release()
		p.closePipes()
		return nil, fmt.Errorf("sandbox: start a worker: %w", err)
	}
	go func() {
		_ = cmd.Wait() // the state is in cmd.ProcessState
		p.outside.release()
		close(p.gone)
		onGone()
	}()
	return p, nil
}

// pipes makes stdin, stdout and the liveness pipe, and returns the ends that the worker inherits.
func (p *process) pipes(setup *wire.Setup) (theirs []*os.File, err error) {
	var in, out, alive *os.File
	if in, p.stdin, err = os.Pipe(); err == nil {
		theirs = append(theirs, in)
		if p.stdout, out, err = os.Pipe(); err == nil {
			theirs = append(theirs, out)
			if alive, p.alive, err = os.Pipe(); err == nil {
				theirs = append(theirs, alive)
			}
		}
	}
	if err != nil {
		for _, f := range theirs {
			f.Close()
		}
		p.closePipes()
		return nil, err
	}
	p.cmd.Stdin, p.cmd.Stdout = in, out
	p.frames = bufio.NewReaderSize(p.stdout, readBuffer)
	passAlive(p.cmd, alive, setup)
	return theirs, nil
}

func (p *process) closePipes() {
	for _, f := range []*os.File{p.stdin, p.stdout, p.alive} {
		if f != nil {
			f.Close()
		}
	}
}

// awaitReady reads the first frame. The process is killed if ctx ends first or nothing comes in time.
func (p *process) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readyWithin, errors.New("sandbox: a worker did not become ready in time"))
	defer cancel()
	stop := context.AfterFunc(ctx, p.kill)
	f, err := wire.Read(p.frames, readyFrame)
	if !stop() {
		return context.Cause(ctx)
	}
	var head wire.ReadyHead
	if err == nil && f.Kind != wire.Ready {
		err = fmt.Errorf("a frame of kind %q", byte(f.Kind))
	}
	if err == nil {
		err = json.Unmarshal(f.Head, &head)
	}
	if err != nil {
		p.end()
		return fmt.Errorf("sandbox: a worker did not start: %w: %s: %s", err, p.cmd.ProcessState, p.stderr.String())
	}
	p.report = newReport(p.outside.layers, head)
	p.watch = newMemoryWatch(p.cmd)
	return nil
}

// ended says whether the process is gone.
func (p *process) ended() bool {
	select {
	case <-p.gone:
		return true
	default:
		return false
	}
}

// kill ends the process with a signal it cannot refuse. It does not wait.
func (p *process) kill() { _ = p.cmd.Process.Kill() } // an error means that it is gone already

// end kills the process, waits until it is gone and gives everything of it back. It may be called again.
func (p *process) end() {
	p.kill()
	<-p.gone
	p.closePipes()
	if p.watch != nil {
		p.watch.close()
	}
}

// A headBuffer keeps the first bytes written to it and drops the rest, so that a worker's stderr cannot grow here.
type headBuffer struct {
	keep int
	mu   sync.Mutex
	buf  []byte
}

var _ io.Writer = (*headBuffer)(nil)

func (b *headBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.buf = append(b.buf, p[:min(len(p), b.keep-len(b.buf))]...)
	return len(p), nil
}

func (b *headBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return string(b.buf)
}
