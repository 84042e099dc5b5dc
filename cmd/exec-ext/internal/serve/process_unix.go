//go:build unix

package serve

import (
	"errors"

	"golang.org/x/sys/unix"
)

// processAlive says whether a process with this id is running (one of another user counts, one that has ended and
// that nobody has waited for does not, where that can be told).
func processAlive(pid int) bool {
	err := unix.Kill(pid, 0)
	return (err == nil || errors.Is(err, unix.EPERM)) && !processEnded(pid)
}
