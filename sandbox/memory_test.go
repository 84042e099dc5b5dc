package sandbox_test

import (
	"context"
	"encoding/json"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/exec-ext/exec-ext/sandbox"
)

// growths are ways to run out of memory.
var growths = map[string]string{
	"string doubling":    `let s = "x"; for (;;) s += s;`,
	"two-byte doubling":  `let s = "é"; for (;;) s += s;`,
	"fill":               `Array(1e9).fill(0)`,
	"large strings":      `const a = []; for (let i = 0; ; i++) a.push("x".repeat(1e6) + i);`,
	"small objects":      `const a = []; for (let i = 0; ; i++) a.push({ i, s: "n" + i });`,
	"object keys":        `const o = {}; for (let i = 0; ; i++) o["k" + i] = i;`,
	"map":                `const m = new Map(); for (let i = 0; ; i++) m.set("k" + i, { i });`,
	"set":                `const m = new Set(); for (let i = 0; ; i++) m.add("k" + i);`,
	"array buffer":       `new ArrayBuffer(4e9)`,
	"typed array":        `new Uint8Array(3e9).fill(1)`,
	"typed arrays":       `const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1));`,
	"repeat to 1 GiB":    `"x".repeat(2 ** 30)`,
	"concat doubling":    `let a = [1]; for (;;) a = a.concat(a);`,
	"spread doubling":    `let a = [1]; for (;;) a = [...a, ...a];`,
	"replaceAll blow-up": `"a".repeat(1e6).replaceAll("a", "b".repeat(1e4))`,
	"split":              `const a = []; for (;;) a.push("x".repeat(1e6).split(""));`,
	"stringify shared":   `let o = { s: "x".repeat(100) }; for (let i = 0; i < 40; i++) o = [o, o]; JSON.stringify(o)`,
	"microtasks":         `const f = () => { Promise.resolve().then(f); Promise.resolve().then(f); }; f(); await null;`,
	"bigint":             `let b = 2n; for (;;) b = b * b;`,
	"closures":           `const a = []; for (let i = 0; ; i++) a.push(() => i);`,
	"bound functions":    `let f = () => 1; for (;;) f = f.bind(null);`,
	"prototypes":         `let o = {}; for (;;) o = Object.create(o);`,
	"apply list":         `Math.max.apply(null, { length: 4e8 })`,
	"parse":              `const a = []; const s = "[" + "1,".repeat(1e6) + "1]"; for (;;) a.push(JSON.parse(s));`,
	"join":               `const a = Array(1e6).fill("x".repeat(1e3)); a.join("")`,
	"kept logs":          `let s = "x"; for (;;) { console.log(s.length); s += s + "y"; }`,
	"many promises":      `const a = []; for (;;) a.push(new Promise((r) => a.push(r)));`,
	"generators":         `const a = []; for (;;) { const g = (function* () { yield 1; })(); g.next(); a.push(g); }`,
	"results of calls":   `const a = []; for (;;) a.push(await tools.mcp__a__b({}));`,
}

func TestM6_GrowthEndsInAnOutOfMemorySentence(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere no kernel ceiling refuses what is mapped and never touched")
	}
	l := limits()
	l.MemoryBytes = 64 << 20
	ceiling := l.MemoryBytes + l.MemoryBytes/4 + 64<<20 // what the kernel allows, and one mapping
	host := &testHost{begin: func(context.Context, sandbox.Call) sandbox.Reply {
		return sandbox.Reply{Value: json.RawMessage(`["` + strings.Repeat("x", 1<<20) + `"]`)}
	}}
	r := realWorkers(t, 1)
	for name, code := range growths {
		t.Run(name, func(t *testing.T) {
			out := r.Run(t.Context(), engineJob(code, l), host)
			wantFailure(t, out, sandbox.KindMemory, "out of memory")
			peak := out.Stats.PeakMemoryBytes
			if peak > ceiling {
				t.Errorf("peak of %d MiB", peak>>20)
			}
			if strings.ContainsAny(out.Failure.Message, "0123456789") {
				t.Errorf("a number in %q", out.Failure.Message)
			}
			t.Logf("peak %d MiB (%d %% of the cap) in %v", peak>>20, 100*peak/l.MemoryBytes, out.Stats.Wall.Round(time.Millisecond))
		})
	}
}

