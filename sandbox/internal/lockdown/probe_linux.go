package lockdown

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// probe finds out what is denied by trying it, while a refusal is still only an error.
func (l *locker) probe(paths, memory bool) {
	l.deny("filesystem", paths && refusesOpen()) // no descriptors alone would still let names be changed
	l.deny("network", refusesSockets())
	l.deny("exec", refusesExec())
	l.deny("processes", refusesFork() && refusesSignals())
	if memory {
		l.guarantees["memory"] = "hard"
	}
}

func refusesOpen() bool {
	fd, err := unix.Openat(unix.AT_FDCWD, "/", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err == nil {
		unix.Close(fd)
	}
	return err != nil
}

func refusesSockets() bool {
	for _, domain := range []int{unix.AF_INET, unix.AF_INET6, unix.AF_UNIX} {
		fd, err := unix.Socket(domain, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
		if err == nil {
			unix.Close(fd)
			return false
		}
	}
	return true
}

// refusesExec offers a program with arguments that lie nowhere: a kernel that would let it run complains about
// those instead.
func refusesExec() bool {
	path := []byte("/proc/self/exe\x00")
	_, _, errno := unix.RawSyscall(unix.SYS_EXECVE, uintptr(unsafe.Pointer(&path[0])), 1, 0)
	return errno == unix.EPERM || errno == unix.EACCES
}

// refusesFork asks for a thread that shares no signal handlers, which no kernel makes.
func refusesFork() bool {
	_, _, errno := unix.RawSyscall6(unix.SYS_CLONE, unix.CLONE_THREAD, 0, 0, 0, 0, 0)
	return errno == unix.EPERM
}

// refusesSignals asks whether the parent could be sent a signal, without sending one.
func refusesSignals() bool {
	return errors.Is(unix.Kill(os.Getppid(), 0), unix.EPERM)
}

// refusesMapping tries a mapping just over the longest allowed. None of it is touched.
func refusesMapping(longest int64) bool {
	m, err := unix.Mmap(-1, 0, int(longest)+os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err == nil {
		_ = unix.Munmap(m)
	}
	return err != nil
}

// dataBytes is the size that RLIMIT_DATA limits, as it is now.
func dataBytes() (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(status) {
		if kib, ok := bytes.CutPrefix(line, []byte("VmData:")); ok {
			fields := bytes.Fields(kib)
			if len(fields) == 0 {
				break
			}
			n, err := strconv.ParseInt(string(fields[0]), 10, 64)
			return n << 10, err
		}
	}
	return 0, errors.New("no VmData in /proc/self/status")
}
