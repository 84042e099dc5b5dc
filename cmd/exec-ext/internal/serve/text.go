package serve

import (
	"fmt"
	"strings"

	"github.com/exec-ext/exec-ext/catalog"
	"github.com/exec-ext/exec-ext/hostapi"
)

// All that the model can read of this package stands in this file. No sentence holds a limit's
// number; sizes and counts of what is really there are none.

// searchForm is how a script reaches the search entry.
const searchForm = `tools["` + catalog.Namespace + `"].` + catalog.SearchName

const (
	textNoCode = `The input has no script. Give it as {"code": "..."} with at least one statement of JavaScript or TypeScript.`

	textCodeTooLong = "The script is too long. Send less code: leave data out of the script and fetch it with a tool, " +
		"or split the work over several calls."
	textReentrant = "A script is running in this session already, and this call comes from inside it, so it would wait " +
		"for itself. Make the calls in the running script instead."
	textOverloaded = "Too many scripts of this session are waiting already; nothing of this one has run. Wait for the " +
		"running ones and try again."
	textHostCannotCall = "Scripts cannot run here: the host application offers no way to call tools from a script. Call " +
		"the tools directly."
	textDisabled             = "Running scripts is switched off in the settings; nothing has run. Call the tools directly."
	textNotRegistered        = "Running scripts is not available in this session; nothing has run. Call the tools directly."
	textExcluded             = "Running scripts is excluded in this session; nothing has run. Call the tools directly."
	textExecDenied           = "Running scripts is denied by a permission rule; nothing has run. Call the tools directly."
	textCancelledBeforeStart = "The run was cancelled before the script started; nothing has run."

	textPoolTooLate = "The time of the run was over before the host application had given its list of tools; nothing has " +
		"run. Try again, or call the tools directly."

	textCallLimit = "This script has made as many tool calls as one script may. This call was not made; earlier ones " +
		"stay in effect. Catch this error to go on without it, and do the rest in another script."
	textCallAborted = "The run is ending, so this call was given up."
	textHostLost    = "The host application is gone, so no tool can be called any more."

	noPoolGiven          = "the host gave no list of tools"
	poolUnchangedUnasked = "the host said that its list of tools is unchanged, but it had not been given before"

	textEmptyString = "(The script returned an empty string.)"
	logsHeading     = "Console output:"
	warningsHeading = "Warnings:"

	leftOutNoList      = "content that is not a list"
	leftOutMalformed   = "a malformed content block"
	leftOutBinary      = "a binary resource"
	leftOutWithoutType = "a block without a type"

	// nameChars is how much of a name that somebody else chose is repeated, in UTF-16 code units.
	nameChars = 120

	// reasonChars is the same for a reason that the host or a person gave.
	reasonChars = 2000
)

func poolNotAnswered(err error) string {
	return "the host did not give its list of tools (" + clip(err.Error(), reasonChars) + ")"
}

func poolStatusUnknown(status string) string {
	return fmt.Sprintf("the host gave a list of tools with the unknown status %q", clip(status, nameChars))
}

func poolUnavailableText(reason string) string {
	if reason == "" {
		reason = "there is no MCP manager, or it is not ready"
	}
	return "MCP tools are not available in this session: " + clip(reason, reasonChars) + "."
}

// unknownTool is what a call of a name outside the pool is rejected with.
func unknownTool(name string, nearest []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s is not an available tool. Only MCP tools are reachable from a script. ", clip(name, nameChars))
	if len(nearest) > 0 {
		fmt.Fprintf(&b, "Did you mean %s? ", strings.Join(nearest, ", "))
	}
	fmt.Fprintf(&b, "Find tools with %s({ query: \"...\" }).", searchForm)
	return b.String()
}

func callWasDenied(name, reason string) string {
	name, reason = clip(name, nameChars), clip(reason, reasonChars)
	if reason == "" {
		return name + " was not permitted."
	}
	return name + " was not permitted: " + reason
}

func toolUnreachable(name, reason string) string {
	name, reason = clip(name, nameChars), clip(reason, reasonChars)
	if reason == "" {
		return name + " could not be reached."
	}
	return name + " could not be reached: " + reason
}

func hostError(name, message string) string {
	return clip(name, nameChars) + " failed: " + clip(message, reasonChars)
}

func noUsableAnswer(name string) string {
	return "The host's answer to " + clip(name, nameChars) + " could not be understood. The call may or may not have taken effect."
}

func answerTooLarge(name string) string {
	return "The answer of " + clip(name, nameChars) + " was too large to be taken in. The call may have taken effect. " +
		"Ask for less: use its filters or pages, if it has them."
}

func permissionUnknown(name string) string {
	return "The host did not say clearly whether " + clip(name, nameChars) + " is permitted, so the call was not made."
}

func toolFailedSilently(name string) string {
	return clip(name, nameChars) + " failed without saying why."
}

