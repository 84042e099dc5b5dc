//go:build unix

package serve

import (
	"errors"

	"golang.org/x/sys/unix"
)

// processAlive says whether a process with this id exists (one of another user counts).
func processAlive(pid int) bool {
	err := unix.Kill(pid, 0)
	return err == nil || errors.Is(err, unix.EPERM)
}
