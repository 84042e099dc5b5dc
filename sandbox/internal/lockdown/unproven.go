//go:build darwin || windows

package lockdown

import "errors"

var errOff = errors.New("off: no run on this system has proven it")
