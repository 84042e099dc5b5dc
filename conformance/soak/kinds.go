package soak

import (
	"fmt"

	"github.com/exec-ext/exec-ext/hostapi"
)

// A kind is one sort of script. N stands for a number of the run's own.
type kind struct {
	name   string
	code   string
	limits string
	hangs  bool // it ends by being cancelled only

	status, errorKind string
	value             string // as raw JSON; "" = none
}

// kinds are all sorts of scripts and how each ends.
func kinds() []kind {
	caught := func(leaf string) string {
		return `try { await tools.mcp__soak__` + leaf + `({n: N}); return "no" } catch (e) { return [e instanceof Error, N] }`
	}
	return []kind{
		{name: "value", code: `return {n: N, list: [1, 2, 3].map((x) => x * N)}`, status: "completed", value: `{"n":N,"list":[N,N2,N3]}`},
		{name: "undefined", code: `const x: number = N`, status: "completed"},
		{name: "calls", code: `const all = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((i) => tools.mcp__soak__echo({n: N})));
			return all.every((x) => x.n === N) && all.length`, status: "completed", value: `10`},
		{name: "late", code: `let sum = 0; for (let i = 0; i < 3; i++) sum += (await tools.mcp__soak__late({n: N})).n; return sum`, status: "completed", value: `N3`},
		{name: "not awaited", code: `tools.mcp__soak__never({n: N}); return N`, status: "completed", value: `N`},
		{name: "logs", code: `for (let i = 0; i < 3000; i++) console.log("line", i, N); return N`, status: "completed", value: `N`},
		{name: "big answer", code: `return (await tools.mcp__soak__big({})).length`, status: "completed", value: fmt.Sprint(bigText)},
		{name: "long result", code: `return "y".repeat(150000)`, status: "completed"},
		{name: "search", code: `return (await tools["$codemode"].search({query: "late"})).map((h) => h.name)`, status: "completed", value: `["mcp__soak__late"]`},
		{name: "unknown tool", code: caught("missing"), status: "completed", value: `[true,N]`},
		{name: "tool error", code: caught("fail"), status: "completed", value: `[true,N]`},
		{name: "host error", code: caught("error"), status: "completed", value: `[true,N]`},
		{name: "nonsense", code: caught("nonsense"), status: "completed", value: `[true,N]`},
		{name: "unreachable", code: caught("unreachable"), status: "completed", value: `[true,N]`},
		{name: "denied", code: `await tools.mcp__soak__denied({n: N})`, status: "code_error", errorKind: "denied"},
		{name: "throw", code: `throw new RangeError("N")`, status: "code_error", errorKind: "script_error"},
		{name: "syntax", code: `return (N`, status: "code_error", errorKind: "syntax_error"},
		{name: "unserializable", code: `return 10n ** 3n`, status: "code_error", errorKind: "unserializable"},
		{name: "call limit", code: `for (;;) await tools.mcp__soak__echo({n: N})`, limits: `{"toolCalls":5}`, status: "budget_exceeded", errorKind: "tool_call_limit"},
		{name: "stalled", code: `await new Promise(() => {})`, status: "timeout", errorKind: "stalled"},
		{name: "spin", code: `while (true) {}`, limits: `{"activeMs":100}`, status: "timeout", errorKind: "timeout"},
		{name: "wall", code: `await tools.mcp__soak__never({})`, limits: `{"wallMs":150}`, status: "timeout", errorKind: "timeout"},
		{name: "host stops it", code: `await tools.mcp__soak__stop({}); return N`, status: "cancelled", errorKind: "cancelled"},
		{name: "cancelled in a call", code: `await tools.mcp__soak__never({n: N})`, hangs: true, status: "cancelled", errorKind: "cancelled"},
		{name: "cancelled in a loop", code: `while (true) {}`, hangs: true, status: "cancelled", errorKind: "cancelled"},
	}
}

// ended says how a result differs from what its kind is to give; "" if it does not.
func (k kind) ended(r hostapi.ExecResult, value string) string {
	switch {
	case r.Status != k.status || r.ErrorKind != k.errorKind:
		return fmt.Sprintf("status %s %s, want %s %s", r.Status, r.ErrorKind, k.status, k.errorKind)
	case string(r.ReturnValue) != value:
		return fmt.Sprintf("value %.100s, want %s", r.ReturnValue, value)
	case len(r.Content) == 0 || r.IsError != (k.status != hostapi.StatusCompleted):
		return fmt.Sprintf("isError %v with %d blocks", r.IsError, len(r.Content))
	}
	return ""
}
