package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// bubble runs the test with a fake clock, once for each framing.
func bubble(t *testing.T, test func(t *testing.T, framing Framing)) {
	eachFraming(t, func(t *testing.T, framing Framing) {
		synctest.Test(t, func(t *testing.T) { test(t, framing) })
	})
}

// waiting returns the bytes queued for the writer.
func (p *peer) waiting() (bytes int) {
	o := p.conn.s.out
	o.mu.Lock()
	defer o.mu.Unlock()
	for e := o.normal.Front(); e != nil; e = e.Next() {
		bytes += e.Value.(*message).size()
	}
	return bytes + o.urgentBytes
}

// small bounds are soon reached.
var small = bounds{live: 50, queued: 1 << 20, urgent: 64 << 10, notes: 20}

// large is a value of which few fit into the small bounds, and into a pipe.
func large() string { return `"` + strings.Repeat("漢", 1<<16) + `"` } // 192 KiB

// The peer stops reading for a minute: what it sends is still read, what waits for it is bounded, and everything
// flows when it reads again.
func TestFlow_PeerStopsReadingForAMinute(t *testing.T) {
	bubble(t, func(t *testing.T, framing Framing) {
		const answers = 12 // twice the room
		p := start(t, framing, Options{bounds: small}, func(c *Conn) Table {
			table := callThrough(c)
			table["echo"] = echo
			return table
		})
		for i := range answers {
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"echo","params":%s}`, i, large()))
		}
		p.send(requestOf(`"r"`, "run"))
		for i := range 10_000 {
			p.conn.Notify(fmt.Sprint("key", i%10), "progress", i)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := p.waiting(); n > int(small.queued)+10*100 {
			t.Errorf("%d bytes wait", n)
		}
		p.send(ping)
		synctest.Wait()

		got := map[string]int{}
		for range answers + 1 + 10 + 2 {
			text := p.read()
			switch {
			case text == pong:
				got["pong"]++
				if got["answer"] > 1 {
					t.Error("ping did not overtake the answers that waited")
				}
			case strings.Contains(text, `"method":"progress","params":999`): // the newest of its key
				got["progress"]++
			case strings.Contains(text, `"method":"m"`):
				got["call"]++
				p.send(`{"jsonrpc":"2.0","id":1,"result":7}`)
			case text == `{"jsonrpc":"2.0","id":"r","result":"result 7"}`:
				got["result"]++
			default:
				got["answer"]++
			}
		}
		if want := map[string]int{"pong": 1, "progress": 10, "call": 1, "result": 1, "answer": answers}; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

// fill makes answers wait until there is no room left in the small bounds.
func (p *peer) fill() (answers int) {
	answers = int(small.queued)/len(large()) + 2
	for range answers {
		p.send(`{"jsonrpc":"2.0","id":0,"method":"echo","params":` + large() + `}`)
	}
	synctest.Wait()
	return answers
}

// A call whose context ends before it is written never reaches the peer, and neither does a cancel for it.
func TestFlow_CallsThatEndBeforeTheyAreWritten(t *testing.T) {
	bubble(t, func(t *testing.T, framing Framing) {
		p := start(t, framing, Options{bounds: small}, fixed(Table{"echo": echo, "ping": answerPing(nil)["ping"]}))
		p.send(`{"jsonrpc":"2.0","id":0,"method":"echo","params":` + large() + `}`) // the writer is stuck in it
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := p.conn.Call(ctx, "queued", nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("queued call: %v", err)
		}
		n := p.fill()
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := p.conn.Call(ctx, "no room", json.RawMessage(large())); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("call without room: %v", err)
		}
		p.send(ping)
		for range 1 + n + 1 { // the last one is the pong
			if text := p.read(); strings.Contains(text, `"method"`) {
				t.Errorf("got %s", short(text))
			}
		}
		synctest.Wait()
		if n := len(p.conn.s.calls) + len(p.conn.s.sent) + p.waiting(); n != 0 {
			t.Errorf("%d calls or bytes are left", n)
		}
	})
}

// Urgent is for small answers: a large one queues.
func TestUrgent_LargeAnswersWaitTheirTurn(t *testing.T) {
	bubble(t, func(t *testing.T, framing Framing) {
		p := start(t, framing, Options{bounds: small}, fixed(Table{
			"echo": echo,
			"urgent": func(_ context.Context, params json.RawMessage) Job {
				return Urgent(func(context.Context) (any, error) { return params, nil })
			},
		}))
		text := func(id, method, params string) string {
			return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`
		}
		for _, message := range []string{text("0", "echo", large()), text("1", "echo", "1"), text("2", "urgent", large()),
			text("3", "urgent", "3"), text("4", "echo", "4")} {
			p.send(message)
			synctest.Wait()
		}
		p.want(`{"jsonrpc":"2.0","id":0,...`, result("3", "3"), result("1", "1"), `{"jsonrpc":"2.0","id":2,...`, result("4", "4"))
	})
}

