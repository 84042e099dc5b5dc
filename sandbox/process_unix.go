//go:build unix

package sandbox

import (
	"os"
	"os/exec"

	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// workerEnv is the whole environment of a worker. GOMAXPROCS keeps the runtime from re-reading cgroup files and
// TZ keeps it from opening the zone file, both of which the lock-down would refuse at a random moment.
func workerEnv() []string { return []string{"GOMAXPROCS=2", "TZ=UTC", "GOTRACEBACK=none"} }

func workerDir() string { return "/" }

// passAlive hands the liveness pipe to the worker, as the first descriptor after the standard three.
func passAlive(cmd *exec.Cmd, alive *os.File, _ *wire.Setup) {
	cmd.ExtraFiles = []*os.File{wire.AliveFD - 3: alive}
}
