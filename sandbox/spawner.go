package sandbox

import (
	"os/exec"
	"runtime"
	"sync"
)

// A spawner starts every process from one operating system thread that lives as long as the spawner. Linux
// sends the parent-death signal when the thread that forked ends, not the process, and Go ends threads at will.
type spawner struct {
	orders chan order
	closed sync.Once
}

type order struct {
	cmd  *exec.Cmd
	done chan error
}

func newSpawner() *spawner {
	s := &spawner{orders: make(chan order)}
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with this goroutine
		for o := range s.orders {
			o.done <- o.cmd.Start()
		}
	}()
	return s
}

func (s *spawner) start(cmd *exec.Cmd) error {
	o := order{cmd, make(chan error, 1)}
	s.orders <- o
	return <-o.done
}

// close ends the thread. No process may be left.
func (s *spawner) close() { s.closed.Do(func() { close(s.orders) }) }
