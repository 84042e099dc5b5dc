package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

func selfCommand() *exec.Cmd {
	self, err := os.Executable()
	cmd := exec.Command(self, "worker")
	if err != nil {
		cmd.Err = err
	}
	return cmd
}

// A confinement is what the parent does around one worker. Nothing of it has been tried on a Mac.
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
		{ID: "memory_watch", Active: true, Detail: "resident memory, by the parent"},
		{ID: "empty_env", Active: true},
	}}
}

func (*confinement) started(*exec.Cmd) {}
func (*confinement) release()          {}

// A meter reads the resident memory of one process.
type meter struct {
	pid  int
	info [96]byte // struct proc_taskinfo
}

const (
	sysProcInfo      = 336
	callPIDInfo      = 2
	flavorTaskInfo   = 4
	offResidentBytes = 8
)

func newMeter(cmd *exec.Cmd) (*meter, error) {
	m := &meter{pid: cmd.Process.Pid}
	if m.bytes() == 0 {
		return nil, errors.New("proc_info gives nothing")
	}
	return m, nil
}

// bytes gives the resident memory; 0 if the process is gone.
func (m *meter) bytes() int64 {
	n, _, errno := syscall.Syscall6(sysProcInfo, callPIDInfo, uintptr(m.pid), flavorTaskInfo, 0,
		uintptr(unsafe.Pointer(&m.info[0])), uintptr(len(m.info)))
	if errno != 0 || n != uintptr(len(m.info)) {
		return 0
	}
	return int64(*(*uint64)(unsafe.Pointer(&m.info[offResidentBytes])))
}

func (m *meter) close() {}