// frugal are scripts that hold less than half of the cap and make much garbage.
var frugal = map[string]string{
	"one long string":   `const s = "x".repeat(110e6); let n = 0; for (let i = 0; i < 50; i++) n += ("y".repeat(1e6) + i).length; return s.length;`,
	"many strings":      `const a = []; for (let i = 0; i < 100; i++) a.push("x".repeat(1e6) + i); let n = 0; for (let i = 0; i < 300; i++) n += ("y".repeat(1e6) + i).length; return a.length;`,
	"bytes":             `const a = []; for (let i = 0; i < 100; i++) a.push(new Uint8Array(1e6).fill(i)); for (let i = 0; i < 200; i++) new Uint8Array(1e6).fill(i); return a.length;`,
	"objects":           `const a = []; for (let i = 0; i < 100000; i++) a.push({ id: i, name: "name " + i }); let n = 0; for (let k = 0; k < 4; k++) n += a.map((x) => ({ ...x, k })).filter((x) => x.id % 2).length; return n;`,
	"numbers":           `const a = []; for (let i = 0; i < 1e6; i++) a.push(i * 1.5); return a.reduce((x, y) => x + y, 0);`,
	"map":               `const m = new Map(); for (let i = 0; i < 200000; i++) m.set("key " + i, i); return m.size;`,
	"rounds of garbage": `let n = 0; for (let i = 0; i < 20; i++) { const a = []; for (let j = 0; j < 50000; j++) a.push({ j }); n += a.length; } return n;`,
	"string by pieces":  `const a = []; for (let i = 0; i < 1e6; i++) a.push("piece " + i); return a.join("").length;`,
}

func TestM6_HalfTheCapIsEnoughToLive(t *testing.T) {
	r := realWorkers(t, 1)
	for name, code := range frugal {
		t.Run(name, func(t *testing.T) {
			out := r.Run(t.Context(), engineJob(code, limits()), &testHost{})
			if out.Failure != nil {
				t.Fatalf("%+v at a peak of %d MiB", *out.Failure, out.Stats.PeakMemoryBytes>>20)
			}
			t.Logf("peak %d MiB in %v: %s", out.Stats.PeakMemoryBytes>>20, out.Stats.Wall.Round(time.Millisecond), out.Value)
		})
	}
}

func TestM6_FiveMegabytesOfJSON(t *testing.T) {
	var b strings.Builder
	b.WriteString(`[{"id":0,"name":"first"}`)
	for i := 1; b.Len() < 5<<20; i++ {
		b.WriteString(`,{"id":1,"name":"a record of ordinary length","tags":["x","y"],"nested":{"ok":true,"n":1.5}}`)
	}
	b.WriteString("]")
	for _, code := range []string{
		`const r = await tools.mcp__a__b({}); return r.filter((x) => x.id === 0 || x.tags.length);`,
		`const r = JSON.parse(await tools.mcp__a__text({})); return JSON.stringify(r.filter((x) => x.id === 0 || x.tags.length)).length;`,
	} {
		text, _ := json.Marshal(b.String())
		host := &testHost{begin: func(_ context.Context, c sandbox.Call) sandbox.Reply {
			if c.Name == "mcp__a__text" {
				return sandbox.Reply{Value: text}
			}
			return sandbox.Reply{Value: json.RawMessage(b.String())}
		}}
		l := limits()
		l.FrameBytes = 0 // the default
		out := realWorkers(t, 0).Run(t.Context(), engineJob(code, l), host)
		if out.Failure != nil {
			t.Fatalf("%+v at a peak of %d MiB", *out.Failure, out.Stats.PeakMemoryBytes>>20)
		}
		if len(out.Value) < 5<<20 && string(out.Value) < "5000000" {
			t.Errorf("value of %d bytes", len(out.Value))
		}
		t.Logf("peak %d MiB in %v", out.Stats.PeakMemoryBytes>>20, out.Stats.Wall.Round(time.Millisecond))
	}
}
