package sandbox_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/exec-ext/exec-ext/sandbox"
)

// BenchmarkLiveWorker is what an idle worker holds: resident, and of that not shared with other workers.
func BenchmarkLiveWorker(b *testing.B) {
	before := children(os.Getpid())
	r := realWorkers(b, 1)
	awaitSpare(b, r, 1)
	pid := oneChild(b, os.Getpid(), before)
	var resident, own float64
	for b.Loop() {
		resident, own = memoryOf(b, pid)
	}
	b.ReportMetric(resident, "MB/resident")
	b.ReportMetric(own, "MB/own")
}

func memoryOf(b *testing.B, pid int) (resident, own float64) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		b.Fatal(err)
	}
	var size, res, shared float64
	fmt.Sscan(string(raw), &size, &res, &shared)
	page := float64(os.Getpagesize()) / 1e6
	return res * page, (res - shared) * page
}

// BenchmarkIsolation is a start up to the report, which includes every layer and its probes.
func BenchmarkIsolation(b *testing.B) {
	for b.Loop() {
		r := sandbox.NewRunner(sandbox.Options{Command: command("worker")})
		if _, err := r.Isolation(b.Context()); err != nil {
			b.Fatal(err)
		}
		r.Close()
	}
}
