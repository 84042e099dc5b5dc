package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
)

// callThrough serves "run", which calls the peer and reports what became of it.
func callThrough(c *Conn) Table {
	return Table{
		"run": func(_ context.Context, params json.RawMessage) Job {
			return func(ctx context.Context) (any, error) {
				raw, err := c.Call(ctx, "m", params)
				var sent *Error
				switch {
				case errors.As(err, &sent):
					return fmt.Sprintf("error %d %s %s", sent.Code, sent.Message, sent.Data), nil
				case err != nil:
					return err.Error(), nil
				}
				return "result " + string(raw), nil
			}
		},
		"ping": answerPing(c)["ping"],
	}
}

func TestCall_Answers(t *testing.T) {
	long := strings.Repeat("x", 2000)
	eachFraming(t, func(t *testing.T, framing Framing) {
		p := start(t, framing, Options{MaxMessageBytes: 2000}, callThrough)
		for i, c := range []struct{ answer, want string }{
			{`{"jsonrpc":"2.0","id":ID,"result":{"b":1.0,"a":"\u003c"}}`, `result {"b":1.0,"a":"\u003c"}`},
			{`{"jsonrpc":"2.0","id":ID,"result":null}`, `result null`},
			{`{"jsonrpc":"2.0","result":[1],"id":ID.0}`, `result [1]`},
			{`{"jsonrpc":"2.0","id":ID,"result":{"a":1,"a":2,"b":"\ud800"}}`, `result {"a":1,"a":2,"b":"\ud800"}`},
			{`{"jsonrpc":"2.0","id":ID,"error":{"code":-7,"message":"no","data":[1.0]}}`, `error -7 no [1.0]`},
			{`{"jsonrpc":"2.0","id":ID,"error":{"code":-7,"message":"no"}}`, `error -7 no %!s(<nil>)`},
			{`{"jsonrpc":"2.0","id":ID,"error":{"code":-7,"message":"no","data":null,"x":1}}`, `error -7 no null`},
			{`{"jsonrpc":"2.0","id":ID}`, `answer to m: answer holds not exactly one of result and error`},
			{`{"jsonrpc":"2.0","id":ID,"result":1,"error":{"code":-7,"message":"no"}}`, `answer to m: answer holds not exactly one of result and error`},
			{`{"jsonrpc":"2.0","id":ID,"error":"no"}`, `answer to m: answer's error has no code and message`},
			{`{"jsonrpc":"2.0","id":ID,"error":null}`, `answer to m: answer's error has no code and message`},
			{`{"jsonrpc":"2.0","id":ID,"error":{"code":1.5,"message":"no"}}`, `answer to m: answer's error has no code and message`},
			{`{"jsonrpc":"2.0","id":ID,"error":{"code":"x","message":"no"}}`, `answer to m: answer's error has no code and message`},
			{`{"jsonrpc":"1.0","id":ID,"result":1}`, `answer to m: jsonrpc is not "2.0"`},
			{`{"id":ID,"result":1}`, `answer to m: jsonrpc is not "2.0"`},
			{`{"jsonrpc":"2.0","id":ID,"result":1,"result":2}`, `answer to m: member result comes twice`},
			{`{"jsonrpc":"2.0","id":ID,"result":1,"id":ID.0}`, `answer to m: member id comes twice`},
			{`{"jsonrpc":"2.0","id":ID,"id":ID,"id":ID,"result":1}`, `answer to m: member id comes twice`},
			{`{"jsonrpc":"2.0","id":ID,"id":ID,"result":"` + long + `"}`, `error -31006 message is over the size limit {"kind":"too_large","retryable":false}`},
			{`{"jsonrpc":"2.0","id":ID,"result":"a` + "\xff" + `b"}`, `answer to m: message is not UTF-8`},
			{`{"result":["` + "\xff" + `"],"jsonrpc":"2.0","id":ID}`, `answer to m: message is not UTF-8`},
			{`{"jsonrpc":"2.0","id":ID,"result":"` + long + `"}`, `error -31006 message is over the size limit {"kind":"too_large","retryable":false}`},
		} {
			id := fmt.Sprint(i + 1)
			p.send(requestOf(`"r"`, "run"))
			p.want(`{"jsonrpc":"2.0","id":` + id + `,"method":"m"}`)
			answer := strings.ReplaceAll(c.answer, "ID", id)
			p.send(`{"jsonrpc":"2.0","id":null,"result":"not this"}`, `{"jsonrpc":"2.0","id":"`+id+`","result":"nor this"}`,
				`{"jsonrpc":"2.0","id":0,"result":"nor this"}`)
			p.send(answer, `{"jsonrpc":"2.0","id":`+id+`,"result":"twice"}`) // the second one is ignored
			want, _ := marshal(c.want)
			p.want(`{"jsonrpc":"2.0","id":"r","result":` + string(want) + `}`)
			p.send(ping)
			p.want(pong)
		}
	})
}

