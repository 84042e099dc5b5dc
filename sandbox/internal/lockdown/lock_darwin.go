package lockdown

import (
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// lock puts on the layers of macOS, where that is asked for: none has been tried on a Mac. What is denied is what
// the probes find refused.
func (l *locker) lock() {
	if !l.setup.TryUnproven {
		for _, id := range []string{"seatbelt", "deny_attach", "rlimits"} {
			l.layer(id, false, "", errOff)
		}
		return
	}
	time.Sleep(1)                    // starts the netpoller, which opens descriptors
	_, _ = time.Now().Local().Zone() // opens the zone file if TZ names one
	l.layer("deny_attach", false, "", denyAttach())
	if l.layer("seatbelt", false, "deny default", sandboxInit("(version 1)(deny default)")) {
		l.probe() // before the limits, which would refuse a program for want of descriptors
	}
	l.layer("rlimits", false, "no files, file sizes, cores", zeroLimits())
}

func denyAttach() error {
	const ptDenyAttach = 31
	_, _, errno := syscall.Syscall6(syscall.SYS_PTRACE, ptDenyAttach, 0, 0, 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

func zeroLimits() error {
	for _, what := range []int{unix.RLIMIT_CORE, unix.RLIMIT_FSIZE, unix.RLIMIT_NOFILE} {
		if err := unix.Setrlimit(what, &unix.Rlimit{}); err != nil {
			return err
		}
	}
	return nil
}

func (l *locker) probe() {
	f, err := os.Open("/etc/passwd")
	if err == nil {
		f.Close()
	}
	l.deny("filesystem", err != nil)
	l.deny("network", refusesSockets())
	exec := exec.Command("/usr/bin/true").Run() != nil
	l.deny("exec", exec)
	l.deny("processes", exec && unix.Kill(os.Getppid(), 0) == unix.EPERM)
}

// refusesSockets tries to reach a port of this machine; Seatbelt may give out a socket and refuse its use.
func refusesSockets() bool {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		return true
	}
	defer unix.Close(fd)
	return unix.Connect(fd, &unix.SockaddrInet4{Port: 9, Addr: [4]byte{127, 0, 0, 1}}) != nil
}
