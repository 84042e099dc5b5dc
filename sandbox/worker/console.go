package worker

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dop251/goja"

	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// A console sends each line to the parent as it is made, so that a killed worker's output survives.
type console struct {
	engine *engine
	limit  int // UTF-16 code units after which nothing more is sent
	chars  int // produced in all, a line feed between lines included
	lines  int
	sent   int
	indent string
	warned bool // that a Promise was printed as text
	counts map[string]int
	timers map[string]time.Time
}

// object makes the script's console.
func (c *console) object() goja.Value {
	c.counts, c.timers = map[string]int{}, map[string]time.Time{}
	methods := map[string]func([]goja.Value){
		"assert": c.assert, "count": c.count, "countReset": c.countReset, "dir": c.dir, "group": c.group,
		"groupCollapsed": c.group, "groupEnd": c.groupEnd, "table": c.table, "time": c.time,
		"timeEnd": c.timeEnd, "timeLog": c.timeEnd, "trace": c.trace,
	}
	for _, name := range []string{"log", "info", "warn", "error", "debug"} {
		methods[name] = c.print
	}
	call := c.engine.native("console", func(f goja.FunctionCall) goja.Value {
		methods[f.Argument(0).String()](c.engine.list(f.Argument(1)))
		return goja.Undefined()
	})
	o := c.engine.vm.CreateObject(nil)
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		f := must(c.engine.makeFunction(nil, c.engine.vm.ToValue(name), call))
		if err := o.Set(name, f); err != nil {
			panic("worker: " + err.Error())
		}
	}
	return o
}

func (c *console) print(args []goja.Value) {
	text := c.format(args)
	c.line(text)
	if !c.warned && promiseText.MatchString(text) {
		c.warned = true
		c.engine.warn(textPromiseLogged)
	}
}

// format is the text of one console call, at most a little longer than what could be kept.
func (c *console) format(args []goja.Value) string {
	in := inspector{realm: c.engine.realm, budget: c.limit*4 + 1<<12}
	return in.format(args)
}

// line sends one line, or the part of it that could be kept, until the limit is passed.
func (c *console) line(text string) {
	if c.indent != "" {
		text = c.indent + strings.ReplaceAll(text, "\n", "\n"+c.indent)
	}
	if c.lines++; c.lines > 1 {
		c.chars++
	}
	units := utf16Len(text)
	c.chars += units
	if c.sent > c.limit {
		return
	}
	c.sent += units + 1
	var head any
	if units > c.limit {
		head = wire.LogHead{Chars: units}
		text = cutUnits(text, c.limit)
	}
	c.engine.link.mustSend(wire.Log, 0, head, []byte(text))
}

func (c *console) assert(args []goja.Value) {
	if len(args) > 0 && args[0].ToBoolean() {
		return
	}
	if len(args) < 2 {
		c.line("Assertion failed")
		return
	}
	c.line("Assertion failed: " + c.format(args[1:]))
}

func (c *console) dir(args []goja.Value) {
	if len(args) > 0 {
		c.print(args[:1])
	}
}

func (c *console) group(args []goja.Value) {
	if len(args) > 0 {
		c.print(args)
	}
	c.indent += "  "
}

func (c *console) groupEnd([]goja.Value) { c.indent = strings.TrimSuffix(c.indent, "  ") }

func (c *console) trace(args []goja.Value) {
	c.line(strings.TrimSpace("Trace: " + c.format(args)))
}

// label is the name of a counter or timer.
func (c *console) label(args []goja.Value) string {
	if len(args) == 0 || goja.IsUndefined(args[0]) {
		return "default"
	}
	return c.format(args[:1])
}

func (c *console) count(args []goja.Value) {
	label := c.label(args)
	c.counts[label]++
	c.line(fmt.Sprintf("%s: %d", label, c.counts[label]))
}

func (c *console) countReset(args []goja.Value) { delete(c.counts, c.label(args)) }

func (c *console) time(args []goja.Value) { c.timers[c.label(args)] = time.Now() }

func (c *console) timeEnd(args []goja.Value) {
	label := c.label(args)
	if from, ok := c.timers[label]; ok {
		c.line(fmt.Sprintf("%s: %.3fms", label, float64(time.Since(from))/float64(time.Millisecond)))
	}
}