// An answer under different ids belongs to no call: it is refused, and every call still gets its own answer.
func TestN9_AnswerWithTwoIdsSettlesNoCall(t *testing.T) {
	eachFraming(t, func(t *testing.T, framing Framing) {
		p := start(t, framing, Options{}, callThrough)
		for i, r := range []string{`"r1"`, `"r2"`} {
			p.send(requestOf(r, "run"))
			p.want(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"m"}`, i+1))
		}
		for _, ids := range []string{
			`"id":1,"id":2`, `"id":2,"id":1`, `"id":1,"id":1,"id":2`, `"id":1,"id":2,"id":1`, `"id":1,"id":null`, `"id":[],"id":1`,
			`"id":1,"id":2,"result":1`, `"id":1,"\u0069d":"1"`, `"id":1,"id":7`,
		} {
			p.send(`{"jsonrpc":"2.0",` + ids + `,"result":"whose"}`)
			got := p.read()
			if !strings.Contains(got, `"id":null,"error":{"code":-32600`) || !strings.Contains(got, "comes twice") {
				t.Errorf("%s is answered by %s", ids, got)
			}
		}
		for i, r := range []string{`"r1"`, `"r2"`} {
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%d}`, i+1, i+1))
			p.want(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":"result %d"}`, r, i+1))
		}
	})
}

func TestCall_DeepAnswerFailsTheCall(t *testing.T) {
	eachFraming(t, func(t *testing.T, framing Framing) {
		p := start(t, framing, Options{}, callThrough)
		p.send(requestOf(`"r"`, "run"))
		p.want(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		p.send(`{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat("[", 10000) + strings.Repeat("]", 10000) + `}`)
		p.want(`{"jsonrpc":"2.0","id":"r","result":"answer to m: message is nested too deeply"}`)
	})
}

// Answers in any order go to the calls they are for.
func TestCall_AnswersInAnyOrder(t *testing.T) {
	eachFraming(t, func(t *testing.T, framing Framing) {
		p := start(t, framing, Options{}, callThrough)
		const n = 50
		asked := map[string]string{} // our id by the request's
		for i := range n {
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"run","params":{"id":"%d"}}`, i, i))
		}
		for range n {
			var m struct {
				ID     json.RawMessage
				Params struct{ ID string }
			}
			if err := json.Unmarshal([]byte(p.read()), &m); err != nil {
				t.Fatal(err)
			}
			asked[m.Params.ID] = string(m.ID)
		}
		for i := n - 1; i >= 0; i-- {
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%d}`, asked[fmt.Sprint(i)], i))
			p.want(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":"result %d"}`, i, i))
		}
	})
}

