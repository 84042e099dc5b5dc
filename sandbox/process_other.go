//go:build !linux && !darwin && !windows

package sandbox

import (
	"errors"
	"os/exec"
)

var watchLayer = Layer{ID: "memory_watch", Detail: "no way to read a process's memory is known here"}

// A meter reads nothing on this system.
type meter struct{}

func newMeter(*exec.Cmd) (*meter, error) { return nil, errors.New("not on this system") }
func (*meter) bytes() int64              { return 0 }
func (*meter) close()                    {}
