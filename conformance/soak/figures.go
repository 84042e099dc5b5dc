package soak

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/exec-ext/exec-ext/conformance/proctree"
)

// A sample is what the extension's process uses at one time.
type sample struct {
	at       time.Duration
	resident int64 // bytes of the process itself
	below    int   // processes below it
	runs     int
}

// Figures are what a soak saw. It went well if Problems is empty.
type Figures struct {
	Seed     uint64
	Took     time.Duration
	Kinds    map[string]int // runs by kind of script
	Ends     map[string]int // runs by status
	Requests int            // of the host
	Calls    int            // requests of the extension
	Samples  []string
	First    int64 // resident bytes, after the warm-up
	Last     int64
	Problems []string
}

// intervals is how many samples a soak has, about.
const intervals = 20

func (s *soak) sampleUntil(ctx context.Context) {
	tick := time.NewTicker(max(s.Duration/intervals, 100*time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		s.mu.Lock()
		runs := 0
		for _, n := range s.kinds {
			runs += n
		}
		now := sample{time.Since(s.began), proctree.Resident(s.process.PID()), len(proctree.Below(s.process.PID())), runs}
		s.samples = append(s.samples, now)
		s.mu.Unlock()
		fmt.Fprintln(s.Progress, now)
	}
}

func (a sample) String() string {
	return fmt.Sprintf("%6.1f s  %6.1f MiB resident  %3d processes below  %7d runs", a.at.Seconds(), mib(a.resident), a.below, a.runs)
}

func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// What counts as flat: from a fifth of the time on the memory has not grown by more than a quarter and some room, which
// is what a garbage collector may take its time with. Less than a minute says nothing.
const (
	leastFlat = time.Minute
	flatRoom  = 16 << 20
)

func (s *soak) figures() *Figures {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := &Figures{Seed: s.Seed, Took: time.Since(s.began), Kinds: s.kinds, Ends: s.ends, Problems: s.problems}
	f.Requests, f.Calls = s.wire.counts()
	for _, a := range s.samples {
		f.Samples = append(f.Samples, a.String())
	}
	n := len(s.samples)
	if n == 0 || s.samples[0].resident == 0 {
		return f
	}
	f.First, f.Last = median(s.samples[n/5:n/5+max(1, n/5)]), median(s.samples[n-max(1, n/5):])
	if s.Duration >= leastFlat && f.Last > f.First+f.First/4+flatRoom {
		f.Problems = append(f.Problems, fmt.Sprintf("memory is not flat: %.1f MiB, then %.1f MiB", mib(f.First), mib(f.Last)))
	}
	return f
}

func median(samples []sample) int64 {
	var all []int64
	for _, a := range samples {
		all = append(all, a.resident)
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// String is the whole report, for a person.
func (f *Figures) String() string {
	var b strings.Builder
	runs := 0
	for _, n := range f.Ends {
		runs += n
	}
	fmt.Fprintf(&b, "seed %d, %.1f s, %d runs (%.1f a second), %d requests of the host, %d of the extension\n",
		f.Seed, f.Took.Seconds(), runs, float64(runs)/f.Took.Seconds(), f.Requests, f.Calls)
	for _, table := range []map[string]int{f.Ends, f.Kinds} {
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(table)) {
			parts = append(parts, fmt.Sprintf("%s %d", name, table[name]))
		}
		fmt.Fprintln(&b, strings.Join(parts, ", "))
	}
	if f.First > 0 {
		fmt.Fprintf(&b, "resident memory: %.1f MiB after the warm-up, %.1f MiB in the end\n", mib(f.First), mib(f.Last))
	}
	for _, p := range f.Problems {
		fmt.Fprintln(&b, "PROBLEM", p)
	}
	if len(f.Problems) == 0 {
		fmt.Fprintln(&b, "every request answered once and with the right value, nothing left behind")
	}
	return b.String()
}
