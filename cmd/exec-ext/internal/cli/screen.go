package cli

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"

	"golang.org/x/term"

	"github.com/exec-ext/exec-ext/hostapi"
)

// A screen is where a verb writes for a person: a terminal, or a pipe that gets plain lines.
type screen struct {
	w        io.Writer
	terminal bool
	colour   bool
}

func newScreen(o *output, lookup func(string) (string, bool)) screen {
	terminal := term.IsTerminal(int(o.file.Fd()))
	noColour, _ := lookup("NO_COLOR")
	kind, _ := lookup("TERM")
	return screen{o, terminal, terminal && noColour == "" && kind != "dumb"}
}

// Styles of a terminal.
const (
	styleBold   = "1"
	styleDim    = "2"
	styleYellow = "33"
	styleCyan   = "36"
	styleRed    = "31"
)

func (s screen) style(code, text string) string {
	if !s.colour || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// section begins a part of the output.
func (s screen) section(title string) {
	fmt.Fprintf(s.w, "%s\n", s.style(styleBold, "── "+title+" ──"))
}

// text writes text that may come from anywhere. A terminal is not sent its control characters.
func (s screen) text(text string) {
	if s.terminal {
		text = printable(text)
	}
	fmt.Fprintln(s.w, strings.TrimRight(text, "\n"))
}

// printable shows what a terminal might act on, line ends and tabs aside, as \u escapes.
func printable(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) || r == '\n' || r == '\t' {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// catalog writes text for a model, with some colour: comments dim, the lines that count tools yellow.
func (s screen) catalog(text string) {
	if !s.colour {
		s.text(text)
		return
	}
	for line := range strings.Lines(printable(text)) {
		line = strings.TrimRight(line, "\n")
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "/**"), strings.HasPrefix(trimmed, "*"), strings.HasPrefix(trimmed, "<!--"):
			line = s.style(styleDim, line)
		case strings.Contains(line, "PARTIAL"), strings.HasPrefix(line, "- mcp__"):
			line = s.style(styleYellow, line)
		case strings.Contains(line, "tools.mcp__"), strings.Contains(line, `tools["`):
			line = s.style(styleCyan, line)
		}
		fmt.Fprintln(s.w, line)
	}
}

// result writes what the model gets.
func (s screen) result(r hostapi.ExecResult) {
	for _, raw := range r.Content {
		var block struct {
			Type, Text, Data string
			MimeType         string `json:"mimeType"`
		}
		if json.Unmarshal(raw, &block) != nil {
			continue
		}
		switch block.Type {
		case "text":
			s.text(block.Text)
		case "image":
			s.text(fmt.Sprintf("[image %s, %d bytes]", block.MimeType, imageBytes(block.Data)))
		}
	}
}

func imageBytes(data string) int {
	return base64.StdEncoding.DecodedLen(len(data)) - strings.Count(data, "=")
}
