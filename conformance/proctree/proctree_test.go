package proctree

import (
	"os"
	"os/exec"
	"testing"
)

func TestBelow_FindsAChildAndSeesItsEnd(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("no /proc here")
	}
	cmd := exec.Command("cat")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var child *Process
	for _, p := range Below(os.Getpid()) {
		if p.PID == cmd.Process.Pid {
			child = &p
		}
	}
	if child == nil || !child.Alive() || Resident(os.Getpid()) < 1<<20 {
		t.Errorf("child %+v, %d bytes", child, Resident(os.Getpid()))
	}
	stdin.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if child != nil && child.Alive() {
		t.Error("it is alive after its end")
	}
	if Resident(cmd.Process.Pid) != 0 || len(Below(cmd.Process.Pid)) != 0 {
		t.Error("a process that is gone uses memory or has children")
	}
}
