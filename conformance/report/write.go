package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Formats are the names that Write takes.
func Formats() []string { return []string{"text", "tap", "junit", "json"} }

// Write writes the report in a format; another name than those of Formats is an error.
func (r *Report) Write(w io.Writer, format string) error {
	write, ok := map[string]func(io.Writer) error{
		"text": r.text, "tap": r.tap, "junit": r.junit, "json": r.json,
	}[format]
	if !ok {
		return fmt.Errorf("format %q is none of %s", format, strings.Join(Formats(), ", "))
	}
	return write(w)
}

// text is for a person: what failed with its detail, what was skipped, the notes, and the counts by level.
func (r *Report) text(w io.Writer) error {
	var b strings.Builder
	for _, res := range r.Results {
		if res.Outcome == Pass {
			continue
		}
		fmt.Fprintf(&b, "%-5s %s: %s (%s)\n", strings.ToUpper(string(res.Outcome)), res.Name(), res.Title, strings.Join(res.Scenarios, ", "))
		if res.Detail != "" {
			b.WriteString(indent(res.Detail, "      ") + "\n")
		}
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", note)
	}
	var levels []string
	for _, res := range r.Results {
		if !slices.Contains(levels, res.Level) {
			levels = append(levels, res.Level)
		}
	}
	slices.Sort(levels)
	for _, level := range levels {
		fmt.Fprintf(&b, "%s: %s\n", level, r.only(level).counts())
	}
	fmt.Fprintf(&b, "total: %s\n", r.counts())
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) only(level string) *Report {
	out := &Report{}
	for _, res := range r.Results {
		if res.Level == level {
			out.Results = append(out.Results, res)
		}
	}
	return out
}

func (r *Report) counts() string {
	return fmt.Sprintf("%d passed, %d failed, %d known failures, %d skipped", r.Count(Pass), r.Count(Fail), r.Count(Known), r.Count(Skip))
}

// tap is version 14 of the Test Anything Protocol; known failures are TODO.
func (r *Report) tap(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "TAP version 14\n1..%d\n", len(r.Results))
	for i, res := range r.Results {
		state, directive := "ok", ""
		switch res.Outcome {
		case Fail:
			state = "not ok"
		case Known:
			state, directive = "not ok", " # TODO known failure"
		case Skip:
			directive = " # SKIP " + escapeTAP(firstLine(res.Detail))
		}
		fmt.Fprintf(&b, "%s %d - %s: %s%s\n", state, i+1, escapeTAP(res.Name()), escapeTAP(res.Title), directive)
		if state == "not ok" {
			b.WriteString("  ---\n  scenarios: [" + strings.Join(res.Scenarios, ", ") + "]\n  message: |\n")
			b.WriteString(indent(res.Detail, "    ") + "\n  ...\n")
		}
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "# %s\n", note)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func escapeTAP(s string) string {
	return strings.NewReplacer(`\`, `\\`, "#", `\#`, "\n", " ").Replace(s)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

func indent(s, by string) string { return by + strings.ReplaceAll(s, "\n", "\n"+by) }

// A jsonResult is one result in the JSON form.
type jsonResult struct {
	ID        string   `json:"id"`
	Variant   string   `json:"variant,omitempty"`
	Level     string   `json:"level"`
	Scenarios []string `json:"scenarios"`
	Title     string   `json:"title"`
	Outcome   Outcome  `json:"outcome"`
	Detail    string   `json:"detail,omitempty"`
	Ms        int64    `json:"ms"`
}

func (r *Report) json(w io.Writer) error {
	out := struct {
		Suite   string          `json:"suite"`
		Command []string        `json:"command"`
		Counts  map[Outcome]int `json:"counts"`
		Notes   []string        `json:"notes"`
		Results []jsonResult    `json:"results"`
	}{r.Suite, r.Command, map[Outcome]int{}, append([]string{}, r.Notes...), []jsonResult{}}
	for _, o := range []Outcome{Pass, Fail, Known, Skip} {
		out.Counts[o] = r.Count(o)
	}
	for _, res := range r.Results {
		out.Results = append(out.Results, jsonResult{
			ID: res.ID, Variant: res.Variant, Level: res.Level, Scenarios: append([]string{}, res.Scenarios...), Title: res.Title,
			Outcome: res.Outcome, Detail: res.Detail, Ms: res.Took.Milliseconds(),
		})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}
