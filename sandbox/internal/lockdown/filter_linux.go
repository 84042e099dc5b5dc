package lockdown

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Where the kernel puts what a filter may look at.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16 // low half of the first argument; both architectures are little endian
)

const (
	retAllow = unix.SECCOMP_RET_ALLOW
	retKill  = unix.SECCOMP_RET_KILL_PROCESS
	retErrno = unix.SECCOMP_RET_ERRNO
)

// threadFlags is what clone must have to make a thread of this process, threadExtra what the Go runtime or a C
// library may add.
const (
	threadFlags = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_SYSVSEM | unix.CLONE_THREAD
	threadExtra = unix.CLONE_SETTLS | unix.CLONE_PARENT_SETTID | unix.CLONE_CHILD_CLEARTID
)

// allowed is what the Go runtime needs once it is warm, the most frequent first.
var allowed = append([]uint32{
	unix.SYS_FUTEX, unix.SYS_READ, unix.SYS_WRITE, unix.SYS_NANOSLEEP, unix.SYS_EPOLL_PWAIT, unix.SYS_MADVISE,
	unix.SYS_MUNMAP, unix.SYS_SCHED_YIELD, unix.SYS_GETPID, unix.SYS_GETTID, unix.SYS_RT_SIGRETURN,
	unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGACTION, unix.SYS_SIGALTSTACK, unix.SYS_CLOCK_GETTIME,
	unix.SYS_CLOCK_NANOSLEEP, unix.SYS_RESTART_SYSCALL, unix.SYS_EXIT, unix.SYS_EXIT_GROUP, unix.SYS_GETRANDOM,
	unix.SYS_SCHED_GETAFFINITY, unix.SYS_PREAD64,
	unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ, // a C library's new thread
}, allowedHere...)

// forbidden is what no honest worker does: it ends the process at once.
var forbidden = append([]uint32{
	unix.SYS_EXECVE, unix.SYS_EXECVEAT, unix.SYS_SOCKET, unix.SYS_SOCKETPAIR, unix.SYS_CONNECT, unix.SYS_BIND,
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KILL, unix.SYS_PIDFD_OPEN,
	unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_CHROOT,
	unix.SYS_PIVOT_ROOT, unix.SYS_BPF, unix.SYS_IO_URING_SETUP, unix.SYS_USERFAULTFD, unix.SYS_KEYCTL, unix.SYS_ADD_KEY,
	unix.SYS_REQUEST_KEY, unix.SYS_PERF_EVENT_OPEN, unix.SYS_MEMFD_CREATE, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE,
	unix.SYS_KEXEC_LOAD, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_SECCOMP,
}, forbiddenHere...)

// allowFilter lets through what is allowed and refuses the rest with EPERM. It still lets the process add a
// second filter, which can only take away.
func allowFilter(longestMapping int64) []unix.SockFilter {
	f := guard()
	for _, nr := range allowed {
		f = append(f, onNumber(nr, ret(retAllow))...)
	}
	f = append(f, onNumber(unix.SYS_MMAP, mmapRule(longestMapping))...)
	f = append(f, onNumber(unix.SYS_MPROTECT, append(ifBits(2, unix.PROT_EXEC, ret(deny(unix.EPERM))), ret(retAllow)...))...)
	f = append(f, onNumber(unix.SYS_CLONE, cloneRule())...)
	f = append(f, onNumber(unix.SYS_CLONE3, ret(deny(unix.ENOSYS)))...) // its flags lie in memory; callers fall back to clone
	f = append(f, onNumber(unix.SYS_TGKILL, append(ifEqual(0, uint32(unix.Getpid()), ret(retAllow)), ret(deny(unix.EPERM))...))...)
	f = append(f, onNumber(unix.SYS_PRCTL, append(ifEqual(0, unix.PR_SET_VMA, ret(retAllow)), ret(deny(unix.EPERM))...))...)
	f = append(f, onNumber(unix.SYS_SECCOMP, ret(retAllow))...)
	return append(f, ret(deny(unix.EPERM))...)
}

// killFilter ends the process for what is forbidden and leaves the rest to the filter before it.
func killFilter() []unix.SockFilter {
	f := guard()
	for _, nr := range forbidden {
		f = append(f, onNumber(nr, ret(retKill))...)
	}
	return append(f, ret(retAllow)...)
}

// guard kills calls in another instruction set's convention and leaves the call's number loaded.
func guard() []unix.SockFilter {
	f := []unix.SockFilter{load(offArch), jump(unix.BPF_JEQ, arch, 1, 0)}
	f = append(f, ret(retKill)...)
	f = append(f, load(offNumber))
	return append(f, guardHere()...)
}

// mmapRule allows private anonymous memory, never executable; writable mappings only up to a length.
func mmapRule(longest int64) []unix.SockFilter {
	f := ifBits(2, unix.PROT_EXEC, ret(deny(unix.EPERM)))
	f = append(f, load(arg(3)), and(unix.MAP_TYPE), jump(unix.BPF_JEQ, unix.MAP_PRIVATE, 1, 0))
	f = append(f, ret(deny(unix.EPERM))...)
	long := []unix.SockFilter{load(arg(1) + 4), jump(unix.BPF_JGT, uint32(longest>>32), 3, 0),
		load(arg(1)), jump(unix.BPF_JGT, uint32(longest), 1, 0)}
	long = append(long, ret(retAllow)...)
	long = append(long, ret(deny(unix.ENOMEM))...)
	f = append(f, ifBits(2, unix.PROT_WRITE, long)...)
	return append(f, ret(retAllow)...)
}

// cloneRule allows new threads of this process.
func cloneRule() []unix.SockFilter {
	f := []unix.SockFilter{load(arg(0)), and(^uint32(threadExtra)), jump(unix.BPF_JEQ, threadFlags, 0, 1)}
	f = append(f, ret(retAllow)...)
	return append(f, ret(deny(unix.EPERM))...)
}

// onNumber runs rule, which returns, if the loaded number is nr.
func onNumber(nr uint32, rule []unix.SockFilter) []unix.SockFilter {
	return append([]unix.SockFilter{jump(unix.BPF_JEQ, nr, 0, uint8(len(rule)))}, rule...)
}

// ifBits runs rule, which returns, if the argument has one of these bits.
func ifBits(n int, bits uint32, rule []unix.SockFilter) []unix.SockFilter {
	return append([]unix.SockFilter{load(arg(n)), jump(unix.BPF_JSET, bits, 0, uint8(len(rule)))}, rule...)
}

// ifEqual runs rule, which returns, if the low half of the argument is v.
func ifEqual(n int, v uint32, rule []unix.SockFilter) []unix.SockFilter {
	return append([]unix.SockFilter{load(arg(n)), jump(unix.BPF_JEQ, v, 0, uint8(len(rule)))}, rule...)
}

func arg(n int) uint32 { return offArgs + 8*uint32(n) }

func deny(e unix.Errno) uint32 { return retErrno | uint32(e) }

func load(off uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: off}
}

func and(mask uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: mask}
}

func jump(cond uint16, k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | cond | unix.BPF_K, K: k, Jt: yes, Jf: no}
}

func ret(action uint32) []unix.SockFilter {
	return []unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K, K: action}}
}

// installFilter puts a filter on all threads.
func installFilter(f []unix.SockFilter) error {
	prog := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	tid, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(&prog)
	runtime.KeepAlive(f)
	if errno != 0 {
		return errno
	}
	if tid != 0 {
		return unix.ESRCH // that thread has another filter and could not be brought in line
	}
	return nil
}
