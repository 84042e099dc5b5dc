package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
)

const cancelled = `"error":{"code":-32800,"message":"request cancelled","data":{"kind":"cancelled","retryable":false}}}`

// untilCancelled waits for its context's end and gives its error.
func untilCancelled(context.Context, json.RawMessage) Job {
	return func(ctx context.Context) (any, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
}

func cancelOf(id string) string {
	return `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":` + id + `}}`
}

func requestOf(id, method string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `"}`
}

func TestCancel_WhateverTheSpellingOfTheID(t *testing.T) {
	eachFraming(t, func(t *testing.T, framing Framing) {
		p := start(t, framing, Options{}, fixed(Table{"wait": untilCancelled}))
		for _, ids := range [][2]string{
			{`1`, `1`}, {`1.0`, `1`}, {`1`, `1e0`}, {`-1`, `-1.00`}, {`"a"`, `"\u0061"`}, {`"\u0061"`, `"a"`},
			{`9007199254740993`, `9007199254740993`}, {`1e999`, `1e999`},
		} {
			p.send(requestOf(ids[0], "wait"), cancelOf(ids[1])) // one write: the cancel finds the request
			p.want(`{"jsonrpc":"2.0","id":` + ids[0] + `,` + cancelled)
		}
	})
}

func TestCancel_SameSpellingBeatsSameValue(t *testing.T) {
	eachFraming(t, func(t *testing.T, framing Framing) {
		p := start(t, framing, Options{}, fixed(Table{"wait": untilCancelled}))
		p.send(requestOf(`1`, "wait"), requestOf(`1.0`, "wait"), requestOf(`"1"`, "wait"), cancelOf(`1.0`))
		p.want(`{"jsonrpc":"2.0","id":1.0,` + cancelled)
		p.send(cancelOf(`1.00`))
		p.want(`{"jsonrpc":"2.0","id":1,` + cancelled)
		p.send(cancelOf(`"1"`))
		p.want(`{"jsonrpc":"2.0","id":"1",` + cancelled)
	})
}

func TestCancel_RequestsThatShareAnIDAreAllAnswered(t *testing.T) {
	eachFraming(t, func(t *testing.T, framing Framing) {
		p := start(t, framing, Options{}, fixed(Table{"wait": untilCancelled, "echo": echo}))
		p.send(requestOf(`1`, "wait"), requestOf(`1`, "wait"))
		p.send(`{"jsonrpc":"2.0","id":1,"method":"echo","params":[]}`)
		p.want(`{"jsonrpc":"2.0","id":1,"result":[]}`)
		p.send(cancelOf(`1`))
		p.want(`{"jsonrpc":"2.0","id":1,`+cancelled, `{"jsonrpc":"2.0","id":1,`+cancelled)
	})
}

// The answer to a cancelled request is the job's own if it has one; any other error than an *Error becomes -32800.
func TestCancel_JobsOwnAnswerWins(t *testing.T) {
	after := func(value any, err error) Method {
		return func(context.Context, json.RawMessage) Job {
			return func(ctx context.Context) (any, error) {
				<-ctx.Done()
				return value, err
			}
		}
	}
	eachFraming(t, func(t *testing.T, framing Framing) {
		p := start(t, framing, Options{}, fixed(Table{
			"result": after(json.RawMessage(`{"status":"cancelled"}`), nil),
			"own":    after(nil, NewError(-31002, "shutting_down", "bye", true, nil)),
			"other":  after(nil, errors.New("pipe broke")),
		}))
		for method, want := range map[string]string{
			"result": `"result":{"status":"cancelled"}}`,
			"own":    `"error":{"code":-31002,"message":"bye","data":{"kind":"shutting_down","retryable":true}}}`,
			"other":  cancelled,
		} {
			p.send(requestOf(`1`, method), cancelOf(`1`))
			p.want(`{"jsonrpc":"2.0","id":1,` + want)
		}
	})
}

// A cancel that is read before the job's goroutine runs is seen by the job, and by the Method's context too.
func TestCancel_BeforeTheJobStarts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		p := start(t, FramingNDJSON, Options{}, fixed(Table{"late": func(early context.Context, _ json.RawMessage) Job {
			return func(ctx context.Context) (any, error) {
				<-hold
				return []any{ctx.Err() != nil, early.Err() != nil}, nil
			}
		}}))
		p.send(requestOf(`1`, "late"), cancelOf(`1`))
		synctest.Wait()
		close(hold)
		p.want(`{"jsonrpc":"2.0","id":1,"result":[true,true]}`)
	})
}

