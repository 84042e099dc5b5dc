package serve

import (
	"fmt"
	"strings"

	"github.com/exec-ext/exec-ext/hostapi"
)

// formatStructured is the value of Config.ResultFormat for tagged text.
const formatStructured = "structured"

// traceCalls is how many calls the structured form lists, the latest ones.
const traceCalls = 20

// modelText is all that the model reads of a run. It is never empty.
func (r report) modelText(format string, out *hostapi.ExecResult, value valueText, dropped int) string {
	if format == formatStructured {
		return r.structuredText(out, value, dropped)
	}
	var parts []string
	if out.Error != nil {
		parts = append(parts, r.errorText(out))
	}
	parts = append(parts, valueParts(value)...)
	if logs := logsText(out.Logs); logs != "" {
		parts = append(parts, logsHeading+"\n"+logs)
	}
	if w := warningsText(out.Warnings, dropped); w != "" {
		parts = append(parts, warningsHeading+"\n"+w)
	}
	if out.Error == nil && !value.present {
		parts = append([]string{noValue(out.Logs.Chars > 0)}, parts...)
	}
	return strings.Join(parts, "\n\n")
}

// errorText is the failure with its place, and what had taken effect by then.
func (r report) errorText(out *hostapi.ExecResult) string {
	e := out.Error
	var b strings.Builder
	b.WriteString(errorHeading(out.Status, e))
	if e.Frame != "" {
		fmt.Fprintf(&b, "\n  %d | %s", e.Line, e.Frame)
	}
	if effects := r.split().text(); effects != "" {
		b.WriteString("\n" + effects)
	}
	return b.String()
}

func valueParts(v valueText) []string {
	switch {
	case !v.present:
		return nil
	case v.tooLong && v.text == "":
		return []string{valueCut(v.total)}
	case v.tooLong:
		return []string{v.text, valueCut(v.total)}
	case v.text == "":
		return []string{textEmptyString}
	}
	return []string{v.text}
}

func warningsText(warnings []string, dropped int) string {
	var lines []string
	for _, w := range warnings {
		lines = append(lines, "- "+w)
	}
	if dropped > 0 {
		lines = append(lines, "- "+imagesDropped(dropped))
	}
	return strings.Join(lines, "\n")
}

// logsText is the console output with a note on what is missing of it, which may be all.
func logsText(l hostapi.Logs) string {
	if l.Text == "" {
		return strings.TrimPrefix(logsCut(l), "\n")
	}
	return l.Text + logsCut(l)
}

// structuredText is the tagged form: the same facts, each in an element.
func (r report) structuredText(out *hostapi.ExecResult, value valueText, dropped int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<exec status=%q>\n", structuredStatus(out.Status))
	if value.present {
		element(&b, "return_value", strings.Join(valueParts(value), "\n"))
	}
	if w := warningsText(out.Warnings, dropped); w != "" {
		element(&b, "warnings", w)
	}
	if logs := logsText(out.Logs); logs != "" {
		element(&b, "logs", logs)
	}
	if trace := traceText(out); trace != "" {
		element(&b, "trace", trace)
	}
	if out.Error != nil {
		element(&b, "error_message", r.errorText(out))
	} else if !value.present && out.Logs.Chars == 0 {
		element(&b, "return_value", noValue(false))
	}
	b.WriteString("</exec>")
	return b.String()
}

// structuredStatus has five words only: what is new on the wire reads as code_error.
func structuredStatus(status string) string {
	if status == hostapi.StatusSandboxError || status == hostapi.StatusNotAvailable {
		return hostapi.StatusCodeError
	}
	return status
}

// element writes text as it is, save that it cannot close an element of ours.
func element(b *strings.Builder, name, text string) {
	fmt.Fprintf(b, "<%s>%s</%s>\n", name, closingTags().Replace(text), name)
}

func closingTags() *strings.Replacer {
	var pairs []string
	for _, name := range []string{"exec", "return_value", "warnings", "logs", "trace", "error_message"} {
		pairs = append(pairs, "</"+name, "&lt;/"+name)
	}
	return strings.NewReplacer(pairs...)
}

func traceText(out *hostapi.ExecResult) string {
	var lines []string
	for _, c := range out.Calls[max(0, len(out.Calls)-traceCalls):] {
		lines = append(lines, fmt.Sprintf("%s: %s", clip(c.Name, nameChars), c.Status))
	}
	return strings.Join(lines, "\n")
}
