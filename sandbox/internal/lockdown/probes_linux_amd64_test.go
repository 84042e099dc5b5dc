package lockdown

import "golang.org/x/sys/unix"

const statNumber = unix.SYS_NEWFSTATAT

func probesHere() []probe {
	return []probe{
		{"open", bySeccomp | byLandlock | byRlimits, call(unix.SYS_OPEN, str("/etc/passwd"), unix.O_RDONLY)},
		{"stat", bySeccomp, call(unix.SYS_STAT, str("/etc/passwd"), str(string(make([]byte, 256))))},
		{"readlink", bySeccomp, call(unix.SYS_READLINK, str("/proc/self/exe"), str(string(make([]byte, 256))), 100)},
		{"x32 number", bySeccomp, call(0x40000000 + unix.SYS_GETPID)},
		{"arch_prctl", bySeccomp, call(unix.SYS_ARCH_PRCTL, 0x1003, str("12345678"))},
	}
}