func TestCall_EndOfItsContextTellsThePeerAndForgets(t *testing.T) {
	eachFraming(t, func(t *testing.T, framing Framing) {
		p := start(t, framing, Options{}, callThrough)
		p.send(requestOf(`"r"`, "run"))
		p.want(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
		p.send(cancelOf(`"r"`))
		got := []string{p.read(), p.read()}
		if strings.HasPrefix(got[0], `{"jsonrpc":"2.0","id"`) { // the two are not ordered
			got[0], got[1] = got[1], got[0]
		}
		if got[0] != `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}` ||
			got[1] != `{"jsonrpc":"2.0","id":"r","result":"context canceled"}` {
			t.Errorf("got %s", got)
		}
		p.send(`{"jsonrpc":"2.0","id":1,"result":"late"}`, `{"jsonrpc":"2.0","id":1,"error":"late"}`, ping)
		p.want(pong)
		p.conn.s.mu.Lock()
		defer p.conn.s.mu.Unlock()
		if n := len(p.conn.s.calls) + len(p.conn.s.sent) + len(p.conn.s.notes); n != 0 {
			t.Errorf("%d calls are remembered", n)
		}
	})
}

// However a call, its context and the connection end, the call returns and nothing is left of it.
func TestCall_AlwaysReturns(t *testing.T) {
	eachFraming(t, func(t *testing.T, framing Framing) {
		for round := range 50 {
			p := start(t, framing, Options{Framing: framing}, callThrough)
			go func() { // a peer that answers until it is gone
				for n := 0; n < round; n++ {
					body, err := p.frames.Next()
					if err != nil {
						return
					}
					var m struct{ ID json.RawMessage }
					if json.Unmarshal(body, &m) == nil && m.ID != nil {
						WriteFrame(p.in, framing, []byte(`{"jsonrpc":"2.0","id":`+string(m.ID)+`,"result":1}`))
					}
				}
				switch round % 3 {
				case 0:
					p.in.Close()
					io.Copy(io.Discard, p.out)
				case 1:
					p.out.Close() // noticed by a write, if there is one
					p.in.Close()
				case 2:
					p.cancel()
				}
			}()
			var calls sync.WaitGroup
			for i := range 8 {
				calls.Go(func() {
					for range 20 {
						ctx, cancel := context.WithCancel(t.Context())
						if i%2 == 0 {
							go cancel()
						}
						p.conn.Call(ctx, "m", nil)
						cancel()
					}
				})
			}
			calls.Wait()
			p.in.Close()
			p.out.Close()
			p.wait()
			if n := len(p.conn.s.calls) + len(p.conn.s.sent) + len(p.conn.s.live); n != 0 {
				t.Errorf("round %d: %d calls or requests are left", round, n)
			}
			if !p.conn.s.space.TryAcquire(p.conn.s.opts.bounds.queued) {
				t.Errorf("round %d: some of the queue's room is lost", round)
			}
		}
	})
}

func TestCall_WithoutParamsAndWithOddOnes(t *testing.T) {
	eachFraming(t, func(t *testing.T, framing Framing) {
		p := start(t, framing, Options{Framing: framing}, func(*Conn) Table { return nil }) // may speak first
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for i, c := range []struct {
			params any
			want   string
		}{
			{nil, `{"jsonrpc":"2.0","id":1,"method":"a\"b"}`},
			{json.RawMessage(`{ "b":1.0,"a":"<" }`), `{"jsonrpc":"2.0","id":2,"method":"a\"b","params":{ "b":1.0,"a":"<" }}`},
			{map[string]string{"a": "<"}, `{"jsonrpc":"2.0","id":3,"method":"a\"b","params":{"a":"<"}}`},
			{json.RawMessage(`null`), `{"jsonrpc":"2.0","id":4,"method":"a\"b","params":null}`},
		} {
			done := make(chan error, 1)
			go func() {
				_, err := p.conn.Call(ctx, `a"b`, c.params)
				done <- err
			}()
			p.want(c.want)
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":1}`, i+1))
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if _, err := p.conn.Call(ctx, "m", json.RawMessage(`{`)); err == nil {
			t.Error("params that are no JSON were sent")
		}
		cancel()
		if _, err := p.conn.Call(ctx, "m", nil); !errors.Is(err, context.Canceled) {
			t.Errorf("call with an ended context: %v", err)
		}
	})
}

// A call that begins once the one before is queued is written after it.
func TestCall_OnQueuedTellsTheOrder(t *testing.T) {
	const calls = 50
	p := start(t, FramingNDJSON, Options{}, func(c *Conn) Table {
		return Table{"run": func(context.Context, json.RawMessage) Job {
			return func(ctx context.Context) (any, error) {
				for i := range calls {
					queued := make(chan struct{})
					go func() {
						_, _ = c.Call(OnQueued(ctx, func() { close(queued) }), "m", json.RawMessage(fmt.Sprint("[", i, "]")))
					}()
					<-queued
				}
				return nil, nil
			}
		}}
	})
	p.send(requestOf(`"r"`, "run"))
	for i := range calls {
		p.want(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"m","params":[%d]}`, i+1, i))
	}
}
