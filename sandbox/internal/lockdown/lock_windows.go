package lockdown

import (
	"os"
	"os/exec"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/windows"
)

// The mitigation policies that a worker puts on itself: PROCESS_MITIGATION_POLICY and the flag to set.
var policies = []struct {
	id     string
	policy uintptr
	flags  uint32
}{
	{"no_child_processes", 13, 1}, // ProcessChildProcessPolicy, NoChildProcessCreation
	{"no_dynamic_code", 2, 1},     // ProcessDynamicCodePolicy, ProhibitDynamicCode
	{"no_win32k", 4, 1},           // ProcessSystemCallDisablePolicy, DisallowWin32kSystemCalls
	{"no_extension_points", 6, 1}, // ProcessExtensionPointDisablePolicy, DisableExtensionPoints
}

// lock puts on the layers of Windows, where that is asked for: none has been tried. They stop programs and
// changes, not reading and not the network; the probe says so.
func (l *locker) lock() {
	set := windows.NewLazySystemDLL("kernel32.dll").NewProc("SetProcessMitigationPolicy")
	for _, p := range policies {
		err := errOff
		if l.setup.TryUnproven {
			err = setPolicy(set, p.policy, p.flags)
		}
		l.layer(p.id, false, "", err)
	}
	if l.setup.TryUnproven {
		l.deny("exec", refusesExec())
	}
}

func setPolicy(set *windows.LazyProc, policy uintptr, flags uint32) error {
	if err := set.Find(); err != nil {
		return err
	}
	if ok, _, err := set.Call(policy, uintptr(unsafe.Pointer(&flags)), unsafe.Sizeof(flags)); ok == 0 {
		return err
	}
	return nil
}

// refusesExec tries to run a program that does nothing.
func refusesExec() bool {
	shell := filepath.Join(os.Getenv("SYSTEMROOT"), "System32", "cmd.exe")
	return exec.Command(shell, "/c", "exit").Run() != nil
}
