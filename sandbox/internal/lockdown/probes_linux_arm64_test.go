package lockdown

import "golang.org/x/sys/unix"

const statNumber = unix.SYS_FSTATAT

func probesHere() []probe { return nil }
