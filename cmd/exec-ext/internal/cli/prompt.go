package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
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

// newPrompter gives nil if there is nobody to ask: stdin must be a terminal. The question goes to stderr, or to the
// terminal itself where stderr leads elsewhere.
func newPrompter(p *Program) *prompter {
	if !term.IsTerminal(int(p.Stdin.Fd())) {
		return nil
	}
	out := p.Stderr
	if !term.IsTerminal(int(out.Fd())) {
		var err error
		if out, err = os.OpenFile("/dev/tty", os.O_WRONLY, 0); err != nil {
			return nil
		}
	}
	return &prompter{out: out, lines: readLines(p.Stdin), pause: func() func() { return func() {} }}
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
		}
	}
}

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