// Methods run on the read loop in the order of the messages, whatever their jobs do.
func TestMethods_RunInOrder(t *testing.T) {
	eachFraming(t, func(t *testing.T, framing Framing) {
		var order []string // belongs to the read loop
		note := func(_ context.Context, params json.RawMessage) Job {
			order = append(order, string(params))
			return nil
		}
		p := start(t, framing, Options{}, fixed(Table{
			"note": note,
			"all": func(context.Context, json.RawMessage) Job {
				text := strings.Join(order, "")
				return func(context.Context) (any, error) { return text, nil }
			},
		}))
		p.send(`{"jsonrpc":"2.0","method":"note","params":[1]}`, `{"jsonrpc":"2.0","id":1,"method":"note","params":[2]}`,
			`{"jsonrpc":"2.0","method":"note","params":[3]}`, requestOf(`2`, "all"))
		p.want(`{"jsonrpc":"2.0","id":1,"result":null}`, `{"jsonrpc":"2.0","id":2,"result":"[1][2][3]"}`)
	})
}

func TestJobs_PanicsAreAnsweredAndLoggedWithoutPayload(t *testing.T) {
	eachFraming(t, func(t *testing.T, framing Framing) {
		p := start(t, framing, Options{}, fixed(Table{
			"method": func(context.Context, json.RawMessage) Job { panic("secret") },
			"job": func(context.Context, json.RawMessage) Job {
				return func(context.Context) (any, error) { panic("secret") }
			},
			"index": func(context.Context, json.RawMessage) Job {
				return func(context.Context) (any, error) { var none []int; return none[len(none)], nil }
			},
			"goexit": func(context.Context, json.RawMessage) Job {
				return func(context.Context) (any, error) { runtime.Goexit(); return nil, nil }
			},
			"plain": func(context.Context, json.RawMessage) Job {
				return func(context.Context) (any, error) { return nil, errors.New("disk full") }
			},
			"unmarshalable": func(context.Context, json.RawMessage) Job {
				return func(context.Context) (any, error) { return make(chan int), nil }
			},
			"not json": func(context.Context, json.RawMessage) Job {
				return func(context.Context) (any, error) { return json.RawMessage("{"), nil }
			},
		}))
		for _, method := range []string{"method", "job", "index", "goexit", "plain", "unmarshalable", "not json"} {
			p.send(`{"jsonrpc":"2.0","method":"` + method + `"}`) // as a notification: no answer
			p.send(requestOf(`1`, method))
			var got struct {
				ID    int
				Error struct {
					Code int
					Data struct {
						Kind, Incident string
						Retryable      *bool
					}
				}
			}
			if err := json.Unmarshal([]byte(p.read()), &got); err != nil {
				t.Fatal(err)
			}
			data := got.Error.Data
			if got.ID != 1 || got.Error.Code != CodeInternal || data.Kind != "internal" || data.Retryable == nil || *data.Retryable {
				t.Errorf("%s: got %+v", method, got)
			}
			if log := p.log.String(); data.Incident == "" || !strings.Contains(log, data.Incident) {
				t.Errorf("%s: incident %q is not in the log", method, data.Incident)
			}
		}
		log := p.log.String()
		if strings.Contains(log, "secret") || !strings.Contains(log, "cancel_test.go") || !strings.Contains(log, "index out of range") {
			t.Errorf("log: %s", log)
		}
	})
}

func TestErrors_DataIsAlwaysAnObjectWithKindAndRetryable(t *testing.T) {
	eachFraming(t, func(t *testing.T, framing Framing) {
		fail := func(e *Error) Method {
			return func(context.Context, json.RawMessage) Job {
				return func(context.Context) (any, error) { return nil, e }
			}
		}
		p := start(t, framing, Options{}, fixed(Table{
			"bare":  fail(&Error{Code: -1, Message: "<x>\n"}),
			"text":  fail(&Error{Code: -1, Message: "m", Data: "text"}),
			"extra": fail(NewError(-32602, "params", "m", false, map[string]any{"path": "/a"})),
			"raw":   fail(&Error{Code: -1, Message: "m", Data: json.RawMessage(`{ "kind":"k", "retryable":true, "a":1.0 }`)}),
		}))
		for method, want := range map[string]string{
			"bare":  `{"code":-1,"message":"<x>\n","data":{"kind":"error","retryable":false}}`,
			"text":  `{"code":-1,"message":"m","data":{"kind":"error","retryable":false}}`,
			"extra": `{"code":-32602,"message":"m","data":{"kind":"params","path":"/a","retryable":false}}`,
			"raw":   `{"code":-1,"message":"m","data":{ "kind":"k", "retryable":true, "a":1.0 }}`,
		} {
			p.send(requestOf(`1`, method))
			p.want(`{"jsonrpc":"2.0","id":1,"error":` + want + `}`)
		}
	})
}
