package lockdown

import (
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Layers that refuse a probe even if they stand alone.
const (
	bySeccomp = 1 << iota
	byLandlock
	byRlimits
	byCapabilities
	byMemoryLimit
)

// A probe is one native attempt, as code would make it that has broken out of the engine. It gives the errno with
// which the kernel answered; 0 means that it worked. What is not refused may still have an errno of its own,
// where the attempt is made with arguments that cannot work.
type probe struct {
	name string
	by   int
	try  func() syscall.Errno
}

var cstrings [][]byte // keeps them from being collected

func str(s string) uintptr {
	b := append([]byte(s), 0)
	cstrings = append(cstrings, b)
	return uintptr(unsafe.Pointer(&b[0]))
}

func ptr[T any](v *T) uintptr { return uintptr(unsafe.Pointer(v)) }

// call makes a raw system call.
func call(nr uintptr, args ...uintptr) func() syscall.Errno {
	return func() syscall.Errno {
		var a [6]uintptr
		copy(a[:], args)
		_, _, errno := syscall.RawSyscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5])
		return errno
	}
}

func errnoOf(err error) syscall.Errno {
	if err == nil {
		return 0
	}
	for {
		if e, ok := err.(syscall.Errno); ok {
			return e
		}
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			return syscall.Errno(4095) // not the kernel's answer
		}
		err = u.Unwrap()
	}
}

const cwd = ^uintptr(99) // AT_FDCWD

// scratch is a directory that anybody may change, with a file in it.
const scratch = "/tmp/exec-ext-lockdown-probe"

