package extkit

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/exec-ext/exec-ext/conformance/proctree"
)

// A process is a command under test with its three streams.
type process struct {
	cmd    *exec.Cmd
	stdin  *os.File
	stdout *os.File
	stderr *tail
	exited chan struct{} // closed when the process is gone
	code   int           // valid after exited
}

// launch starts a command. Its pipes are files, so that its end is seen even if a descendant holds them open.
func launch(command []string) (*process, error) {
	p := &process{cmd: exec.Command(command[0], command[1:]...), stderr: &tail{}, exited: make(chan struct{})}
	var files [3][2]*os.File
	for i := range files {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, fmt.Errorf("pipe: %w", err)
		}
		files[i] = [2]*os.File{r, w}
	}
	p.cmd.Stdin, p.stdin = files[0][0], files[0][1]
	p.stdout, p.cmd.Stdout = files[1][0], files[1][1]
	p.cmd.Stderr = files[2][1]
	err := p.cmd.Start()
	for _, theirs := range []*os.File{files[0][0], files[1][1], files[2][1]} {
		theirs.Close()
	}
	if err != nil {
		for _, ours := range []*os.File{files[0][1], files[1][0], files[2][0]} {
			ours.Close()
		}
		return nil, err
	}
	go func() {
		_, _ = io.Copy(p.stderr, files[2][0])
		files[2][0].Close()
	}()
	go func() {
		_ = p.cmd.Wait()
		p.code = p.cmd.ProcessState.ExitCode()
		close(p.exited)
	}()
	return p, nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// kill ends the process and what it has started, each by its id, and lets go of the pipes.
func (p *process) kill() {
	below := proctree.Below(p.pid())
	_ = p.cmd.Process.Kill()
	<-p.exited
	for _, d := range below {
		d.Kill()
	}
	p.close()
}

func (p *process) close() {
	p.stdin.Close()
	p.stdout.Close()
}

// waits says whether the process ended within the time.
func (p *process) waits(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-p.exited:
		return true
	case <-t.C:
		return false
	}
}

// A tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte // guarded by mu
}

const tailBytes = 8 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if over := len(t.text) - tailBytes; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.text), "?")
}
