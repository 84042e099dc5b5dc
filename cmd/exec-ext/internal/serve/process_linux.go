package serve

import "golang.org/x/sys/unix"

// processEnded says whether a process that can still be found has ended: it stays until its parent waits for it,
// which a parent may never do.
func processEnded(pid int) bool {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return false // an old kernel, or no descriptor is left
	}
	defer unix.Close(fd)
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
	return err == nil && n > 0
}
