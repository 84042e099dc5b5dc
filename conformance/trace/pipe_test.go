//go:build unix

package trace

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A file that takes nothing, here a pipe that nobody reads, costs messages and not the host's time.
func TestRecorder_NeverWaitsForTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip("no named pipes:", err)
	}
	reader, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Open(path, "1", false)
	if err != nil {
		t.Fatal(err)
	}
	frame := bytes.Repeat([]byte("x"), 1<<20)
	began := time.Now()
	for range 3 * maxWaitingBytes >> 20 {
		r.Trace("in", frame)
	}
	r.Close()
	if took := time.Since(began); took > closePatience+20*time.Second {
		t.Errorf("it took %s", took)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bytes > maxWaitingBytes {
		t.Errorf("%d bytes are kept", r.bytes)
	}
	reader.Close()
}
