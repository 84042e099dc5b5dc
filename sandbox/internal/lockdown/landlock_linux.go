package lockdown

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// landlockRights gives every right that this version of the kernel's interface can take away.
func landlockRights(abi int) unix.LandlockRulesetAttr {
	const files = unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1 // all rights of the first version
	a := unix.LandlockRulesetAttr{Handled_access_fs: files}
	if abi >= 2 {
		a.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if abi >= 3 {
		a.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= 4 {
		a.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if abi >= 5 {
		a.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi >= 6 {
		a.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
	}
	if abi >= 7 { // before, a scope cut off the runtime's own signals between threads
		a.Scoped |= unix.LANDLOCK_SCOPE_SIGNAL
	}
	return a
}

// landlock puts all threads into a domain that allows nothing.
func landlock() (abi int, err error) {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, errno
	}
	abi = int(v)
	rights := landlockRights(abi)
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rights)), unsafe.Sizeof(rights), 0)
	runtime.KeepAlive(&rights)
	if errno != 0 {
		return abi, errno
	}
	defer unix.Close(int(fd))
	return abi, allThreads(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0)
}
