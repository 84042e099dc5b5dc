package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// after answers when d has passed or, as "cut short", when its context ends.
func after(d time.Duration) Method {
	return func(context.Context, json.RawMessage) Job {
		return func(ctx context.Context) (any, error) {
			select {
			case <-time.After(d):
				return "in time", nil
			case <-ctx.Done():
				return "cut short", nil
			}
		}
	}
}

// deaf answers when d has passed, whatever its context says.
func deaf(d time.Duration) Method {
	return func(context.Context, json.RawMessage) Job {
		return func(context.Context) (any, error) {
			time.Sleep(d) // on the fake clock
			return "deaf", nil
		}
	}
}

func result(id, value string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":` + value + `}`
}

// The input ends: jobs have 2 s to finish, calls to the peer fail at once, everything is answered.
func TestEnd_OfInput(t *testing.T) {
	bubble(t, func(t *testing.T, framing Framing) {
		p := start(t, framing, Options{}, func(c *Conn) Table {
			table := callThrough(c)
			table["quick"], table["slow"] = after(time.Second), after(time.Hour)
			return table
		})
		began := time.Now()
		p.send(requestOf("1", "slow"), requestOf("2", "quick"), requestOf("3", "run"))
		p.want(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		p.in.Close()
		p.want(result("3", `"rpc: connection closed"`))
		<-p.conn.InputEnded()
		if _, err := p.conn.Call(t.Context(), "m", nil); !errors.Is(err, ErrClosed) {
			t.Errorf("call after the end: %v", err)
		}
		if d := time.Since(began); d != 0 {
			t.Errorf("calls failed after %s", d)
		}
		p.want(result("2", `"in time"`), result("1", `"cut short"`))
		if err := p.wait(); err != nil || time.Since(began) != graceTime {
			t.Errorf("Serve: %v after %s", err, time.Since(began))
		}
	})
}

// Piped input, read to its end before anything is answered, is answered whole; the last line has no newline.
func TestEnd_OfPipedInput(t *testing.T) {
	t.Parallel()
	var in, out strings.Builder
	for i := range 500 {
		fmt.Fprintf(&in, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"echo\",\"params\":[%d]}\n", i, i)
	}
	err := Serve(t.Context(), strings.NewReader(strings.TrimSpace(in.String())), &out, Options{}, fixed(Table{"echo": echo}))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 500 {
		if want := result(fmt.Sprint(i), fmt.Sprintf("[%d]", i)) + "\n"; !strings.Contains(out.String(), want) {
			t.Errorf("no answer %s", want)
		}
	}
}

func TestEnd_JobsThatDoNotListen(t *testing.T) {
	bubble(t, func(t *testing.T, framing Framing) {
		for d, want := range map[time.Duration]time.Duration{3 * time.Second: 3 * time.Second, time.Hour: graceTime + flushTime} {
			p := start(t, framing, Options{}, fixed(Table{"deaf": deaf(d)}))
			began := time.Now()
			p.send(requestOf("1", "deaf"))
			p.in.Close()
			if d < graceTime+flushTime {
				p.want(result("1", `"deaf"`))
			}
			if err := p.wait(); err != nil || time.Since(began) != want {
				t.Errorf("job of %s: Serve: %v after %s, want %s", d, err, time.Since(began), want)
			}
			time.Sleep(d) // lets the job end
		}
	})
}

// The context ends while a Read is stuck: jobs are cut short at once, their answers are flushed.
func TestEnd_OfContext(t *testing.T) {
	bubble(t, func(t *testing.T, framing Framing) {
		p := start(t, framing, Options{}, func(c *Conn) Table {
			table := callThrough(c)
			table["slow"] = after(time.Hour)
			return table
		})
		began := time.Now()
		p.send(requestOf("1", "slow"), requestOf("2", "run"))
		p.want(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		p.cancel()
		for answers := 0; answers < 2; {
			switch text := p.read(); text {
			case result("1", `"cut short"`), result("2", `"context canceled"`), result("2", `"rpc: connection closed"`):
				answers++
			case `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`: // may be sent or not
			default:
				t.Errorf("got %s", text)
				answers++
			}
		}
		if err := p.wait(); err != nil || time.Since(began) != 0 {
			t.Errorf("Serve: %v after %s", err, time.Since(began))
		}
		<-p.conn.InputEnded()
	})
}

// The same with a peer that does not read either: the flush is given up after 2 s.
func TestEnd_OfContextWithoutAReader(t *testing.T) {
	bubble(t, func(t *testing.T, framing Framing) {
		p := start(t, framing, Options{}, fixed(Table{"slow": after(time.Hour)}))
		began := time.Now()
		p.send(requestOf("1", "slow"))
		synctest.Wait()
		p.cancel()
		if err := p.wait(); err != nil || time.Since(began) != flushTime {
			t.Errorf("Serve: %v after %s", err, time.Since(began))
		}
	})
}

// Nobody reads our output any more: the jobs end, calls fail, and Serve says why.
func TestEnd_OfOutput(t *testing.T) {
	bubble(t, func(t *testing.T, framing Framing) {
		gone := make(chan string, 1)
		p := start(t, framing, Options{}, func(c *Conn) Table {
			table := callThrough(c)
			table["slow"] = func(context.Context, json.RawMessage) Job {
				return func(ctx context.Context) (any, error) {
					<-ctx.Done()
					_, err := c.Call(context.Background(), "m", nil)
					gone <- fmt.Sprint(err)
					return nil, nil
				}
			}
			return table
		})
		began := time.Now()
		p.send(requestOf("1", "slow"))
		synctest.Wait()
		p.out.CloseWithError(io.ErrClosedPipe)
		p.send(ping)
		if got := <-gone; got != ErrClosed.Error() {
			t.Errorf("call: %s", got)
		}
		<-p.conn.InputEnded()
		if err := p.wait(); !errors.Is(err, io.ErrClosedPipe) || time.Since(began) != 0 {
			t.Errorf("Serve: %v after %s", err, time.Since(began))
		}
	})
}

// The input ends while the peer does not read: what can not be flushed is given up.
func TestEnd_OfInputWithoutAReader(t *testing.T) {
	bubble(t, func(t *testing.T, framing Framing) {
		p := start(t, framing, Options{bounds: small}, fixed(Table{"echo": echo}))
		began := time.Now()
		p.fill()
		p.in.Close()
		if err := p.wait(); err != nil || time.Since(began) != graceTime+flushTime {
			t.Errorf("Serve: %v after %s", err, time.Since(began))
		}
	})
}

func TestEnd_InsideAMessage(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"Content-Le", "Content-Length: 10\r\n\r\n{", "", "\n"} {
		var out strings.Builder
		if err := Serve(t.Context(), strings.NewReader(text), &out, Options{}, answerPing); err != nil || out.String() != "" {
			t.Errorf("%q: %v, wrote %q", text, err, out.String())
		}
	}
	if err := Serve(t.Context(), failing{}, io.Discard, Options{}, answerPing); err == nil || err.Error() != "read: disk on fire" {
		t.Errorf("got %v", err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("disk on fire") }

// A lost frame boundary is answered with id null, running jobs are still answered, and Serve says what was wrong.
func TestEnd_OfFraming(t *testing.T) {
	t.Parallel()
	for text, reason := range map[string]string{
		"Content-Type: x\r\n\r\n":                        "header block without Content-Length",
		"Content-Length: 2\r\ncontent-length: 2\r\n\r\n": "two Content-Length headers",
		"Content-Length: x\r\n\r\n":                      "Content-Length is not a number of bytes",
		strings.Repeat("a", maxHeaderBlock+1):            "header block over 8 KiB",
		"Content-Length: 99999999999\r\n\r\n":            "declared length 99999999999 is over 16 times the limit",
	} {
		synctest.Test(t, func(t *testing.T) {
			p := start(t, FramingContentLength, Options{}, fixed(Table{"slow": after(time.Second)}))
			p.send(requestOf("1", "slow"))
			p.write(text)
			p.want(refused("null", CodeParse, "parse_error", "framing: "+reason), result("1", `"in time"`))
			var lost *FramingError
			if err := p.wait(); !errors.As(err, &lost) || lost.Reason != reason {
				t.Errorf("Serve: %v, want %s", err, reason)
			}
		})
	}
}

func TestEnd_OfPatience(t *testing.T) {
	eachFraming(t, func(t *testing.T, framing Framing) {
		p := start(t, framing, Options{}, answerPing)
		for range 2 {
			for range maxMalformed - 1 {
				p.send(`{}`)
				p.want(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,...`)
			}
			p.send(ping) // one good message in between, and they are counted anew
			p.want(pong)
		}
		for range maxMalformed {
			p.send(`nonsense`)
			p.want(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,...`)
		}
		var lost *FramingError
		if err := p.wait(); !errors.As(err, &lost) || lost.Reason != "32 malformed messages in a row" {
			t.Errorf("Serve: %v", err)
		}
	})
}
