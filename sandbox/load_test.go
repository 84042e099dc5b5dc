package sandbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/exec-ext/exec-ext/sandbox"
)

// echoHost answers every call with its own arguments.
func echoHost() *testHost {
	return &testHost{begin: func(_ context.Context, c sandbox.Call) sandbox.Reply { return sandbox.Reply{Value: c.Args} }}
}

// TestN7_TwoHundredAtOnce runs 200 scripts, of which 20 spin and 20 allocate, and wants every answer right and
// nothing left.
func TestN7_TwoHundredAtOnce(t *testing.T) {
	const all = 200
	r := realWorkers(t, 2)
	before := heapInUse()
	outs := make([]sandbox.Outcome, all)
	var wg sync.WaitGroup
	for i := range all {
		wg.Go(func() {
			l := limits()
			l.Wall, l.Active = 2*time.Minute, time.Minute // an honest script on a loaded machine
			code := `let sum = 0; for (let i = 0; i < 10; i++) sum += (await tools.mcp__a__echo({ n: ` + strconv.Itoa(i) + ` })).n; return sum;`
			switch i % 10 {
			case 0:
				l.Active = 2 * time.Second
				code = `for (;;);`
			case 1:
				l.MemoryBytes = 64 << 20
				code = `const a = []; for (let i = 0; ; i++) a.push("x".repeat(1e5) + i);`
			}
			outs[i] = r.Run(t.Context(), engineJob(code, l), echoHost())
		})
	}
	wg.Wait()
	for i, out := range outs {
		switch i % 10 {
		case 0:
			wantFailure(t, out, sandbox.KindTimeout, "budget")
		case 1:
			wantFailure(t, out, sandbox.KindMemory, "out of memory")
		default:
			wantValue(t, out, strconv.Itoa(10*i))
		}
	}
	if _, live := r.Workers(); live != 0 {
		t.Errorf("%d workers live", live)
	}
	outs = nil
	eventually(t, "memory is held", func() bool { return heapInUse() < before+16<<20 })
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

func TestSparesAreUsedAndReplaced(t *testing.T) {
	r := newRunner(t, sandbox.Options{Command: command("fake"), Spare: 2})
	twoReady := func() bool { spare, live := r.Workers(); return spare == 2 && live == 0 }
	eventually(t, "no two spares", twoReady)
	for range 5 {
		wantValue(t, r.Run(t.Context(), sandbox.Job{Code: "value 1", Limits: limits()}, &testHost{}), "1")
		eventually(t, "the spare was not replaced", twoReady)
	}
	l := limits()
	l.MemoryBytes = 64 << 20 // another cap: the spares do not fit
	wantValue(t, r.Run(t.Context(), sandbox.Job{Code: "value 2", Limits: l}, &testHost{}), "2")
	eventually(t, "no two spares with the new cap", twoReady)
}

func TestARunnerWithoutRunsStartsOnlySpares(t *testing.T) {
	newRunner(t, sandbox.Options{Command: command("fake")}).Close()
	r := newRunner(t, sandbox.Options{Command: command("fake"), Spare: 1})
	r.Close()
	out := r.Run(t.Context(), sandbox.Job{Code: "value 1", Limits: limits()}, &testHost{})
	wantFailure(t, out, sandbox.KindInternal, "could not be started")
}

// TestHostilePayloadsAtOnce mixes honest and misbehaving workers, each of which must end as it does alone.
func TestHostilePayloadsAtOnce(t *testing.T) {
	r := newRunner(t, sandbox.Options{Command: command("fake"), Spare: 2})
	acts := []string{"exit 3", "raw nonsense and more of it than a header", "callids 1 1", "namesflood", "huge", "signal 9", "closed", "stderrflood"}
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			if i%2 == 0 {
				out := r.Run(t.Context(), sandbox.Job{Code: fmt.Sprintf("call {\"n\":%d}", i), Limits: limits()}, echoHost())
				var got []string
				if json.Unmarshal(out.Value, &got) != nil || len(got) != 3 || !strings.Contains(got[2], strconv.Itoa(i)) {
					t.Errorf("run %d: %s %+v", i, out.Value, out.Failure)
				}
				return
			}
			act := acts[i/2%len(acts)]
			wantFailure(t, r.Run(t.Context(), sandbox.Job{Code: act, Limits: limits()}, echoHost()), sandbox.KindCrash, "remain in effect")
		})
	}
	wg.Wait()
}
