//go:build !linux && !darwin && !windows

package lockdown

import "golang.org/x/sys/unix"

// lock leaves room for no file. Nothing more has been tried on this system.
func (l *locker) lock() {
	var err error
	for _, what := range []int{unix.RLIMIT_CORE, unix.RLIMIT_FSIZE, unix.RLIMIT_NOFILE} {
		if err == nil {
			err = unix.Setrlimit(what, &unix.Rlimit{})
		}
	}
	l.layer("rlimits", false, "no files, file sizes, cores", err)
}