// A message larger than all the room goes alone.
func TestFlow_LargeMessages(t *testing.T) {
	eachFraming(t, func(t *testing.T, framing Framing) {
		p := start(t, framing, Options{bounds: small}, fixed(Table{"echo": echo}))
		text := `"` + strings.Repeat("x", 3<<19) + `"`
		for range 3 {
			p.send(`{"jsonrpc":"2.0","id":1,"method":"echo","params":` + text + `}`)
		}
		for range 3 {
			p.want(`{"jsonrpc":"2.0","id":1,"result":` + text + `}`)
		}
	})
}

func TestFlow_TooManyUnansweredRequests(t *testing.T) {
	bubble(t, func(t *testing.T, framing Framing) {
		ran := 0
		p := start(t, framing, Options{bounds: small}, fixed(Table{
			"wait": untilCancelled,
			"note": func(context.Context, json.RawMessage) Job {
				return func(context.Context) (any, error) {
					ran++
					return nil, nil
				}
			},
		}))
		for i := range small.live {
			p.send(requestOf(fmt.Sprint(i), "wait"))
		}
		p.send(requestOf(`"one more"`, "wait"))
		p.want(`{"jsonrpc":"2.0","id":"one more","error":{"code":-31003,"message":"too many requests are unanswered","data":{"kind":"overloaded","retryable":true}}}`)
		p.send(`{"jsonrpc":"2.0","method":"note"}`) // its job is dropped
		p.send(cancelOf("7"))
		p.want(`{"jsonrpc":"2.0","id":7,` + cancelled)
		p.send(requestOf(`"one more"`, "wait"), cancelOf(`"one more"`))
		p.want(`{"jsonrpc":"2.0","id":"one more",` + cancelled)
		synctest.Wait()
		p.send(`{"jsonrpc":"2.0","method":"note"}`)
		synctest.Wait()
		if ran != 1 {
			t.Errorf("%d jobs of notifications ran, want 1", ran)
		}
	})
}

// A peer that sends for ever and never reads is cut off; until then little is kept for it.
func TestFlow_FloodsWithoutReading(t *testing.T) {
	for name, text := range map[string]string{
		"pings":     ping,
		"unknown":   requestOf("1", "absent"),
		"malformed": `{}`,
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, framing Framing) {
				p := start(t, framing, Options{bounds: small}, answerPing)
				began := time.Now()
				sent := 0
				for ; sent < 1_000_000; sent++ {
					body := text
					if name == "malformed" && sent%2 == 0 {
						body = `{"jsonrpc":"2.0","method":"absent"}`
					}
					if WriteFrame(&deadline{p}, framing, []byte(body)) != nil {
						break
					}
				}
				if err := p.wait(); err == nil || !strings.Contains(err.Error(), "does not read") || time.Since(began) != 0 {
					t.Errorf("Serve: %v after %d messages and %s", err, sent, time.Since(began))
				}
			})
		})
	}
}

// deadline writes to a peer that may have gone.
type deadline struct{ p *peer }

func (d *deadline) Write(b []byte) (int, error) { return d.p.in.Write(b) }

func TestNotify_LatestWinsInPlaceAndIsBounded(t *testing.T) {
	bubble(t, func(t *testing.T, framing Framing) {
		p := start(t, framing, Options{bounds: small}, fixed(Table{"echo": echo}))
		p.send(`{"jsonrpc":"2.0","id":0,"method":"echo","params":` + large() + `}`) // the writer is stuck in it
		synctest.Wait()
		p.conn.Notify("a", "n", json.RawMessage(`{ "v":1.0 }`))
		p.conn.Notify("b", "n", nil)
		p.send(`{"jsonrpc":"2.0","id":1,"method":"echo","params":{}}`)
		synctest.Wait()
		p.conn.Notify("a", "n", json.RawMessage(`{ "v":2.0 }`))
		p.conn.Notify("c", "bad", make(chan int))
		p.read()
		p.want(`{"jsonrpc":"2.0","method":"n","params":{ "v":2.0 }}`, `{"jsonrpc":"2.0","method":"n"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`)

		p.send(`{"jsonrpc":"2.0","id":0,"method":"echo","params":` + large() + `}`)
		synctest.Wait()
		for i := range small.notes + 10 {
			p.conn.Notify(fmt.Sprint(i), "n", i)
		}
		p.send(`{"jsonrpc":"2.0","id":1,"method":"echo","params":{}}`)
		p.read()
		for i := range small.notes {
			p.want(fmt.Sprintf(`{"jsonrpc":"2.0","method":"n","params":%d}`, i))
		}
		p.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	})
}

