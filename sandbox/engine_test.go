package sandbox_test

import (
	"strings"
	"testing"
	"time"

	"github.com/exec-ext/exec-ext/sandbox"
)

// engineJob is a script for the real worker.
func engineJob(code string, l sandbox.Limits) sandbox.Job {
	return sandbox.Job{Code: code, Limits: l, Namespace: "$codemode", Search: "search", Prefix: "mcp__"}
}

// realWorkers gives a Runner of real workers.
func realWorkers(t testing.TB, spare int) *sandbox.Runner {
	t.Helper()
	if raceDetector {
		t.Skip("the race detector's runtime does not fit into a locked worker")
	}
	return newRunner(t, sandbox.Options{Command: command("worker"), Spare: spare})
}

// stalls are native stalls: work inside one built-in function, where no engine looks at a flag. Some end by
// themselves on a fast machine or run out of memory first; none may run past the budget.
var stalls = map[string]string{
	"sync loop":                  `while (true);`,
	"try catch finally loop":     `while (true) { try { for (;;) {} } catch (e) {} finally { for (;;) {} } }`,
	"loop after await":           `await 1; for (;;) {}`,
	"loop after a call":          `await tools.mcp__a__b({}); for (;;) {}`,
	"microtask ping-pong":        `const f = () => Promise.resolve().then(f); await f();`,
	"async recursion":            `for (;;) await null;`,
	"generator spread":           `[...(function* () { for (;;) yield 1; })()]`,
	"toJSON loop":                `JSON.stringify({ toJSON() { for (;;); } })`,
	"proxy trap":                 `Array.from(new Proxy([], { get() { for (;;); } }))`,
	"sort comparator":            `[3, 2, 1].sort(() => { for (;;); })`,
	"replace callback":           `"x".replace(/x/, () => { for (;;); })`,
	"getter":                     `({ get x() { for (;;); } }).x`,
	"valueOf":                    `+{ valueOf() { for (;;); } }`,
	"repeat":                     `"a".repeat(2 ** 29).length`,
	"repeat two bytes":           `"é".repeat(2 ** 29).length`,
	"padEnd":                     `"abc".padEnd(2 ** 30).length`,
	"regex look-ahead":           `/(?=a)(a+)+$/.test("a".repeat(40) + "b")`,
	"regex look-behind":          `/(?<=x)(a+)+$/.test("x" + "a".repeat(40) + "b")`,
	"regex back-reference":       `/(a+)+\1$/.test("a".repeat(40) + "b")`,
	"regex from lastIndex":       `const r = /(a+)+$/g; r.lastIndex = 1; r.test("a".repeat(40) + "b")`,
	"regex product":              `"a".repeat(1e6).replace(/(a{0,1000}){0,1000}b/g, "")`,
	"replaceAll blow-up":         `"a".repeat(1e6).replaceAll("a", "b".repeat(1e4)).length`,
	"split":                      `"a".repeat(2e7).split("").length`,
	"sort without comparator":    `Array.from({ length: 3e6 }, (_, i) => i * 7919 % 3e6).sort().length`,
	"sort bound comparator":      `Array.from({ length: 1e6 }, (_, i) => "" + i).sort(String.prototype.localeCompare.call.bind(String.prototype.localeCompare)).length`,
	"stringify wide":             `JSON.stringify(Array.from({ length: 2e6 }, () => ({ a: 1 }))).length`,
	"stringify exponential":      `let o = {}; for (let i = 0; i < 60; i++) o = { a: o, b: o }; JSON.stringify(o)`,
	"parse large":                `JSON.parse("[" + "1,".repeat(3e7) + "1]").length`,
	"fill":                       `Array(1e9).fill(0).length`,
	"from length":                `Array.from({ length: 1e9 }).length`,
	"join":                       `Array(1e8).join("x").length`,
	"concat self":                `let a = [1, 2, 3]; for (;;) a = a.concat(a);`,
	"typed array fill and sort":  `new Uint8Array(1e9).fill(1).sort().length`,
	"indexOf huge length":        `Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)`,
	"reverse huge length":        `Array.prototype.reverse.call({ length: 2 ** 53 - 1 })`,
	"includes huge length":       `Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)`,
	"apply huge list":            `Math.max.apply(null, { length: 4e8 })`,
	"bigint power":               `3n ** (10n ** 8n) > 0n`,
	"bigint power of two":        `2n ** (2n ** 40n) > 0n`,
	"bigint shift":               `let n = 10n ** 10n; 1n << n`,
	"bigint folded when parsed":  `if (false) { 1n << (10n ** 10n) } 3n ** (10n ** 9n)`,
	"bigint text":                `(2n ** 20000000n).toString().length`,
	"bigint from text":           `BigInt("9".repeat(1e7)) > 0n`,
	"bigint product":             `let b = 3n; for (;;) b = (b * b) % (2n ** 4096n);`,
	"upper case":                 `"a".repeat(2e8).toUpperCase().length`,
	"encodeURIComponent":         `encodeURIComponent("é".repeat(5e7)).length`,
	"normalize":                  `"e\u0301".repeat(1e7).normalize("NFC").length`,
	"localeCompare":              `"a".repeat(1e7).localeCompare("a".repeat(1e7) + "b")`,
	"compile nested groups":      `new RegExp("(".repeat(1e5) + ")".repeat(1e5))`,
	"deep recursion by callback": `const f = () => [1].map(f); f()`,
	"deep recursion by getter":   `const o = { get x() { return this.x; } }; o.x`,
	"deep recursion by toString": `const o = { toString() { return "" + this; } }; "" + o`,
	"deep parse":                 `JSON.parse("[".repeat(2e7))`,
	"deep stringify":             `let a = []; for (let i = 0; i < 1e6; i++) a = [a]; JSON.stringify(a)`,
	"deep flat":                  `let a = []; for (let i = 0; i < 1e6; i++) a = [a]; a.flat(Infinity)`,
	"deep text of arrays":        `let a = []; for (let i = 0; i < 1e6; i++) a = [a]; String(a)`,
	"deep bind":                  `let f = () => 1; for (let i = 0; i < 1e6; i++) f = f.bind(null); f()`,
	"deep proxies":               `let p = {}; for (let i = 0; i < 1e6; i++) p = new Proxy(p, {}); p.x`,
	"deep prototypes":            `let o = {}; for (let i = 0; i < 1e6; i++) o = Object.create(o); o.x`,
	"deep source":                strings.Repeat("(", 50000),
	"deep arrays in the source":  "return " + strings.Repeat("[", 60000) + strings.Repeat("]", 60000),
	"deep value returned":        `let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a;`,
	"deep argument":              `let a = []; for (let i = 0; i < 1e5; i++) a = [a]; await tools.mcp__a__b({ a });`,
	"array pushed for ever":      `const a = []; for (;;) a.push({ a: 1 });`,
	"pending promises":           `for (;;) new Promise(() => {});`,
	"log flood":                  `for (;;) console.log("x".repeat(1000));`,
	"calls without end":          `for (;;) tools.mcp__a__b({}).catch(() => {});`,
	"endless names":              `for (;;) Object.keys(tools);`,
	"never settles":              `await new Promise(() => {});`,
	"cyclic await":               `let r; const p = new Promise((x) => { r = x; }); p.then(() => {}); await p;`,
}

