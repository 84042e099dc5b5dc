package worker

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/dop251/goja"

	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// A hint says what to do about an error whose text matches.
type hint struct {
	match *regexp.Regexp
	text  string
}

// lineHints word a syntax error by the line it is found on: what stands there is not of a script at all.
var lineHints = []hint{
	{regexp.MustCompile(`(?:^|;)\s*import\b\s*[\w{*"']`), "import is not available: a script has no modules. `tools` and `console` are there without it."},
	{regexp.MustCompile(`(?:^|;)\s*export\b`), "export is not available: a script is the body of an async function. Hand over its value with return."},
	{regexp.MustCompile(`import\s*\.\s*meta`), "import.meta is not available: a script has no modules."},
	{regexp.MustCompile(`^\s*(?:declare\s+)?(?:namespace|module)\s+[\w$'"]`), "TypeScript's namespace and module declarations are not available in a script. Use an object."},
	{regexp.MustCompile("^\\s*(```|~~~)"), "A Markdown fence is not part of a script. Give the code alone."},
	{regexp.MustCompile(`^\s*</?\w+`), "Markup is not part of a script. Give the code alone."},
}

// messageHints add what to do to what the stripper or the engine says.
var messageHints = []hint{
	{regexp.MustCompile(`(?i)top-level return|Unexpected "return"`), "return stands outside the script's function body; check the brackets above it."},
	{regexp.MustCompile(`"await" can only be used inside`), "Mark the function it stands in async. To await in a loop use for (const x of list), since forEach does not wait."},
	{regexp.MustCompile(`^Invalid destructuring binding target$`), "A list pattern with a default in it, as [a, b = 1], cannot have a default itself inside another pattern. Take that list apart in a statement of its own."},
	{regexp.MustCompile(`Invalid flags supplied to RegExp|Invalid regular expression(: unrecognized|: invalid perl| \(|$)|Invalid group`), "This regular expression uses something the sandbox's engine does not have. Write it in a simpler form."},
}

var (
	engineRegExp = regexp.MustCompile(`(?s)^Invalid regular expression \((?:re2|regexp2)\): .*error parsing regexp: (.*?)\)+$`)
	patternPart  = regexp.MustCompile("(?s)(?: in|:) `.*`$")
)

// plainRegExpText takes out of the engine's complaint about a regular expression which of its parts complains, and
// the pattern, which it repeats for each.
func plainRegExpText(message string) string {
	m := engineRegExp.FindStringSubmatch(message)
	if m == nil {
		return message
	}
	return "Invalid regular expression: " + patternPart.ReplaceAllString(m[1], "")
}

// syntaxText words a syntax error.
func syntaxText(f *wire.FailedHead) string {
	for _, h := range lineHints {
		if h.match.MatchString(f.Frame) {
			return h.text
		}
	}
	message := plainRegExpText(strings.TrimSuffix(f.Message, ":"))
	for _, h := range messageHints {
		if h.match.MatchString(message) {
			return message + ". " + h.text
		}
	}
	return message
}

