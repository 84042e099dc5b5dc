//go:build unix && !linux

package sandbox

import (
	"os/exec"
	"syscall"

	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// A confinement is what the parent does around one worker. Nothing of it has been tried on such a system.
type confinement struct{ layers []Layer }

// confine keeps a terminal's Ctrl-C from the worker.
func confine(cmd *exec.Cmd, _ wire.Setup) *confinement {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	return &confinement{[]Layer{
		{ID: "process", Active: true, Detail: "one for each script"},
		{ID: "kill", Active: true, Detail: "by either clock, on cancel, on a hostile frame"},
		watchLayer,
		{ID: "empty_env", Active: true},
	}}
}

func (*confinement) started(*exec.Cmd) {}
func (*confinement) release()          {}
