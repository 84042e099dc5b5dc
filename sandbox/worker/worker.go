// Package worker is the process a script runs in. It is the only importer of the engine. It shuts itself in,
// says that it is ready, takes one script, runs it, and is killed.
//
// Three nouns: a script is the model's text, stripped and compiled; an engine is one fresh realm with the tools
// and console it was given; a link is the pair of pipes to the parent. A worker keeps no clock and enforces no
// budget but the size of its own output: the parent does, with a kill.
package worker

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"time"

	"github.com/exec-ext/exec-ext/sandbox"
	"github.com/exec-ext/exec-ext/sandbox/internal/lockdown"
	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// Main is the whole life of a worker: frames on stdin and stdout. It returns the exit code: 0 after an outcome
// was sent, 1 if the parent is gone or speaks another language.
func Main() int {
	in, out := os.Stdin, os.Stdout
	os.Stdout = os.Stderr // nothing but frames may reach the parent
	time.Local = time.UTC // a script's local time, whatever the machine's
	warmUp()
	e := newEngine()
	return serve(in, out, e, func() wire.ReadyHead { return lockdown.Lock(wire.SetupOf(os.Args)) })
}

// serve tells the parent that the worker is ready, takes one script and answers with its outcome.
func serve(in io.Reader, out io.Writer, e *engine, lock func() wire.ReadyHead) int {
	l := &link{in: bufio.NewReaderSize(in, 64<<10), out: out}
	if err := l.send(wire.Ready, 0, lock(), nil); err != nil {
		return 1
	}
	f, err := l.read()
	if err != nil || f.Kind != wire.Start {
		return 1
	}
	var start wire.StartHead
	if err := json.Unmarshal(f.Head, &start); err != nil {
		return 1
	}
	if err := runJob(l, e, start, string(f.Body)); err != nil {
		return 1
	}
	return 0
}

// runJob runs the script and sends its outcome. The error is the link's.
func runJob(l *link, e *engine, start wire.StartHead, code string) (err error) {
	e.attach(l, start)
	body, fail := e.guard(func() (json.RawMessage, *wire.FailedHead) { return e.run(code) })
	if l.err != nil {
		return l.err
	}
	if fail == nil && int64(len(body)) > l.limit() {
		fail = failed(sandbox.KindUnserializable, "", textValueTooLarge)
	}
	if fail != nil {
		fail.LogChars = e.console.chars
		return l.send(wire.Failed, 0, fail, nil)
	}
	return l.send(wire.Done, 0, wire.DoneHead{LogChars: e.console.chars}, body)
}

// warmUps are scripts that go every common way once: one that is stripped and one that is not.
var warmUps = []string{
	"const n: number = await 1; for await (const x of [n]) console.log(`${x}`, /\\p{L}/u); return { n }",
	"const [a] = [1].map((x) => x + 1);\nreturn a",
}

// warmUp lives a worker's life before the real one begins, so that no file is opened and no table is built after the
// lock-down, and no job waits for either.
func warmUp() {
	for _, code := range warmUps {
		var in, out bytes.Buffer
		head, _ := json.Marshal(wire.StartHead{Prefix: "mcp__", LogChars: 1 << 10}) // strings and numbers always marshal
		err := wire.Write(&in, wire.Frame{Kind: wire.Start, Head: head, Body: []byte(code)})
		if err == nil && serve(&in, &out, newEngine(), func() wire.ReadyHead { return wire.ReadyHead{} }) != 0 {
			err = io.ErrClosedPipe
		}
		for last := (wire.Frame{}); err == nil && last.Kind != wire.Done; {
			last, err = wire.Read(&out, readLimit)
		}
		if err != nil {
			panic("worker: warm-up: " + err.Error())
		}
	}
}
