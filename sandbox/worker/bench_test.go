package worker

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/exec-ext/exec-ext/sandbox"
	"github.com/exec-ext/exec-ext/sandbox/internal/lockdown"
	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

func BenchmarkNewEngine(b *testing.B) {
	for b.Loop() {
		newEngine()
	}
}

// The worker's own share of a run: strip, compile, run, answer.
func BenchmarkTinyScript(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		e := newEngine()
		e.attach(&link{out: io.Discard}, wire.StartHead{Prefix: "mcp__", Namespace: "$codemode", Search: "search", LogChars: 1})
		b.StartTimer()
		if _, fail := e.run("return 1"); fail != nil {
			b.Fatal(fail.Message)
		}
	}
}

// asWorker runs a benchmark with a worker's collector.
func asWorker(b *testing.B) {
	before := debug.SetGCPercent(lockdown.GCPercent)
	b.Cleanup(func() { debug.SetGCPercent(before) })
}

// One nested call with both ends of the link in this process: frames, conversion both ways, promise.
func BenchmarkNestedCall(b *testing.B) {
	asWorker(b)
	h := host{tools: map[string]func(json.RawMessage) sandbox.Reply{"mcp__s__echo": echo}}
	h.run(b, fmt.Sprintf("for (let i = 0; i < %d; i++) await tools.mcp__s__echo({ id: i, text: 'abc' });", b.N))
}

// rows is about 1 MB of JSON as a tool would return it.
func rows() string {
	var b strings.Builder
	b.WriteString(`{"rows":[`)
	for i := 0; b.Len() < 1<<20; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"status":"open","amount":%d.5,"title":"Issue number %d","labels":["a","b%d"],"owner":{"name":"ö"}}`, i, i*7919%1000, i, i%10)
	}
	b.WriteString(`]}`)
	return b.String()
}

func BenchmarkResultIn1MB(b *testing.B) {
	asWorker(b)
	e := newEngine()
	raw := []byte(rows())
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		d := decoder{realm: e.realm, bigs: e.bigs}
		if _, err := d.decode(raw); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReturnOut1MB(b *testing.B) {
	asWorker(b)
	e := newEngine()
	raw := []byte(rows())
	d := decoder{realm: e.realm, bigs: e.bigs}
	v, err := d.decode(raw)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		c := encoder{realm: e.realm, limit: 64 << 20}
		if err := c.encode(v); err != nil {
			b.Fatal(err)
		}
		if len(c.out) != len(raw) {
			b.Fatalf("%d bytes out, %d in", len(c.out), len(raw))
		}
	}
}

// lines is a script of n lines as models write them.
func lines(n int) string {
	return strings.Repeat("const f = async (a: number, b?: string): Promise<string> => { const r = `${a}-${b ?? 'x'}`; return r.trim(); };\n", 1) +
		strings.Repeat("for (const x of [1, 2, 3]) { if (x > 1) console.log(await f(x, `v${x}`), { x, y: [x, x * 2] }); } // a line of usual length\n", n-1)
}

func BenchmarkCompile20Lines(b *testing.B) {
	text := lines(20)
	for b.Loop() {
		if _, fail := compile(text, "mcp__"); fail != nil {
			b.Fatal(fail.Message)
		}
	}
}

func BenchmarkCompile128KiB(b *testing.B) {
	text := lines((128 << 10) / 122)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, fail := compile(text, "mcp__"); fail != nil {
			b.Fatal(fail.Message)
		}
	}
}

func BenchmarkRecursion(b *testing.B) {
	for b.Loop() {
		host{}.run(b, "const fib = (n) => n < 2 ? n : fib(n - 1) + fib(n - 2); return fib(20)")
	}
}
