package lockdown

import (
	"errors"
	"os"
)

// exitOrphan is the exit code of a worker whose parent is gone.
const exitOrphan = 4

// followParent parks a goroutine at the liveness pipe, whose handle the parent has passed. Nobody writes to it: it
// ends when the parent does, even while a script spins and nobody reads stdin.
func (l *locker) followParent() {
	var err error
	if l.setup.Alive == 0 {
		err = errors.New("no pipe was inherited")
	}
	if !l.layer("liveness_pipe", false, "", err) {
		return
	}
	alive := os.NewFile(l.setup.Alive, "alive")
	go func() {
		_, _ = alive.Read(make([]byte, 1))
		os.Exit(exitOrphan)
	}()
}
