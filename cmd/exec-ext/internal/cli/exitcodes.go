package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/exec-ext/exec-ext/cmd/exec-ext/internal/serve"
)

// Exit codes of all verbs, as a shell user expects them.
const (
	ExitOK        = 0
	ExitFailed    = 1
	ExitUsage     = 2
	ExitConfig    = 3
	ExitFraming   = serve.ExitFraming
	ExitTime      = 124
	ExitInterrupt = 130
)

// exitCodes says what each code means; the conformance verbs' own table is in conformance/INTERPRETING.md.
func exitCodes() []exitCode {
	return []exitCode{
		{ExitOK, "done; serve: after the host's shutdown"},
		{ExitFailed, "failed: the script, a check, a name that is not there, or writing to stdout; serve: the host went away without shutdown"},
		{ExitUsage, "the command line is wrong"},
		{ExitConfig, "a file cannot be read or is wrong, or no MCP server could be connected; serve: less isolation than required; conformance: the command under test could not be started"},
		{ExitFraming, "serve: the input is not readable as messages any more"},
		{ExitTime, "run: the script's time was over"},
		{ExitInterrupt, "Ctrl-C, or another signal to end"},
	}
}

type exitCode struct {
	code    int
	meaning string
}

// exitWidth is how wide the table is, in characters.
const exitWidth = 100

// printExitCodes writes the table for a person.
func printExitCodes(w io.Writer) {
	fmt.Fprintln(w, "Exit codes:")
	for _, e := range exitCodes() {
		line := fmt.Sprintf("%5d ", e.code)
		for word := range strings.FieldsSeq(e.meaning) {
			if len(line)+1+len(word) > exitWidth {
				fmt.Fprintln(w, line)
				line = strings.Repeat(" ", 6)
			}
			line += " " + word
		}
		fmt.Fprintln(w, line)
	}
}
