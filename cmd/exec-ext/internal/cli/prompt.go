package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"golang.org/x/term"

	"github.com/exec-ext/exec-ext/hostapi/refhost"
)

// A prompter asks at the terminal.
type prompter struct {
	out   io.Writer
	lines chan string // what the user types; closed at the end of the input
	pause func() (resume func())
}

// newPrompter gives nil if there is nobody to ask, and why. The answers come from stdin, which must be a terminal. Where it
// is the script, they come from the terminal itself, if a person watches stderr there. The question goes to stderr, or to
// the terminal where stderr leads elsewhere.
func newPrompter(p *Program, stdinIsScript bool) (q *prompter, why string) {
	in, out := p.Stdin, p.Stderr
	var err error
	switch watched := term.IsTerminal(int(out.Fd())); {
	case stdinIsScript && !watched:
		return nil, "stdin is the script, and stderr is no terminal"
	case stdinIsScript:
		in, err = openTerminal("/dev/tty", "CONIN$")
	case !term.IsTerminal(int(in.Fd())):
		return nil, "stdin is no terminal"
	case !watched:
		out, err = openTerminal("/dev/tty", "CONOUT$")
	}
	if err != nil {
		return nil, "the terminal cannot be opened"
	}
	return &prompter{out: out, lines: readLines(in)}, ""
}

// openTerminal opens the terminal by its name on this system. It stays open for as long as the program lives.
func openTerminal(name, onWindows string) (*os.File, error) {
	if runtime.GOOS == "windows" {
		name = onWindows
	}
	return os.OpenFile(name, os.O_RDWR, 0)
}

// askerOf is the question at the terminal, or the answer that nobody can be asked.
func askerOf(p *Program, stdinIsScript bool, pause func() (resume func())) asker {
	q, why := newPrompter(p, stdinIsScript)
	if q == nil {
		return func(context.Context, refhost.Question) (refhost.Answer, error) {
			return refhost.AnswerNo, fmt.Errorf("%w: %s", refhost.ErrNobody, why)
		}
	}
	q.pause = pause
	return q.ask
}

// readLines reads for as long as the program lives: a read from a terminal cannot be called off.
func readLines(f *os.File) chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for in := bufio.NewScanner(f); in.Scan(); {
			lines <- in.Text()
		}
	}()
	return lines
}

// ask puts one question until it is answered. The end of the input is a no.
func (q *prompter) ask(ctx context.Context, question refhost.Question) (refhost.Answer, error) {
	defer q.pause()()
	always := ""
	if question.Save != "" {
		always = fmt.Sprintf(", s always (saved in %s)", question.Save)
	}
	fmt.Fprintf(q.out, "The script calls %s with %s\n", printable(question.Name), printable(string(question.Arguments)))
	for {
		fmt.Fprintf(q.out, "Allow it? y once, a always in this run%s, n no: ", always)
		select {
		case <-ctx.Done():
			fmt.Fprintln(q.out)
			return refhost.AnswerNo, ctx.Err()
		case line, open := <-q.lines:
			if !open {
				fmt.Fprintln(q.out)
				return refhost.AnswerNo, nil
			}
			if a, ok := answerOf(line, question.Save != ""); ok {
				return a, nil
			}
			fmt.Fprintln(q.out, textAnswers)
		}
	}
}

// textAnswers follows an answer that is none. Enter alone is none either: nothing is allowed or denied by a slip.
const textAnswers = "Type one of the letters and Enter; Ctrl-C ends the run."

func answerOf(line string, canSave bool) (refhost.Answer, bool) {
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return refhost.AnswerOnce, true
	case "a":
		return refhost.AnswerRun, true
	case "s":
		return refhost.AnswerAlways, canSave
	case "n", "no":
		return refhost.AnswerNo, true
	}
	return refhost.AnswerNo, false
}
