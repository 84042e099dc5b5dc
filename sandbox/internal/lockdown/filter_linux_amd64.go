package lockdown

import "golang.org/x/sys/unix"

const arch = unix.AUDIT_ARCH_X86_64

var (
	allowedHere   = []uint32{unix.SYS_EPOLL_WAIT}
	forbiddenHere = []uint32{unix.SYS_FORK, unix.SYS_VFORK, unix.SYS_KEXEC_FILE_LOAD}
)

// guardHere kills calls with x32 numbers, which share the architecture's mark.
func guardHere() []unix.SockFilter {
	const x32 = 0x40000000
	return append([]unix.SockFilter{jump(unix.BPF_JGE, x32, 0, 1)}, ret(retKill)...)
}
