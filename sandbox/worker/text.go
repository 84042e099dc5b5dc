package worker

import (
	"fmt"
	"strings"

	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// Every sentence the model may read from a worker stands in this file, in text_errors.go or in text_values.go. They
// say what to do next and hold no limit's number.

const (
	textNoEval     = "Code generation from strings disallowed for this context"
	textNoImport   = "import() is not available: the sandbox has no modules. Use the MCP tools on `tools` instead."
	textStalled    = "The script awaits a promise that nothing can settle: no tool call is in flight and no other work is left. Check for a Promise whose resolve function is never called; there are no timers in the sandbox."
	textEndsEarly  = "The script ends before an expression, bracket, string or template is complete. Check what was opened last."
	textUnbalanced = "The script closes a bracket it did not open. The script is the body of an async function; check its brackets."

	textChained = "A comparison of a comparison, as in a < b < c, is not available, since it compares true or false with c. Write a < b && b < c, or put the inner comparison into a variable."

	textCannotDestructure = "Cannot destructure undefined or null"
	textToolsCalled       = "tools is not a function. Tools are its members: write await tools.NAME({ field: value })"

	textAllRejected = "All promises were rejected"

	textMaxCallDepth  = "Maximum call stack size exceeded"
	textStackOverflow = textMaxCallDepth + ": the recursion is too deep or never ends. Use a loop, or check the condition that ends the recursion."
	textNoPrimitive   = "Cannot convert object to primitive value: put JSON.stringify(x) into the text, or the member that is meant"
	textEngineFault   = "The sandbox's engine failed on this script. Nothing is known to be wrong with the script; try it in a simpler form."
	textValueTooLarge = "The return value is too large to hand over. Return a part of it, or aggregate first."

	textOnlyDeclares  = "The script only declares functions and calls none of them. Call one and return its value: return await main();"
	textPromiseText   = "The text [object Promise] is in the return value: a call was not awaited before it was made part of a text."
	textPromiseLogged = "The text [object Promise] was logged: a call was not awaited before it was made part of a text."
	textDropsLast     = "The script's last line computes a value and drops it. To hand it over, write return in front of it."
)

func textMemberOfText(tool string) string {
	return fmt.Sprintf("The script returned undefined. %s returned text, which has no such member: if the text is JSON, use JSON.parse on it.", tool)
}

func textNoSuchTool(name string, start wire.StartHead) string {
	return fmt.Sprintf("tools.%s is not reachable: only MCP tools are, under names that begin with %s. Find them with %s, for example await %s({ query: \"...\" }).",
		name, start.Prefix, searchForm(start), searchForm(start))
}

// searchForm is how a script reaches the search entry.
func searchForm(start wire.StartHead) string {
	return fmt.Sprintf("tools[%q].%s", start.Namespace, start.Search)
}

// Arguments of a nested call.

func textTooManyArguments(name string) string {
	return fmt.Sprintf("%s takes one argument, a plain object with named fields, as in %s({ field: value }); more than one was given. The call was not made.", name, name)
}

func textPositional(name, what string) string {
	return fmt.Sprintf("%s takes one plain object with named fields, as in %s({ field: value }), not %s. The call was not made.", name, name, what)
}

func textBadArguments(name, reason string) string {
	return fmt.Sprintf("The arguments of %s must be plain JSON data: %s. The call was not made.", name, reason)
}

func textUnreadableResult(name string) string {
	return fmt.Sprintf("The result of %s is not JSON the sandbox can read; it may nest too deeply. The call itself was made.", name)
}

// namedIntegers bounds the integers named in one warning.
const namedIntegers = 5

func textBigIntegers(name string, lost []lostDigits) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The result of %s holds integers that JavaScript numbers cannot hold exactly:", name)
	for i, l := range lost {
		if i == namedIntegers {
			fmt.Fprintf(&b, " and %d more", len(lost)-i)
			break
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, " %s is %s", l.path, l.digits)
	}
	b.WriteString(". Return the object they are in untouched and they stay exact; do not compute with them.")
	return b.String()
}

// Errors nobody caught.

func textLostError(name, message string, line int) string {
	where := ""
	if line > 0 {
		where = fmt.Sprintf(" (line %d)", line)
	}
	if name != "" {
		message = name + ": " + message
	}
	return fmt.Sprintf("An error was lost%s: %s. Await every promise, or add .catch to it.", where, strings.TrimSuffix(message, "."))
}

func textMoreLostErrors(n int) string {
	return fmt.Sprintf("%d more errors were lost in promises nobody awaited.", n)
}

func textThrewNoError(value string) string {
	return "The script threw " + value + ", which is not an Error. Throw new Error(\"...\") to say more."
}

// Hints behind the message of an error.

const (
	textChainedCall = ". A tool call gives a Promise: put await and brackets round the call before reading a member of what it returns."
	textLookFirst   = ". Look at the result's shape first: return it, or console.log it."
)

func textUnawaited(name string) string {
	return fmt.Sprintf(". %s is a Promise, since the call it was set from is not awaited: write %s = await tools...", name, name)
}

func textOnlyTools(start wire.StartHead) string {
	return fmt.Sprintf(". Only MCP tools are reachable, under names that begin with %s. Find them with %s({ query: \"...\" }).", start.Prefix, searchForm(start))
}

func textTextResult(tool string) string {
	return fmt.Sprintf(". %s returned text, not an object. If the text is JSON, use JSON.parse on it.", tool)
}

// textBadOperand is about the right side of in and instanceof.
func textBadOperand(operator, value string) string {
	return fmt.Sprintf("The right side of %s is %s, not an object: check first that it is there", operator, value)
}

func textNotAFunction(callee string) string { return callee + " is not a function" }

// textCannotRead names both, since the engine does not say which of the two it was.
func textCannotRead(member string) string {
	return fmt.Sprintf("Cannot read properties of undefined or null (reading '%s')", member)
}