// TestS4_1_NativeStalls runs every stall and allows it its budget and two seconds of a busy machine.
func TestS4_1_NativeStalls(t *testing.T) {
	r := realWorkers(t, 1)
	l := limits()
	l.Active, l.Wall, l.MemoryBytes = 250*time.Millisecond, 10*time.Second, 128<<20
	for name, code := range stalls {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			out := r.Run(t.Context(), engineJob(code, l), &testHost{})
			took := time.Since(began)
			if took > l.Active+2*time.Second {
				t.Errorf("took %v", took)
			}
			checkEnd(t, out)
			if _, live := r.Workers(); live != 0 {
				t.Errorf("%d workers live", live)
			}
			t.Logf("%v, %d MiB: %s", took.Round(time.Millisecond), out.Stats.PeakMemoryBytes>>20, endOf(out))
		})
	}
	out := r.Run(t.Context(), engineJob("return 1 + 1", limits()), &testHost{})
	wantValue(t, out, "2")
}

// checkEnd wants an end that a script can have caused, in a sentence, without a number of ours.
func checkEnd(t *testing.T, out sandbox.Outcome) {
	t.Helper()
	f := out.Failure
	if f == nil {
		return
	}
	switch f.Kind {
	case sandbox.KindTimeout, sandbox.KindMemory, sandbox.KindScript, sandbox.KindStalled, sandbox.KindSyntax, sandbox.KindUnserializable:
	default:
		t.Errorf("failure %+v", *f)
	}
	if !strings.Contains(f.Message, " ") {
		t.Errorf("no sentence: %q", f.Message)
	}
}

func endOf(out sandbox.Outcome) string {
	if out.Failure == nil {
		v := string(out.Value)
		return "value " + v[:min(len(v), 40)]
	}
	return string(out.Failure.Kind) + ": " + out.Failure.Message[:min(len(out.Failure.Message), 60)]
}

func TestS4_3_NeverSettlesIsKnownAtOnce(t *testing.T) {
	r := realWorkers(t, 0)
	for _, code := range []string{`await new Promise(() => {})`, `await Promise.race([])`, `let p; p = (async () => { await null; await p; })(); await p;`} {
		began := time.Now()
		out := r.Run(t.Context(), engineJob(code, limits()), &testHost{})
		wantFailure(t, out, sandbox.KindStalled, "promise")
		if d := time.Since(began); d > 3*time.Second {
			t.Errorf("known after %v", d)
		}
	}
}
