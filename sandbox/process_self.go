//go:build !linux

package sandbox

import (
	"os"
	"os/exec"
)

// selfCommand starts the file this program was started from.
func selfCommand() *exec.Cmd {
	self, err := os.Executable()
	cmd := exec.Command(self, "worker")
	if err != nil {
		cmd.Err = err
	}
	return cmd
}