// missing names globals that models expect, with what to do instead.
var missing = map[string]string{
	"require":         "require is not available: the sandbox has no modules.",
	"process":         "There is no process in the sandbox, nor any environment variable.",
	"Buffer":          "Buffer is not available. For bytes use Uint8Array (with toBase64, fromBase64, toHex).",
	"module":          "module is not available: the script is the body of an async function. Hand over its value with return.",
	"exports":         "exports is not available: the script is the body of an async function. Hand over its value with return.",
	"fetch":           "The sandbox has no network. Call an MCP tool that fetches.",
	"XMLHttpRequest":  "The sandbox has no network. Call an MCP tool that fetches.",
	"WebSocket":       "The sandbox has no network. Call an MCP tool instead.",
	"setTimeout":      "There are no timers in the sandbox. Await the tool calls themselves.",
	"setInterval":     "There are no timers in the sandbox. Use a loop that awaits tool calls.",
	"setImmediate":    "There are no timers in the sandbox. Await a promise instead.",
	"clearTimeout":    "There are no timers in the sandbox.",
	"clearInterval":   "There are no timers in the sandbox.",
	"queueMicrotask":  "Use Promise.resolve().then(f) instead.",
	"WebAssembly":     "WebAssembly is not available.",
	"Deno":            "Deno is not available: the sandbox has `tools` and `console` only.",
	"Bun":             "Bun is not available: the sandbox has `tools` and `console` only.",
	"window":          "There is no browser. The global object is globalThis.",
	"document":        "There is no browser in the sandbox.",
	"global":          "The global object is globalThis.",
	"self":            "The global object is globalThis.",
	"URL":             "URL is not available here. Take the text apart with a regular expression.",
	"URLSearchParams": "URLSearchParams is not available here. Use encodeURIComponent on each part.",
	"structuredClone": "structuredClone is not available here. Use JSON.parse(JSON.stringify(x)).",
	"TextEncoder":     "TextEncoder is not available here.",
	"TextDecoder":     "TextDecoder is not available here.",
	"atob":            "atob is not available here. Use Uint8Array.fromBase64(text).",
	"btoa":            "btoa is not available here. Use bytes.toBase64() of a Uint8Array.",
	"crypto":          "crypto is not available. For a random number there is Math.random().",
	"performance":     "performance is not available. Use Date.now().",
	"ALL_TOOLS":       "There is no ALL_TOOLS here. List the tools with the search entry of `tools`.",
	"files":           "There is no files here. Call an MCP tool that reads or writes files.",
	"fs":              "The sandbox has no files. Call an MCP tool that reads or writes files.",
	"WeakRef":         "WeakRef is not available.",
	"Temporal":        "Temporal is not available. Use Date.",
	"print":           "Use console.log, or return what is to be seen.",
}

var (
	notDefined  = regexp.MustCompile(`^(\S+) is not defined$`)
	cannotRead  = regexp.MustCompile(`^Cannot read property .*of undefined|^Object has no member|is not iterable$|^Value is not an object|^Value is not object coercible$|^Cannot convert undefined or null to object$|^proxy target is not a function$`)
	promiseText = regexp.MustCompile(`\[object Promise\]`)
)

// explain gives an error's message with what to do about it.
func (e *engine) explain(o *goja.Object, f *wire.FailedHead) string {
	if m := notDefined.FindStringSubmatch(f.Message); m != nil {
		if text, ok := missing[m[1]]; ok {
			return f.Message + ". " + text
		}
		if e.callable(m[1]) {
			return f.Message + ". Tools are members of `tools`: write tools." + m[1] + "(...)."
		}
		return f.Message
	}
	if f.Message == textMaxCallDepth {
		return textStackOverflow
	}
	if cannotRead.MatchString(f.Message) {
		return e.hinted(plainer(f), f)
	}
	if f.Name == "AggregateError" {
		return e.aggregate(o, f.Message)
	}
	return f.Message
}

// hinted adds a hint to an error's text, unless there is one in it from when the error was caught before.
func (e *engine) hinted(text string, f *wire.FailedHead) string {
	for _, hint := range e.hints {
		if strings.Contains(text, hint) {
			return text
		}
	}
	hint := e.accessHint(f)
	if hint != "" && !slices.Contains(e.hints, hint) {
		e.hints = append(e.hints, hint)
	}
	return text + hint
}

var (
	ofTools     = regexp.MustCompile(`\btools(?:\.|\[)`)
	noAwait     = regexp.MustCompile(`(?:^|[^\w$.])(?:const|let|var)?\s*([\w$]+)\s*=\s*tools[.\[]`)
	chainedCall = regexp.MustCompile(`\)\s*[.\[]`)
)

// accessHint guesses why a member was not there.
func (e *engine) accessHint(f *wire.FailedHead) string {
	if name := e.unawaited(f.Frame); name != "" {
		return textUnawaited(name)
	}
	switch {
	case ofTools.MatchString(f.Frame) && !strings.Contains(f.Frame, "await") && chainedCall.MatchString(f.Frame):
		return textChainedCall
	case ofTools.MatchString(f.Frame) && !strings.Contains(f.Frame, e.start.Prefix):
		return textOnlyTools(e.start)
	case len(e.texts) > 0:
		return textTextResult(e.texts[len(e.texts)-1])
	case e.lastID > 0:
		return textLookFirst
	}
	return ""
}

