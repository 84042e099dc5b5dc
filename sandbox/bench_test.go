package sandbox_test

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/exec-ext/exec-ext/sandbox"
)

// runWith runs a script b.N times and gives the outcomes' wall times, the shortest first.
func runWith(b *testing.B, r *sandbox.Runner, spare int, job sandbox.Job) (wall []time.Duration) {
	for b.Loop() {
		b.StopTimer()
		awaitSpare(b, r, spare)
		b.StartTimer()
		out := r.Run(context.Background(), job, echoHost())
		if out.Failure != nil {
			b.Fatalf("%+v", *out.Failure)
		}
		wall = append(wall, out.Stats.Wall)
	}
	slices.Sort(wall)
	return wall
}

// median reports the middle one: one run in ten meets a processor that does something else.
func median(b *testing.B, sorted []time.Duration, unit string) {
	b.ReportMetric(float64(sorted[len(sorted)/2].Microseconds())/1000, unit)
}

func awaitSpare(b *testing.B, r *sandbox.Runner, spare int) {
	eventually(b, "no spare", func() bool { n, _ := r.Workers(); return n >= spare })
}

func perOp(b *testing.B, d time.Duration, unit string) {
	b.ReportMetric(float64(d.Microseconds())/1000/float64(b.N), unit)
}

// BenchmarkColdStart is from nothing to the result, and the worker gone.
func BenchmarkColdStart(b *testing.B) {
	r := realWorkers(b, 0)
	runWith(b, r, 0, engineJob("return 1", limits()))
}

// BenchmarkWarmHandOver is the same with a spare; "ms/handover", the median, is from the script's hand-over to its result.
func BenchmarkWarmHandOver(b *testing.B) {
	r := realWorkers(b, 1)
	median(b, runWith(b, r, 1, engineJob("return 1", limits())), "ms/handover")
}

// BenchmarkNestedCalls is one script with 100 calls, one after the other.
func BenchmarkNestedCalls(b *testing.B) {
	r := realWorkers(b, 1)
	code := "let n = 0; for (let i = 0; i < 100; i++) n += (await tools.mcp__a__b({ i })).i; return n;"
	median(b, runWith(b, r, 1, engineJob(code, limits())), "ms/script")
}

// BenchmarkKill is from a budget's end to the failed result with the worker gone, for each stall that the budget ends:
// "ms/over" on average, "ms/worst" at most, and of that "ms/kill" from the decision to kill to the worker's being gone.
func BenchmarkKill(b *testing.B) {
	r := realWorkers(b, 1)
	l := limits()
	l.Active, l.Wall = 300*time.Millisecond, 300*time.Millisecond
	for _, name := range slices.Sorted(maps.Keys(stalls)) {
		b.Run(name, func(b *testing.B) {
			var over, worst, kill time.Duration
			for b.Loop() {
				awaitSpare(b, r, 1)
				began := time.Now()
				out := r.Run(context.Background(), engineJob(stalls[name], l), echoHost())
				d := time.Since(began)
				kill += d - out.Stats.Wall
				d = max(0, d-l.Wall)
				over, worst = over+d, max(worst, d)
			}
			perOp(b, over, "ms/over")
			perOp(b, kill, "ms/kill")
			b.ReportMetric(float64(worst.Microseconds())/1000, "ms/worst")
		})
	}
}