func contentLeftOut(name string, kinds []string) string {
	counts := map[string]int{}
	var order []string
	for _, k := range kinds {
		if counts[k]++; counts[k] == 1 {
			order = append(order, k)
		}
	}
	var parts []string
	for _, k := range order {
		if counts[k] > 1 {
			k = fmt.Sprintf("%s (%d times)", k, counts[k])
		}
		parts = append(parts, k)
	}
	return "The result of " + clip(name, nameChars) + " held content that a script cannot use, which was left out: " + strings.Join(parts, ", ") + "."
}

func noValue(logged bool) string {
	if logged {
		return "The script finished without a return value. Use return to hand back a result."
	}
	return "The script finished without a return value and without console output. Use return to hand back a result."
}

func valueCut(total int) string {
	return fmt.Sprintf("[The returned value was cut here. It has %d characters in total. Filter or summarise it in the script and return less.]", total)
}

func resultTooLong(total int) string {
	return fmt.Sprintf("The returned value is too long: it has %d characters. Aggregate or filter it in the script first and return less.", total)
}

func logsCut(l hostapi.Logs) string {
	if !l.Truncated {
		return ""
	}
	return fmt.Sprintf("\n[The console output was cut here: the log budget is used up. It had %d characters in total.]", l.Chars)
}

func imagesDropped(n int) string {
	if n == 1 {
		return "1 image of a tool result was dropped because there were too many or they were too large."
	}
	return fmt.Sprintf("%d images of tool results were dropped because there were too many or they were too large.", n)
}

func moreWarnings(n int) string {
	return fmt.Sprintf("%d more warnings were left out.", n)
}

func cancelReasonGiven(reason string) string { return " Reason given: " + clip(reason, reasonChars) }

// errorHeading is the first line of a failed result.
func errorHeading(status string, e *hostapi.ExecError) string {
	place := ""
	if e.Line > 0 {
		place = fmt.Sprintf(" (line %d", e.Line)
		if e.Column > 0 {
			place += fmt.Sprintf(", column %d", e.Column)
		}
		place += ")"
	}
	if e.Name == "" || e.Name == "Error" || status != hostapi.StatusCodeError {
		return "Error" + place + ": " + e.Message
	}
	return e.Name + place + ": " + e.Message
}

// text says what of a failed run has changed the world, or may have.
func (s callSplit) text() string {
	var parts []string
	if len(s.completed) > 0 {
		parts = append(parts, "Completed calls, which stay in effect: "+names(s.completed)+".")
	}
	if len(s.uncertain) > 0 {
		parts = append(parts, "Calls that were under way and may or may not have taken effect: "+names(s.uncertain)+".")
	}
	return strings.Join(parts, "\n")
}

func callsNotAwaited(calls []nameCount) string {
	return "The script ended before these calls did, and they were cancelled: " + names(calls) +
		". They may or may not have taken effect. Await every call."
}

// namesShown is how many tools a sentence lists by name.
const namesShown = 20

func names(calls []nameCount) string {
	var parts []string
	for _, c := range calls[:min(len(calls), namesShown)] {
		part := clip(c.name, nameChars)
		if c.count > 1 {
			part += fmt.Sprintf(" (%d times)", c.count)
		}
		parts = append(parts, part)
	}
	if rest := len(calls) - namesShown; rest > 0 {
		parts = append(parts, fmt.Sprintf("and %d more tools", rest))
	}
	return strings.Join(parts, ", ")
}

// execDescription is what a model reads of Exec in the tool list: the sandbox's surface, and what cannot be
// guessed. It is the same bytes whatever the pool.
const execDescription = `Run one JavaScript or TypeScript script that calls MCP tools, several in one go: loops, filters and Promise.all instead of one call a turn.

The script is the body of an async function: use await and return. In it there are only:
- tools: the MCP tools, as listed in the catalog messages of this conversation. Call one with a single object: await tools.NAME({...}), or tools["NAME"]({...}) where the name is not an identifier. The value is the tool's structured output if it has one, else its text as a string, else null. A failed or refused call rejects: catch it to go on.
- tools["` + catalog.Namespace + `"].` + catalog.SearchName + `({...}): finds tools that the catalog does not show; the value is an array of { name, description, signature }.
- console: what it logs comes back with the result.

There is no file system, network, module, import, timer, process or eval. Await every call: calls not awaited are cancelled when the script ends. Return what you want to see, and return only what you need. Build long text with an array and join, not by appending to a string. Images that tools return are attached to the result.`

// execInputSchema is the input of Exec.
const execInputSchema = `{"type":"object","properties":{"code":{"type":"string","description":"The script: the body of an async JavaScript or TypeScript function."}},"required":["code"],"additionalProperties":false}`

func leftOutBadBlock(kind string) string { return "a malformed " + kind + " block" }

func leftOutUnknown(kind string) string {
	return fmt.Sprintf("a block of unknown type %q", clip(kind, nameChars))
}

func argumentsTooLarge(name string) string {
	return "The arguments of " + name + " are too large for the host application; the call was not made. Send less in one call."
}
