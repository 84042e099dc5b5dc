package trace

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrTrace is wrapped by errors about the trace itself.
var ErrTrace = errors.New("trace")

// A line is one line of a trace.
type line struct {
	Trace    int             `json:"trace"`
	Redacted bool            `json:"redacted"`
	Dir      string          `json:"dir"`
	Message  json.RawMessage `json:"message"`
	Text     *string         `json:"text"`
	Lost     int             `json:"lost"`

	number int // in the file, from 1
}

// readSession gives the messages of the last session in a trace that can be played again.
func readSession(path string) ([]line, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTrace, err)
	}
	defer f.Close()
	var session []line
	began := false
	lines := bufio.NewReader(f)
	for n := 1; ; n++ {
		text, err := lines.ReadBytes('\n')
		if len(text) == 0 && errors.Is(err, io.EOF) {
			break
		}
		l := line{number: n}
		if err := json.Unmarshal(text, &l); err != nil {
			return nil, fmt.Errorf("%w: %s line %d is no line of a file that serve --trace-file has written", ErrTrace, path, n)
		}
		if l.Trace != 0 {
			began, session = true, nil
		}
		session = append(session, l)
	}
	if !began || len(session) < 2 {
		return nil, fmt.Errorf("%w: %s has no session with messages", ErrTrace, path)
	}
	return session[1:], playable(path, session)
}

func playable(path string, session []line) error {
	if session[0].Redacted {
		return fmt.Errorf("%w: %s is redacted: it can be read, but what was sent is not in it", ErrTrace, path)
	}
	for _, l := range session[1:] {
		if l.Lost > 0 {
			return fmt.Errorf("%w: %s line %d: %d messages are missing", ErrTrace, path, l.number, l.Lost)
		}
	}
	return nil
}
