//go:build unix

package sandbox

import (
	"os"
	"syscall"
)

// Signals that tell why a worker died.
const (
	violation = syscall.SIGSYS // the system call filter
	killed    = syscall.SIGKILL
)

// signalOf gives the signal that ended a process; 0 if it exited.
func signalOf(s *os.ProcessState) syscall.Signal {
	if ws, ok := s.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return ws.Signal()
	}
	return 0
}
