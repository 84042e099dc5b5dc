package refhost

import (
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// How long a server may take to end by itself after its stdin is closed, and then after it was asked to.
const (
	graceAfterStdin = 2 * time.Second
	graceAfterTerm  = time.Second
)

// A process is a server's own process. It has a process group of its own, so that an interrupt typed at the host's
// terminal reaches the host alone, which then ends its servers in order.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.Reader
	stderr tail
	reap   func()        // waits for the process in the background; only the first call counts
	done   chan struct{} // closed when the process was waited for
	err    error         // set before done is closed: how it ended
}

// startProcess starts what s describes. onEnd is called once, from any goroutine, when its stdout has ended.
func startProcess(s Spec, onEnd func()) (*process, error) {
	cmd := exec.Command(s.Command, s.Args...)
	cmd.Dir = s.Dir
	cmd.Env = cmd.Environ()
	for key, value := range s.Env {
		cmd.Env = append(cmd.Env, key+"="+value)
	}
	p := &process{cmd: cmd, done: make(chan struct{})}
	cmd.Stderr = &p.stderr
	cmd.WaitDelay = time.Second // a grandchild may hold stderr open
	ownGroup(cmd)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p.stdin = stdin
	p.reap = sync.OnceFunc(func() {
		go func() {
			p.err = cmd.Wait()
			close(p.done)
		}()
	})
	p.stdout = &untilEnd{r: stdout, end: sync.OnceFunc(func() {
		onEnd()
		p.reap()
	})}
	return p, nil
}

// stop ends the process and whatever it left in its group. Its stdin must be closed already.
func (p *process) stop() {
	defer killGroup(p.cmd)
	p.reap() // whoever read its stdout may have stopped before the end
	if p.ended(graceAfterStdin) {
		return
	}
	terminateGroup(p.cmd)
	if p.ended(graceAfterTerm) {
		return
	}
	killGroup(p.cmd)
	p.ended(graceAfterTerm)
}

func (p *process) ended(within time.Duration) bool {
	select {
	case <-p.done:
		return true
	case <-time.After(within):
		return false
	}
}

// lastWords says how the process ended and what it wrote to stderr last, as far as that is known.
func (p *process) lastWords() string {
	var words []string
	if p.ended(graceAfterTerm) && p.err != nil {
		words = append(words, "it ended with "+p.err.Error())
	}
	if last := p.stderr.last(); last != "" {
		words = append(words, "the last line it wrote to stderr: "+last)
	}
	if len(words) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s)", strings.Join(words, "; "))
}

// untilEnd calls end when r ends.
type untilEnd struct {
	r   io.Reader
	end func()
}

func (u *untilEnd) Read(b []byte) (int, error) {
	n, err := u.r.Read(b)
	if err != nil {
		u.end()
	}
	return n, err
}

// A tail keeps the last lines written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte // guarded by mu
}

const tailBytes = 4096

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if extra := len(t.buf) - tailBytes; extra > 0 {
		t.buf = append(t.buf[:0], t.buf[extra:]...)
	}
	return len(p), nil
}

// last gives the last line that is not blank, "" if there is none.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(string(bytes.TrimSpace(t.buf)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
