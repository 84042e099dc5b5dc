// Package child runs a command that is looked at: the program itself with its pipes, its end, and what it has started.
// It knows nothing of what is said over the pipes.
package child

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/exec-ext/exec-ext/conformance/proctree"
)

// A Process is a command that was started. Its pipes are files of ours, so that its end is seen even if a descendant
// holds them open.
type Process struct {
	Stdin  *os.File
	Stdout *os.File
	Exited <-chan struct{} // closed when the process is gone
	cmd    *exec.Cmd
	told   chan struct{} // closed at the end of its stderr
}

// Start starts a command, not empty; stderr gets what it writes there, until every descendant has closed it.
func Start(command []string, stderr io.Writer) (*Process, error) {
	var ours, theirs []*os.File
	for range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(append(ours, theirs...))
			return nil, fmt.Errorf("pipe: %w", err)
		}
		ours, theirs = append(ours, r), append(theirs, w)
	}
	ours[0], theirs[0] = theirs[0], ours[0] // its stdin is read at the other end
	exited, told := make(chan struct{}), make(chan struct{})
	p := &Process{Stdin: ours[0], Stdout: ours[1], Exited: exited, told: told, cmd: exec.Command(command[0], command[1:]...)}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirs[0], theirs[1], theirs[2]
	err := p.cmd.Start()
	closeAll(theirs)
	if err != nil {
		closeAll(ours)
		return nil, err
	}
	go func() {
		_, _ = io.Copy(stderr, ours[2])
		ours[2].Close()
		close(told)
	}()
	go func() {
		_ = p.cmd.Wait() // Code says how it ended
		close(exited)
	}()
	return p, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// PID is the process's id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Code is its exit code, -1 if a signal has ended it. It is valid after Exited.
func (p *Process) Code() int { return p.cmd.ProcessState.ExitCode() }

// End is how it ended, for a person: "exit status 1", "signal: killed". It is valid after Exited.
func (p *Process) End() string { return p.cmd.ProcessState.String() }

// Gone says whether the process is gone.
func (p *Process) Gone() bool {
	select {
	case <-p.Exited:
		return true
	default:
		return false
	}
}

// Ends says whether the process ends within the time.
func (p *Process) Ends(within time.Duration) bool {
	t := time.NewTimer(within)
	defer t.Stop()
	select {
	case <-p.Exited:
		return true
	case <-t.C:
		return false
	}
}

// Stop ends the process alone, and so whatever waits for it; it does not wait itself.
func (p *Process) Stop() { _ = p.cmd.Process.Kill() }

// lastWords is how long Kill waits for what is still in the pipe of stderr, which somebody unknown may hold open.
const lastWords = time.Second

// Kill ends the process and what it has started, each by its id, and lets go of the pipes; stderr has been read then. It
// does no harm to call it when the process is gone, or again.
func (p *Process) Kill() {
	var below []proctree.Process
	if !p.Gone() { // else its id may be another's
		below = proctree.Below(p.PID())
	}
	p.Stop()
	<-p.Exited
	for _, d := range below {
		d.Kill()
	}
	p.Close()
	select {
	case <-p.told:
	case <-time.After(lastWords):
	}
}

// Close lets go of the pipes.
func (p *Process) Close() {
	p.Stdin.Close()
	p.Stdout.Close()
}