func probes() []probe {
	self, parent := uintptr(os.Getpid()), uintptr(os.Getppid())
	page := make([]byte, 4096)
	how := unix.OpenHow{Flags: unix.O_RDONLY}
	iov := unix.Iovec{Base: &page[0], Len: 1}
	var pair [2]int32
	list := []probe{
		// files
		{"openat", bySeccomp | byLandlock | byRlimits, call(unix.SYS_OPENAT, cwd, str("/etc/passwd"), unix.O_RDONLY)},
		{"openat proc mem", bySeccomp | byLandlock | byRlimits, call(unix.SYS_OPENAT, cwd, str("/proc/self/mem"), unix.O_RDWR)},
		{"openat create", bySeccomp | byLandlock | byRlimits, call(unix.SYS_OPENAT, cwd, str(scratch+"/new"), unix.O_CREAT|unix.O_WRONLY, 0o600)},
		{"openat2", bySeccomp | byLandlock | byRlimits, call(unix.SYS_OPENAT2, cwd, str("/etc/passwd"), ptr(&how), unsafe.Sizeof(how))},
		{"open_by_handle_at", bySeccomp, call(unix.SYS_OPEN_BY_HANDLE_AT, cwd, ptr(&page[0]), 0)},
		{"fstatat", bySeccomp, call(statNumber, cwd, str("/etc/passwd"), ptr(&page[0]), 0)},
		{"statx", bySeccomp, call(unix.SYS_STATX, cwd, str("/etc/passwd"), 0, unix.STATX_ALL, ptr(&page[0]))},
		{"readlinkat", bySeccomp, call(unix.SYS_READLINKAT, cwd, str("/proc/self/exe"), ptr(&page[0]), 100)},
		{"chdir", bySeccomp, call(unix.SYS_CHDIR, str("/tmp"))},
		{"mkdirat", bySeccomp | byLandlock, call(unix.SYS_MKDIRAT, cwd, str(scratch+"/dir"), 0o700)},
		{"symlinkat", bySeccomp | byLandlock, call(unix.SYS_SYMLINKAT, str("/etc/passwd"), cwd, str(scratch+"/link"))},
		{"mknodat", bySeccomp | byLandlock, call(unix.SYS_MKNODAT, cwd, str(scratch+"/fifo"), unix.S_IFIFO|0o600, 0)},
		{"linkat", bySeccomp | byLandlock, call(unix.SYS_LINKAT, cwd, str(scratch+"/file"), cwd, str(scratch+"/file2"), 0)},
		{"renameat", bySeccomp | byLandlock, call(unix.SYS_RENAMEAT2, cwd, str(scratch+"/file"), cwd, str(scratch+"/file3"), 0)},
		{"truncate", bySeccomp | byLandlock, call(unix.SYS_TRUNCATE, str(scratch+"/keep"), 0)},
		{"fchmodat", bySeccomp, call(unix.SYS_FCHMODAT, cwd, str(scratch+"/keep"), 0o777)},
		{"unlinkat", bySeccomp | byLandlock, call(unix.SYS_UNLINKAT, cwd, str(scratch+"/keep"), 0)},
		{"chroot", bySeccomp | byCapabilities, call(unix.SYS_CHROOT, str("/tmp"))},
		{"inotify_init1", bySeccomp | byRlimits, call(unix.SYS_INOTIFY_INIT1, 0)},
		{"dup", bySeccomp | byRlimits, call(unix.SYS_DUP, 0)},
		{"fcntl", bySeccomp, call(unix.SYS_FCNTL, 0, unix.F_GETFL)},
		{"ioctl", bySeccomp, call(unix.SYS_IOCTL, 0, unix.TIOCSTI, ptr(&page[0]))},
		{"pipe2", bySeccomp | byRlimits, call(unix.SYS_PIPE2, ptr(&pair[0]), 0)},
		{"memfd_create", bySeccomp | byRlimits, call(unix.SYS_MEMFD_CREATE, str("x"), 0)},
		// network
		{"socket tcp", bySeccomp | byRlimits, call(unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM)},
		{"socket tcp6", bySeccomp | byRlimits, call(unix.SYS_SOCKET, unix.AF_INET6, unix.SOCK_STREAM)},
		{"socket udp", bySeccomp | byRlimits, call(unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_DGRAM)},
		{"socket unix", bySeccomp | byRlimits, call(unix.SYS_SOCKET, unix.AF_UNIX, unix.SOCK_STREAM)},
		{"socket netlink", bySeccomp | byRlimits, call(unix.SYS_SOCKET, unix.AF_NETLINK, unix.SOCK_RAW)},
		{"socketpair", bySeccomp | byRlimits, call(unix.SYS_SOCKETPAIR, unix.AF_UNIX, unix.SOCK_STREAM, 0, ptr(&pair[0]))},
		{"connect", bySeccomp, call(unix.SYS_CONNECT, 0, ptr(&page[0]), 16)},
		{"bind", bySeccomp, call(unix.SYS_BIND, 0, ptr(&page[0]), 16)},
		{"sendto", bySeccomp, call(unix.SYS_SENDTO, 0, ptr(&page[0]), 1)},
		{"recvmsg", bySeccomp, call(unix.SYS_RECVMSG, 0, ptr(&page[0]), 0)},
		// programs and processes
		{"execve", bySeccomp | byLandlock, call(unix.SYS_EXECVE, str("/proc/self/exe"), ptr(&[]uintptr{str("x"), str("exit"), 0}[0]), 0)},
		{"execveat", bySeccomp | byLandlock, call(unix.SYS_EXECVEAT, cwd, str("/proc/self/exe"), ptr(&[]uintptr{str("x"), str("exit"), 0}[0]), 0, 0)},
		{"os/exec", bySeccomp | byLandlock | byRlimits, func() syscall.Errno { return errnoOf(exec.Command("/proc/self/exe", "exit").Run()) }},
		{"clone as fork", bySeccomp, func() syscall.Errno {
			pid, _, errno := syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
			if errno == 0 && pid == 0 {
				for {
					syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
				}
			}
			return errno
		}},
		{"clone3", bySeccomp, call(unix.SYS_CLONE3, ptr(&page[0]), 0)},
		{"clone into namespaces", bySeccomp, call(unix.SYS_CLONE, unix.CLONE_NEWUSER|unix.CLONE_THREAD)},
		{"kill", bySeccomp, call(unix.SYS_KILL, parent, 0)},
		{"kill self", bySeccomp, call(unix.SYS_KILL, self, 0)},
		{"tgkill", bySeccomp, call(unix.SYS_TGKILL, parent, parent, 0)},
		{"tkill", bySeccomp, call(unix.SYS_TKILL, self, 0)},
		{"rt_sigqueueinfo", bySeccomp, call(unix.SYS_RT_SIGQUEUEINFO, self, 0, ptr(&page[0]))},
		{"pidfd_open", bySeccomp | byRlimits, call(unix.SYS_PIDFD_OPEN, parent, 0)},
		{"pidfd_send_signal", bySeccomp, call(unix.SYS_PIDFD_SEND_SIGNAL, 0, 0, 0, 0)},
		{"ptrace", bySeccomp, call(unix.SYS_PTRACE, unix.PTRACE_TRACEME)},
		{"process_vm_readv", bySeccomp, call(unix.SYS_PROCESS_VM_READV, self, ptr(&iov), 1, ptr(&iov), 1)},
		{"process_vm_writev", bySeccomp, call(unix.SYS_PROCESS_VM_WRITEV, self, ptr(&iov), 1, ptr(&iov), 1)},
		{"prlimit64", bySeccomp, call(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NOFILE, 0, ptr(&page[0]))},
		{"sched_setaffinity", bySeccomp, call(unix.SYS_SCHED_SETAFFINITY, 0, 8, ptr(&[]uintptr{1}[0]))},
		{"setpriority", bySeccomp, call(unix.SYS_SETPRIORITY, 0, 0, 19)},
		// privileges and kernel interfaces
		{"setuid", bySeccomp, call(unix.SYS_SETUID, uintptr(os.Getuid()))},
		{"setresuid", bySeccomp, call(unix.SYS_SETRESUID, ^uintptr(0), ^uintptr(0), ^uintptr(0))},
		{"setsid", bySeccomp, call(unix.SYS_SETSID)},
		{"mount", bySeccomp | byLandlock | byCapabilities, call(unix.SYS_MOUNT, 0, str("/tmp"), 0, unix.MS_REMOUNT|unix.MS_BIND, 0)},
		{"umount2", bySeccomp | byLandlock | byCapabilities, call(unix.SYS_UMOUNT2, str(scratch), 0)},
		{"unshare", bySeccomp, call(unix.SYS_UNSHARE, unix.CLONE_FILES)},
		{"unshare user", bySeccomp, call(unix.SYS_UNSHARE, unix.CLONE_NEWUSER)},
		{"setns", bySeccomp, call(unix.SYS_SETNS, 0, 0)},
		{"bpf", bySeccomp, call(unix.SYS_BPF, 0, ptr(&page[0]), 0)},
		{"io_uring_setup", bySeccomp | byRlimits, call(unix.SYS_IO_URING_SETUP, 4, ptr(&page[0]))},
		{"userfaultfd", bySeccomp | byRlimits, call(unix.SYS_USERFAULTFD, unix.O_CLOEXEC|1)},
		{"perf_event_open", bySeccomp, call(unix.SYS_PERF_EVENT_OPEN, ptr(&page[0]), 0, cwd, cwd, 0)},
		{"keyctl", bySeccomp, call(unix.SYS_KEYCTL, 0, ^uintptr(2), 0)},
		{"add_key", bySeccomp, call(unix.SYS_ADD_KEY, str("user"), str("x"), ptr(&page[0]), 1, ^uintptr(2))},
		{"personality", bySeccomp, call(unix.SYS_PERSONALITY, 0xffffffff)},
		{"shmget", bySeccomp, call(unix.SYS_SHMGET, 0, 4096, 0o600)},
		{"msgget", bySeccomp, call(unix.SYS_MSGGET, 0, 0o600)},
		{"semget", bySeccomp, call(unix.SYS_SEMGET, 0, 1, 0o600)},
		{"timerfd_create", bySeccomp | byRlimits, call(unix.SYS_TIMERFD_CREATE, 0, 0)},
		{"signalfd4", bySeccomp, call(unix.SYS_SIGNALFD4, cwd, 0, 0, 0)},
		{"eventfd2", bySeccomp | byRlimits, call(unix.SYS_EVENTFD2, 0, 0)},
		{"epoll_create1", bySeccomp | byRlimits, call(unix.SYS_EPOLL_CREATE1, 0)},
		{"prctl dumpable", bySeccomp, call(unix.SYS_PRCTL, unix.PR_SET_DUMPABLE, 1)},
		{"prctl parent death", bySeccomp, call(unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, 0)},
		{"seccomp", bySeccomp, call(unix.SYS_SECCOMP, unix.SECCOMP_GET_NOTIF_SIZES, 0, ptr(&page[0]))},
		// memory
		{"mmap executable", bySeccomp, call(unix.SYS_MMAP, 0, 4096, unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC, unix.MAP_PRIVATE|unix.MAP_ANON, cwd)},
		{"mmap shared", bySeccomp, call(unix.SYS_MMAP, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANON, cwd)},
		{"mmap long", bySeccomp, call(unix.SYS_MMAP, 0, 65<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON, cwd)},
		{"mmap over 4 GiB", bySeccomp, call(unix.SYS_MMAP, 0, 4<<30+4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE, cwd)},
		{"mprotect executable", bySeccomp, func() syscall.Errno {
			p, _, _ := syscall.RawSyscall6(unix.SYS_MMAP, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON, cwd, 0)
			return call(unix.SYS_MPROTECT, p, 4096, unix.PROT_READ|unix.PROT_EXEC)()
		}},
		{"mapping in pieces", byMemoryLimit, mapInPieces},
		{"mremap", bySeccomp, func() syscall.Errno {
			p, _, _ := syscall.RawSyscall6(unix.SYS_MMAP, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON, cwd, 0)
			return call(unix.SYS_MREMAP, p, 4096, 8192, unix.MREMAP_MAYMOVE)()
		}},
		{"mlock", bySeccomp | byRlimits, call(unix.SYS_MLOCK, ptr(&page[0]), 4096)},
		{"brk", bySeccomp, call(unix.SYS_BRK, 0)},
	}
	return append(list, probesHere()...)
}

// mapInPieces maps more than the cap allows, each piece within the longest mapping.
func mapInPieces() syscall.Errno {
	for range 64 {
		errno := call(unix.SYS_MMAP, 0, 8<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON, cwd)()
		if errno != 0 {
			return errno
		}
	}
	return 0
}
