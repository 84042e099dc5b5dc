package hostkit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"

	"github.com/exec-ext/exec-ext/conformance/report"
	"github.com/exec-ext/exec-ext/conformance/schema"
	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/rpc"
)

// A message is one from the host.
type message struct {
	schema.Message
	raw json.RawMessage
}

// An extension is the kit's end of the fake extension that the host has spawned first. Messages that it does not
// answer by itself wait in the inbox.
type extension struct {
	vector *vector
	talk   *schema.Conversation
	log    func(dir string, bytes []byte)
	fault  func(string)
	inbox  *box[message]
	up     chan struct{} // closed when the process has connected
	gone   chan struct{} // closed when it is gone

	framing atomic.Pointer[rpc.Framing]

	writing sync.Mutex // held while an order goes out; the process may not take it

	mu     sync.Mutex
	conn   net.Conn        // guarded by mu
	nextID int             // guarded by mu
	hello  json.RawMessage // params of initialize; guarded by mu
	said   []string        // methods of the host's messages, in order; guarded by mu
}

func newExtension(v *vector, schemas *schema.Validator, log func(string, []byte), fault func(string)) *extension {
	return &extension{
		vector: v, talk: schema.NewConversation(schemas), log: log, fault: fault, inbox: newBox[message](),
		up: make(chan struct{}), gone: make(chan struct{}),
	}
}

// accept takes processes until the listener is closed: the first is the extension, the others end at once.
func (x *extension) accept(l net.Listener) {
	first := true
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		if first {
			first = false
			go x.serve(conn)
			continue
		}
		code := 1
		_ = json.NewEncoder(conn).Encode(control{Exit: &code})
		go func() {
			_, _ = io.Copy(io.Discard, conn)
			conn.Close()
		}()
	}
}

func (x *extension) serve(conn net.Conn) {
	x.mu.Lock()
	x.conn = conn
	x.mu.Unlock()
	close(x.up)
	stdin, feed := io.Pipe()
	go x.read(stdin)
	defer close(x.gone)
	defer conn.Close()
	signs := json.NewDecoder(bufio.NewReader(conn))
	for {
		var s sign
		if signs.Decode(&s) != nil {
			feed.Close()
			return
		}
		if len(s.Read) > 0 {
			x.log("in", s.Read)
			_, _ = feed.Write(s.Read)
		}
		if s.EOF {
			feed.Close()
			if !x.vector.Stubborn {
				x.exit(0)
			}
		}
	}
}

// read takes messages until the host closes the pipe.
func (x *extension) read(stdin *io.PipeReader) {
	defer stdin.Close()
	frames := rpc.NewFrameReader(stdin, rpc.FramingAuto, 0)
	for {
		body, err := frames.Next()
		if framing := frames.Framing(); framing != rpc.FramingAuto {
			x.framing.Store(&framing)
		}
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) { // a host that gives up may do so in a message
				x.fault("the host's messages: " + err.Error())
			}
			x.inbox.close(errors.New("the host has closed the extension's stdin"))
			return
		}
		x.take(body)
	}
}

// take holds a message to the schemas, answers it if the vector does not want it, and keeps it otherwise. What is
// wrong with initialize is noted only where initialize is what is looked at, so that one mistake is one failure.
func (x *extension) take(body []byte) {
	m, err := x.talk.Host(body)
	if err != nil && (m.Method != hostapi.MethodInitialize || x.vector.Strict) {
		x.fault(fmt.Sprintf("%v\n  in %s", err, report.Clip(body)))
	}
	x.note(m)
	if !m.IsAnswer() && !x.vector.byHand(m.Method) && x.answers(m) {
		return
	}
	x.inbox.put(message{m, body})
}

func (x *extension) note(m schema.Message) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.said = append(x.said, m.Method)
	if m.Method == hostapi.MethodInitialize {
		x.hello = m.Params
	}
}

// answers deals with what every extension answers in the same way; false if the steps have to.
func (x *extension) answers(m schema.Message) bool {
	if result, ok := x.vector.Answers[m.Method]; ok {
		x.send(reply(m.ID, "result", result))
		return true
	}
	switch m.Method {
	case hostapi.MethodInitialize, hostapi.MethodTurnPrepare:
		x.send(reply(m.ID, "result", standardAnswer(m.Method)))
	case hostapi.MethodShutdown:
		x.send(reply(m.ID, "result", json.RawMessage("null")))
	case hostapi.MethodPing:
		x.send(reply(m.ID, "result", json.RawMessage("{}")))
	case hostapi.MethodExit:
		x.exit(0)
	case hostapi.MethodInitialized:
	case hostapi.MethodExecRun:
		if x.vector.Runs == nil {
			return false
		}
		result, err := runResult(runOf(m.Params), hostapi.StatusCompleted, *x.vector.Runs)
		if err != nil {
			x.fault("the kit: " + err.Error())
		}
		x.send(reply(m.ID, "result", result))
	default:
		if !m.IsRequest() {
			return false
		}
		x.send(reply(m.ID, "error", json.RawMessage(`{"code":-32601,"message":"no such method","data":{"kind":"method_not_found","retryable":false}}`)))
	}
	return true
}

// reply is an answer; member is result or error.
func reply(id json.RawMessage, member string, value json.RawMessage) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,%q:%s}`, id, member, value)
}

// send frames a message and sends it.
func (x *extension) send(body []byte) {
	_, _ = x.talk.Extension(body) // it is noted who asked what; the message may be wrong on purpose
	x.write(x.frame(body), 1)
}

// frame is a body as it goes over the wire.
func (x *extension) frame(body []byte) []byte {
	framing := rpc.FramingNDJSON
	if f := x.framing.Load(); f != nil {
		framing = *f
	}
	var b bytes.Buffer
	_ = rpc.WriteFrame(&b, framing, body) // a buffer takes everything
	return b.Bytes()
}

// write lets bytes appear on the extension's stdout, times times.
func (x *extension) write(b []byte, times int) {
	x.log("out", b)
	x.order(control{Write: b, Times: times})
}

func (x *extension) exit(code int) { x.order(control{Exit: &code}) }

func (x *extension) order(c control) {
	x.mu.Lock()
	conn := x.conn
	x.mu.Unlock()
	if conn == nil {
		return
	}
	x.writing.Lock()
	defer x.writing.Unlock()
	_ = json.NewEncoder(conn).Encode(c) // a process that is gone is noticed by its silence
}

// request sends a request with a new id, which it gives.
func (x *extension) request(method string, params json.RawMessage) (id string) {
	x.mu.Lock()
	x.nextID++
	id = fmt.Sprint(x.nextID)
	x.mu.Unlock()
	x.send(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	return id
}

func (x *extension) notify(method string, params json.RawMessage, times int) {
	body := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params)
	x.write(x.frame(body), times)
}

// serves says whether the host has told that it serves the pool.
func (x *extension) serves(capability string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	var hello struct {
		Capabilities map[string]json.RawMessage `json:"capabilities"`
	}
	return json.Unmarshal(x.hello, &hello) == nil && hello.Capabilities[capability] != nil
}

// saidGoodbye says whether the host has sent shutdown and then exit, last of all.
func (x *extension) saidGoodbye() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := len(x.said)
	return n > 1 && x.said[n-2] == hostapi.MethodShutdown && x.said[n-1] == hostapi.MethodExit
}

func (x *extension) close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.conn != nil {
		x.conn.Close()
	}
}
