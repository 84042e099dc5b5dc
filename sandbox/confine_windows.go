package sandbox

import (
	"errors"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// A confinement is what the parent does around one worker. Nothing of it has been tried on Windows; job and token
// are used only where that is asked for.
type confinement struct {
	layers []Layer
	token  windows.Token
	job    windows.Handle
}

const offText = "off: no run on this system has proven it"

func confine(cmd *exec.Cmd, setup wire.Setup) *confinement {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.HideWindow = true
	cmd.SysProcAttr.CreationFlags |= windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW
	c := &confinement{layers: []Layer{
		{ID: "process", Active: true, Detail: "one for each script"},
		{ID: "kill", Active: true, Detail: "by either clock, on cancel, on a hostile frame"},
		{ID: "memory_watch", Active: true, Detail: "private memory, by the parent"},
		{ID: "empty_env", Active: true},
	}}
	if !setup.TryUnproven {
		c.note("restricted_token", errors.New(offText))
		c.note("job_object", errors.New(offText))
		return c
	}
	token, err := lowToken()
	if c.note("restricted_token", err) {
		c.token = token
		cmd.SysProcAttr.Token = syscall.Token(token)
	}
	c.job, err = newJob(setup.MemoryBytes)
	if err != nil {
		c.note("job_object", err)
	}
	return c
}

func (c *confinement) note(id string, err error) (active bool) {
	l := Layer{ID: id, Active: err == nil}
	if err != nil {
		l.Detail = err.Error()
	}
	c.layers = append(c.layers, l)
	return l.Active
}

// started puts the worker into its job while it is still trusted: it has seen no script yet.
func (c *confinement) started(cmd *exec.Cmd) {
	if c.job == 0 {
		return
	}
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(cmd.Process.Pid))
	if err == nil {
		err = windows.AssignProcessToJobObject(c.job, h)
		_ = windows.CloseHandle(h)
	}
	c.note("job_object", err)
}

func (c *confinement) release() {
	if c.token != 0 {
		_ = c.token.Close()
	}
	if c.job != 0 {
		_ = windows.CloseHandle(c.job)
	}
}

// goCommit is room for what the Go runtime of a worker commits before a script comes.
const goCommit = 128 << 20

// newJob makes a job whose end kills its one process, which may commit only so much and sees no desktop.
func newJob(memory int64) (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{ProcessMemoryLimit: uintptr(goCommit + memory + memory/4)}
	limits.BasicLimitInformation.ActiveProcessLimit = 1
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS |
		windows.JOB_OBJECT_LIMIT_PROCESS_MEMORY | windows.JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		ui := windows.JOBOBJECT_BASIC_UI_RESTRICTIONS{UIRestrictionsClass: windows.JOB_OBJECT_UILIMIT_DESKTOP |
			windows.JOB_OBJECT_UILIMIT_DISPLAYSETTINGS | windows.JOB_OBJECT_UILIMIT_EXITWINDOWS |
			windows.JOB_OBJECT_UILIMIT_GLOBALATOMS | windows.JOB_OBJECT_UILIMIT_HANDLES |
			windows.JOB_OBJECT_UILIMIT_READCLIPBOARD | windows.JOB_OBJECT_UILIMIT_SYSTEMPARAMETERS |
			windows.JOB_OBJECT_UILIMIT_WRITECLIPBOARD}
		_, err = windows.SetInformationJobObject(job, windows.JobObjectBasicUIRestrictions,
			uintptr(unsafe.Pointer(&ui)), uint32(unsafe.Sizeof(ui)))
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return 0, err
	}
	return job, nil
}

var procRestrictToken = windows.NewLazySystemDLL("advapi32.dll").NewProc("CreateRestrictedToken")

// lowToken gives this process's token without its privileges, at low integrity: it can change next to nothing.
func lowToken() (windows.Token, error) {
	const disableMaxPrivilege = 1
	var own windows.Token
	access := uint32(windows.TOKEN_DUPLICATE | windows.TOKEN_QUERY | windows.TOKEN_ASSIGN_PRIMARY | windows.TOKEN_ADJUST_DEFAULT)
	if err := windows.OpenProcessToken(windows.CurrentProcess(), access, &own); err != nil {
		return 0, err
	}
	defer own.Close()
	if err := procRestrictToken.Find(); err != nil {
		return 0, err
	}
	var restricted windows.Token
	ok, _, err := procRestrictToken.Call(uintptr(own), disableMaxPrivilege, 0, 0, 0, 0, 0, 0, uintptr(unsafe.Pointer(&restricted)))
	if ok == 0 {
		return 0, err
	}
	sid, err := windows.CreateWellKnownSid(windows.WinLowLabelSid)
	if err == nil {
		label := windows.Tokenmandatorylabel{Label: windows.SIDAndAttributes{Sid: sid, Attributes: windows.SE_GROUP_INTEGRITY}}
		err = windows.SetTokenInformation(restricted, windows.TokenIntegrityLevel, (*byte)(unsafe.Pointer(&label)), label.Size())
	}
	if err != nil {
		restricted.Close()
		return 0, err
	}
	return restricted, nil
}
