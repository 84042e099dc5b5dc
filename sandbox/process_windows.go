package sandbox

import (
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// workerEnv is the environment of a worker; os/exec adds SYSTEMROOT, without which Windows starts little.
func workerEnv() []string { return []string{"GOMAXPROCS=2", "TZ=UTC", "GOTRACEBACK=none"} }

func workerDir() string { return os.Getenv("SYSTEMROOT") }

// passAlive hands the liveness pipe to the worker and tells it the handle.
func passAlive(cmd *exec.Cmd, alive *os.File, setup *wire.Setup) {
	h := windows.Handle(alive.Fd())
	if windows.SetHandleInformation(h, windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT) != nil {
		return // the worker then reports that it has no liveness pipe
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.AdditionalInheritedHandles = append(cmd.SysProcAttr.AdditionalInheritedHandles, syscall.Handle(h))
	setup.Alive = uintptr(h)
}

// Signals that tell why a worker died: Windows has none.
const (
	violation = syscall.Signal(-1)
	killed    = syscall.Signal(-2)
)

func signalOf(*os.ProcessState) syscall.Signal { return 0 }

// A meter reads the private memory of one process: what it has committed.
type meter struct{ process windows.Handle }

var procGetMemory = windows.NewLazySystemDLL("kernel32.dll").NewProc("K32GetProcessMemoryInfo")

// memoryCounters is PROCESS_MEMORY_COUNTERS_EX.
type memoryCounters struct {
	Size, PageFaultCount                             uint32
	PeakWorkingSet, WorkingSet                       uintptr
	PeakPagedPool, PagedPool, PeakNonPaged, NonPaged uintptr
	Pagefile, PeakPagefile, Private                  uintptr
}

func newMeter(cmd *exec.Cmd) (*meter, error) {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION|windows.PROCESS_VM_READ, false, uint32(cmd.Process.Pid))
	if err != nil {
		return nil, err
	}
	return &meter{h}, procGetMemory.Find()
}

// bytes gives the committed private memory; 0 if the process is gone.
func (m *meter) bytes() int64 {
	var c memoryCounters
	c.Size = uint32(unsafe.Sizeof(c))
	if ok, _, _ := procGetMemory.Call(uintptr(m.process), uintptr(unsafe.Pointer(&c)), uintptr(c.Size)); ok == 0 {
		return 0
	}
	return int64(max(c.Private, c.Pagefile)) // the same by two names, of which a system may fill in one
}

func (m *meter) close() { _ = windows.CloseHandle(m.process) }
