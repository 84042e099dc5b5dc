package lockdown

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// lock puts on the layers of Linux. The order matters: what a later step needs must not be gone before it.
func (l *locker) lock() {
	runtime.LockOSThread() // without it a cgo build could set no_new_privs on one thread and install from another
	defer runtime.UnlockOSThread()
	time.Sleep(time.Nanosecond)      // starts the netpoller, which opens descriptors
	_, _ = time.Now().Local().Zone() // opens the zone file if TZ names one
	dataLimit, err := l.limitData()  // opens a file
	memory := l.layer("memory_limit", true, dataLimit, err)
	l.layer("no_new_privs", true, "", noNewPrivs())
	l.layer("capabilities", true, "none", dropCapabilities())
	l.layer("not_dumpable", true, "", unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0))
	abi, err := landlock() // opens a descriptor
	land := l.layer("landlock", true, fmt.Sprintf("abi %d, no rules", abi), err)
	l.layer("rlimits", true, "no files, file sizes, cores, locked memory, message queues", zeroLimits())
	longest := longestMapping(l.setup.MemoryBytes)
	err = installFilter(allowFilter(longest))
	secc := err == nil
	if secc { // the first filter refuses with an error, so that it can be probed; the second kills
		l.probe(land || secc, memory && refusesMapping(longest))
		err = installFilter(killFilter())
	} else {
		l.probe(land, false)
	}
	provenHere := runtime.GOARCH == "amd64" // its table of calls is the one part that differs
	l.layer("seccomp", provenHere, "allow-list for all threads, kills what only an escape would do", err)
}

// longestMapping is the longest writable mapping allowed. Without it one large allocation of the Go runtime
// passes RLIMIT_DATA, because the kernel does not charge what replaces a reserved mapping.
func longestMapping(memory int64) int64 { return min(max(64<<20, memory/2), 1<<31) }

// limitData caps private writable memory in the kernel at the present size, the cap and a quarter of it.
func (l *locker) limitData() (detail string, err error) {
	memory := l.setup.MemoryBytes
	if memory <= 0 || memory > math.MaxInt64/4 {
		return "", errors.New("no cap given")
	}
	now, err := dataBytes()
	if err != nil {
		return "", err
	}
	limit := uint64(now + memory + memory/4)
	want := unix.Rlimit{Cur: limit, Max: limit}
	if err := unix.Setrlimit(unix.RLIMIT_DATA, &want); err != nil {
		return "", err
	}
	var got unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_DATA, &got); err != nil {
		return "", err
	}
	if got != want {
		return "", errors.New("the limit did not hold")
	}
	return "data size and length of a mapping", nil
}

func noNewPrivs() error {
	if err := allThreads(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0); err != errCgo {
		return err
	}
	return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) // a cgo build: the filter's TSYNC spreads it
}

func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	err := allThreads(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&none[0])), 0)
	runtime.KeepAlive(&header)
	runtime.KeepAlive(&none)
	return err
}

// zeroLimits leaves room for nothing. RLIMIT_NPROC is not among them: it would count the Go runtime's threads.
func zeroLimits() error {
	for _, what := range []int{unix.RLIMIT_CORE, unix.RLIMIT_FSIZE, unix.RLIMIT_MEMLOCK, unix.RLIMIT_MSGQUEUE, unix.RLIMIT_NOFILE} {
		if err := unix.Setrlimit(what, &unix.Rlimit{}); err != nil {
			return err
		}
	}
	return nil
}

var errCgo = errors.New("a build with cgo cannot do this on all its threads")

// allThreads makes a system call on every thread.
func allThreads(nr, a1, a2, a3 uintptr) error {
	switch _, _, errno := syscall.AllThreadsSyscall(nr, a1, a2, a3); errno {
	case 0:
		return nil
	case syscall.ENOTSUP:
		return errCgo
	default:
		return errno
	}
}
