package cli

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/hostapi/refhost"
)

// A live shows the summary of a run while it runs: on a terminal one block that is drawn anew, in a pipe a line for
// each change. Feeding it never waits for the writer; what comes faster than it can be written is skipped.
type live struct {
	s    screen
	wake chan struct{} // holds one token while there is something new; closed by end
	done sync.WaitGroup

	mu      sync.Mutex
	over    bool             // guarded by mu: nothing is shown any more
	summary hostapi.Summary  // guarded by mu
	latest  refhost.Progress // guarded by mu: what a server last said of its own call

	drawing sync.Mutex // held while something is written
	drawn   int        // guarded by drawing: lines of the block on the terminal
	printed []string   // guarded by drawing: the last lines written to a pipe
}

func startLive(s screen) *live {
	l := &live{s: s, wake: make(chan struct{}, 1)}
	l.done.Go(func() {
		for range l.wake {
			l.draw()
		}
	})
	return l
}

func (l *live) progress(p hostapi.ExecProgressParams) {
	l.feed(func() { l.summary, l.latest = p.Summary, refhost.Progress{} })
}

func (l *live) serverProgress(p refhost.Progress) {
	l.feed(func() { l.latest = p })
}

func (l *live) feed(set func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return
	}
	set()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// end shows the last summary, none if its text is empty, and nothing after it. Only the first call counts.
func (l *live) end(last hostapi.Summary) {
	l.mu.Lock()
	if l.over {
		l.mu.Unlock()
		return
	}
	l.over = true
	l.summary, l.latest = last, refhost.Progress{}
	close(l.wake)
	l.mu.Unlock()
	l.done.Wait()
	l.draw()
}

// pause takes the block away until the function it gives is called; a question stands there in between.
func (l *live) pause() (resume func()) {
	l.drawing.Lock()
	l.erase()
	return l.drawing.Unlock
}

func (l *live) draw() {
	l.drawing.Lock()
	defer l.drawing.Unlock()
	l.mu.Lock()
	lines, notes := l.lines(), l.notes()
	l.mu.Unlock()
	if l.s.terminal {
		l.erase()
		for _, line := range append(lines, notes...) {
			fmt.Fprintln(l.s.w, printable(line))
			l.drawn++
		}
		return
	}
	for _, line := range append([]string{strings.Join(lines, " · ")}, notes...) {
		if line != "" && !slices.Contains(l.printed, line) {
			fmt.Fprintln(l.s.w, line)
			l.printed = append(l.printed[max(0, len(l.printed)-4):], line)
		}
	}
}

// lines is the summary. The caller holds mu.
func (l *live) lines() []string {
	if l.summary.Text == "" {
		return nil
	}
	return strings.Split(l.summary.Text, "\n")
}

// notes is what goes on beside it; a question to the user speaks for itself. The caller holds mu.
func (l *live) notes() (notes []string) {
	if p := l.latest; p.Name != "" {
		notes = append(notes, fmt.Sprintf("%s: %s", p.Name, progressText(p)))
	}
	return notes
}

func progressText(p refhost.Progress) string {
	text := fmt.Sprint(p.Progress)
	if p.Total > 0 {
		text += fmt.Sprintf("/%v", p.Total)
	}
	if p.Message != "" {
		text += " " + p.Message
	}
	return text
}

// erase takes the block off the terminal. The caller holds drawing.
func (l *live) erase() {
	if l.drawn > 0 {
		fmt.Fprintf(l.s.w, "\x1b[%dA\x1b[J", l.drawn)
		l.drawn = 0
	}
}
