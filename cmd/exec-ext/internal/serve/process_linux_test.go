package serve

import (
	"os/exec"
	"testing"
	"time"
)

// A host that was killed, and whose parent does not wait for it, is gone.
func TestProcessAlive(t *testing.T) {
	c := exec.Command("cat")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	pid := c.Process.Pid
	if !processAlive(pid) || !processAlive(1) {
		t.Error("a running process is not alive")
	}
	in.Close()
	for deadline := time.Now().Add(10 * time.Second); processAlive(pid); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("an ended process that nobody has waited for is alive")
		}
	}
	if err := c.Wait(); err != nil {
		t.Fatal(err)
	}
	if processAlive(pid) {
		t.Error("a process that is no more is alive")
	}
}
