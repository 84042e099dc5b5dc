package sandbox_test

import (
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/exec-ext/exec-ext/sandbox"
	"github.com/exec-ext/exec-ext/sandbox/worker"
)

// modes are what the test binary is besides: started with "worker" it is the real one, with "fake" the one that
// misbehaves on demand.
var modes = map[string]func() int{"worker": worker.Main, "fake": fakeWorker}

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if mode := modes[os.Args[1]]; mode != nil {
			os.Exit(mode())
		}
	}
	os.Exit(m.Run())
}

// command starts the test binary again with these arguments.
func command(args ...string) func() *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return func() *exec.Cmd { return exec.Command(self, args...) }
}

// newRunner gives a Runner that is closed at the end of the test, which then looks for anything left behind.
func newRunner(t testing.TB, o sandbox.Options) *sandbox.Runner {
	t.Helper()
	files, goroutines, processes := openFiles(), runtime.NumGoroutine(), childProcesses()
	o.Log = zerolog.New(zerolog.NewTestWriter(t))
	r := sandbox.NewRunner(o)
	t.Cleanup(func() {
		r.Close()
		if spare, live := r.Workers(); spare != 0 || live != 0 {
			t.Errorf("after Close: %d spare, %d live workers", spare, live)
		}
		eventually(t, "processes are left", func() bool { return childProcesses() <= processes })
		eventually(t, "goroutines are left", func() bool { return runtime.NumGoroutine() <= goroutines })
		eventually(t, "descriptors are left", func() bool { return openFiles() <= files+netpollFiles })
	})
	return r
}

// netpollFiles is what the Go runtime may open for itself, once, between two counts: epoll and eventfd.
const netpollFiles = 2

// openFiles counts this process's descriptors; 0 where the system does not list them.
func openFiles() int {
	entries, _ := os.ReadDir("/proc/self/fd")
	return len(entries)
}

// childProcesses counts this process's children, zombies too; 0 where nobody knows how to.
var childProcesses = func() int { return 0 }

// eventually waits for what the runtime finishes by itself, as a goroutine that has already said it is done.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(5 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			buf := make([]byte, 1<<16)
			t.Errorf("%s:\n%s", what, buf[:runtime.Stack(buf, true)])
			return
		}
		runtime.Gosched()
	}
}

func limits() sandbox.Limits {
	return sandbox.Limits{
		Wall: 30 * time.Second, Active: 20 * time.Second, MemoryBytes: 256 << 20, LogChars: 16000, FrameBytes: 1 << 20,
	}
}