// With a framing to detect nothing is written before the peer has spoken; with a given one it may be.
func TestServe_WhoSpeaksFirst(t *testing.T) {
	bubble(t, func(t *testing.T, framing Framing) {
		speak := func(c *Conn) Table {
			c.Notify("", "hello", nil)
			return answerPing(c)
		}
		for _, opts := range []Options{{}, {Framing: framing}} {
			p := start(t, framing, opts, speak)
			first := make(chan string, 1)
			go func() { first <- p.read() }()
			synctest.Wait()
			if spoke := len(first) > 0; spoke != (opts.Framing != "") {
				t.Errorf("framing %q: spoke first: %v", opts.Framing, spoke)
			}
			p.send(ping)
			if got := <-first; got != pong && got != `{"jsonrpc":"2.0","method":"hello"}` {
				t.Errorf("got %s", got)
			}
			p.read()
			if opts.Framing != "" {
				continue
			}
			silent := start(t, framing, opts, speak) // the peer leaves without a word
			began := time.Now()
			silent.in.Close()
			if err := silent.wait(); err != nil || time.Since(began) != 0 {
				t.Errorf("Serve: %v after %s", err, time.Since(began))
			}
		}
	})
}

// Both ends run the same code: each calls the other while it is called.
func TestServe_IsSymmetric(t *testing.T) {
	eachFraming(t, func(t *testing.T, framing Framing) {
		aR, aW, err := os.Pipe()
		bR, bW, err2 := os.Pipe()
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		// "down" calls the other end until n is 0, with a load that fills pipes.
		load := strings.Repeat("x", 1<<14)
		down := func(c *Conn) Table {
			return Table{"down": func(_ context.Context, params json.RawMessage) Job {
				return func(ctx context.Context) (any, error) {
					var p struct {
						N    int
						Load string
					}
					if err := json.Unmarshal(params, &p); err != nil || p.N == 0 {
						return p, err
					}
					p.N--
					return c.Call(ctx, "down", p)
				}
			}}
		}
		ends := make(chan error, 2)
		conns := make(chan *Conn, 1)
		ctx := t.Context()
		go func() {
			defer bW.Close()
			ends <- Serve(ctx, aR, bW, Options{}, down)
		}()
		go func() {
			defer aW.Close()
			ends <- Serve(ctx, bR, aW, Options{Framing: framing}, func(c *Conn) Table {
				conns <- c
				return down(c)
			})
		}()
		c := <-conns
		var calls sync.WaitGroup
		for range 16 {
			calls.Go(func() {
				raw, err := c.Call(ctx, "down", map[string]any{"n": 9, "load": load})
				if want := `{"N":0,"Load":"` + load + `"}`; err != nil || string(raw) != want {
					t.Errorf("got %s, %v", short(string(raw)), err)
				}
			})
		}
		calls.Wait()
		aW.Close() // the first end sees the end of its input and leaves, then the second does
		if err := errors.Join(<-ends, <-ends); err != nil {
			t.Errorf("Serve: %v", err)
		}
		if _, err := c.Call(ctx, "down", nil); !errors.Is(err, ErrClosed) {
			t.Errorf("call after the end: %v", err)
		}
	})
}

func TestServe_Trace(t *testing.T) {
	eachFraming(t, func(t *testing.T, framing Framing) {
		var mu sync.Mutex
		var got []string
		p := start(t, framing, Options{Trace: func(dir string, frame []byte) {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, dir+" "+string(frame))
		}}, answerPing)
		p.send(ping)
		p.want(pong)
		p.send(`{`)
		p.want(refused("null", CodeParse, "parse_error", "message is not JSON"))
		mu.Lock()
		defer mu.Unlock()
		want := []string{"in " + ping, "out " + pong, "in {", "out " + refused("null", CodeParse, "parse_error", "message is not JSON")}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

func TestServe_OversizeIsAnsweredAndSkipped(t *testing.T) {
	tooLarge := func(id string) string {
		return refused(id, CodeTooLarge, "too_large", "message is over the size limit")
	}
	pad := strings.Repeat("x", 200<<10)
	eachFraming(t, func(t *testing.T, framing Framing) {
		p := start(t, framing, Options{MaxMessageBytes: 100 << 10}, answerPing)
		for range maxMalformed + 1 { // they are no malformed messages
			p.send(`{"jsonrpc":"2.0","id":1.0,"method":"ping","params":{"id":2,"pad":"` + pad + `"}}`)
			p.want(tooLarge("1.0"))
		}
		for text, id := range map[string]string{
			`{"jsonrpc":"2.0","method":"ping","params":{"id":2,"pad":"` + pad + `"},"id":1}`: "null",
			`{"pad":"` + pad[:10] + `","id":"\u0061","pad2":"` + pad + `"}`:                  `"\u0061"`,
			`{"id":[1],"pad":"` + pad + `"}`:                                                 "null",
			`{"id":1,"id":2,"pad":"` + pad + `"}`:                                            "null",
			`[{"id":1,"pad":"` + pad + `"}]`:                                                 "null",
			// The head ends inside the id.
			`{"pad":"` + pad[:headBytes-len(`{"pad":"","id":123`)] + `","id":123456,"more":"` + pad + `"}`: "null",
			pad: "null",
			`{"jsonrpc":"2.0","id":3,"method":"` + pad + `"}`: "3",
		} {
			p.send(text)
			p.want(tooLarge(id))
			p.send(ping)
			p.want(pong)
		}
		p.send(`{"jsonrpc":"2.0","id":3,"result":"`+pad+`"}`, ping) // a late answer
		p.want(pong)
	})
}