// unawaited gives a variable of the offending line that holds a call's Promise, since the script nowhere awaits
// the call it was set from.
func (e *engine) unawaited(frame string) string {
	for _, line := range e.script.source.lines {
		for _, m := range noAwait.FindAllStringSubmatch(line, -1) {
			if regexp.MustCompile(`(?:^|[^\w$.])` + regexp.QuoteMeta(m[1]) + `\s*(?:\?\.|\.|\[)`).MatchString(frame) {
				return m[1]
			}
		}
	}
	return ""
}

var (
	noMember     = regexp.MustCompile(`^Object has no member '(.*)'$`)
	notObject    = regexp.MustCompile(`^Value is not an object: (undefined|null)$`)
	operator     = regexp.MustCompile(`\b(?:in|instanceof)\b`)
	cannotReadOf = regexp.MustCompile(`^Cannot read property '(.*)' of undefined(?: or null)?$`)
	calleeLeft   = regexp.MustCompile(`[\w$.?\[\]'"]*$`)
	calleeRight  = regexp.MustCompile("^([\\w$]+)(\\s*(?:\\?\\.)?[(`])?")
)

// plainer puts the engine's words for the commonest mistakes into those a reader of JavaScript knows.
func plainer(f *wire.FailedHead) string {
	if m := cannotReadOf.FindStringSubmatch(f.Message); m != nil {
		return textCannotRead(m[1])
	}
	if f.Message == "Value is not object coercible" {
		return textCannotDestructure
	}
	callee, called := calleeAt(f)
	if f.Message == "proxy target is not a function" && callee == "tools" {
		return textToolsCalled
	}
	if m := noMember.FindStringSubmatch(f.Message); m != nil {
		if !strings.HasSuffix(callee, m[1]) {
			callee = m[1]
		}
		return textNotAFunction(callee) + inherited[m[1]]
	}
	if m := notObject.FindStringSubmatch(f.Message); m != nil {
		if op := operator.FindString(f.Frame); op != "" && !called {
			return textBadOperand(op, m[1])
		}
		if called && m[1] == "undefined" {
			return textNotAFunction(callee)
		}
	}
	return f.Message
}

// inherited names what models expect on every object and results of tools have not, with what to use instead.
var inherited = map[string]string{
	"hasOwnProperty": ": objects that tools return inherit nothing, so use Object.hasOwn(object, key)",
	"toString":       ": objects that tools return inherit nothing, so use JSON.stringify(object)",
}

// calleeAt reads the expression at the failure's place off the offending line, and whether it is called there.
func calleeAt(f *wire.FailedHead) (callee string, called bool) {
	units := utf16.Encode([]rune(f.Frame))
	if f.Column < 1 || f.Column > len(units) {
		return "", false
	}
	left, right := string(utf16.Decode(units[:f.Column-1])), string(utf16.Decode(units[f.Column-1:]))
	name := calleeRight.FindStringSubmatch(right)
	if name == nil {
		return "", false
	}
	callee = strings.TrimLeft(calleeLeft.FindString(left), ".?])")
	if strings.Count(callee, "'")%2+strings.Count(callee, `"`)%2 > 0 || strings.HasPrefix(callee, "'") || strings.HasPrefix(callee, `"`) {
		callee = ""
	}
	return callee + name[1], name[2] != ""
}

// aggregate adds the errors an AggregateError stands for.
func (e *engine) aggregate(o *goja.Object, message string) string {
	var parts []string
	e.vm.Try(func() {
		for _, v := range e.list(o.Get("errors")) {
			if len(parts) == namedRejections {
				break
			}
			parts = append(parts, e.describeShort(v))
		}
	})
	if message == "" {
		message = textAllRejected
	}
	if len(parts) == 0 {
		return message
	}
	return strings.TrimSpace(message + " [" + strings.Join(parts, "; ") + "]")
}

// describeShort names an error in one line.
func (r *realm) describeShort(v goja.Value) string {
	line, _, _ := strings.Cut(r.describe(v), "\n")
	return line
}
