package sandbox

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// selfCommand starts this very binary: the link stays right when the file on disk has been replaced.
func selfCommand() *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", "worker")
	cmd.Args[0] = "exec-ext"
	return cmd
}

// A confinement is what the parent does around one worker.
type confinement struct{ layers []Layer }

// confine sets what must be said before the start: the parent's death ends the worker, and a terminal's Ctrl-C is
// not for the worker.
func confine(cmd *exec.Cmd, _ wire.Setup) *confinement {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	cmd.SysProcAttr.Setpgid = true
	return &confinement{[]Layer{
		{ID: "process", Active: true, Proven: true, Detail: "one for each script"},
		{ID: "kill", Active: true, Proven: true, Detail: "by either clock, on cancel, on a hostile frame"},
		{ID: "memory_watch", Active: true, Proven: true, Detail: "anonymous memory, by the parent"},
		{ID: "empty_env", Active: true, Proven: true},
		{ID: "parent_death_signal", Active: true, Proven: true},
	}}
}

func (*confinement) started(*exec.Cmd) {}
func (*confinement) release()          {}

// A meter reads the anonymous memory of one process.
type meter struct {
	statm *os.File
	buf   [128]byte
}

func newMeter(cmd *exec.Cmd) (*meter, error) {
	f, err := os.Open("/proc/" + strconv.Itoa(cmd.Process.Pid) + "/statm")
	return &meter{statm: f}, err
}

// bytes gives resident less shared (file-backed) memory; 0 if the process is gone.
func (m *meter) bytes() int64 {
	n, _ := m.statm.ReadAt(m.buf[:], 0)
	fields := bytes.Fields(m.buf[:n])
	if len(fields) < 3 {
		return 0
	}
	resident, _ := strconv.ParseInt(string(fields[1]), 10, 64)
	shared, _ := strconv.ParseInt(string(fields[2]), 10, 64)
	return (resident - shared) * int64(os.Getpagesize())
}

func (m *meter) close() { m.statm.Close() }
