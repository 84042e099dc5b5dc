//go:build unix

package lockdown

import (
	"errors"
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// exitOrphan is the exit code of a worker whose parent is gone.
const exitOrphan = 4

// followParent parks a goroutine at the liveness pipe. Nobody writes to it: it ends when the parent does, even
// while a script spins and nobody reads stdin.
func (l *locker) followParent() {
	var st unix.Stat_t
	err := unix.Fstat(wire.AliveFD, &st)
	if err == nil && st.Mode&unix.S_IFMT != unix.S_IFIFO {
		err = errors.New("no pipe was inherited")
	}
	if err == nil {
		err = unix.SetNonblock(wire.AliveFD, false)
	}
	if !l.layer("liveness_pipe", runtime.GOOS == "linux", "", err) {
		return
	}
	go func() {
		var b [1]byte
		for {
			n, err := unix.Read(wire.AliveFD, b[:])
			if n == 0 || (err != nil && err != unix.EINTR) {
				os.Exit(exitOrphan)
			}
		}
	}()
}
