package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/exec-ext/exec-ext/hostapi"
)

// A Conversation holds every message of one connection to its schema, and answers to the requests they belong to. It
// may be used from several goroutines.
type Conversation struct {
	v *Validator

	mu    sync.Mutex
	open  map[way][]string // requests without an answer: sender and id, to methods; guarded by mu
	done  map[way]bool     // ids that were answered; guarded by mu
	loose bool             // guarded by mu
}

// NewConversation begins one.
func NewConversation(v *Validator) *Conversation {
	return &Conversation{v: v, open: map[way][]string{}, done: map[way]bool{}}
}

// Loosen says that the host sends bytes which cannot be followed: from now on an answer without a request is let
// through, until Tighten.
func (c *Conversation) Loosen() { c.setLoose(true) }

// Tighten takes Loosen back.
func (c *Conversation) Tighten() { c.setLoose(false) }

func (c *Conversation) setLoose(loose bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.loose = loose
}

// Host looks at a message of the host. The error says what is wrong with it; it may be on purpose.
func (c *Conversation) Host(body []byte) (Message, error) { return c.message(hostapi.FromHost, body) }

// Extension looks at a message of the extension.
func (c *Conversation) Extension(body []byte) (Message, error) {
	m, err := c.message(hostapi.FromExtension, body)
	if err == nil && m.Error != nil {
		err = errorData(m.Error)
	}
	return m, err
}

func (c *Conversation) message(from string, body []byte) (Message, error) {
	m, err := Parse(body)
	if err != nil {
		if m.IsRequest() {
			c.sent(from, m)
		}
		return m, err
	}
	if m.IsAnswer() {
		m.Answers, err = c.answered(from, m)
		return m, err
	}
	if m.IsRequest() {
		c.sent(from, m)
	}
	switch {
	case m.IsRequest() != c.v.IsRequest(from, m.Method) && c.v.params[way{from, m.Method}] != nil:
		err = errors.New("sent as the wrong one of request and notification")
	default:
		err = c.v.Params(from, m.Method, m.Params)
	}
	if err != nil {
		err = fmt.Errorf("%s from the %s: %w", m.Method, from, err)
	}
	return m, err
}

func (c *Conversation) sent(from string, m Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := way{from, string(m.ID)}
	c.open[key] = append(c.open[key], m.Method)
	delete(c.done, key)
}

// answered takes the request that an answer belongs to off the list, and gives its method.
func (c *Conversation) answered(from string, m Message) (string, error) {
	asker := hostapi.FromHost
	if from == asker {
		asker = hostapi.FromExtension
	}
	key := way{asker, string(m.ID)}
	c.mu.Lock()
	waiting, done, loose := c.open[key], c.done[key], c.loose
	if len(waiting) > 0 {
		c.open[key] = waiting[1:]
		c.done[key] = len(waiting) == 1
	}
	c.mu.Unlock()
	switch {
	case len(waiting) > 0:
		return waiting[0], c.result(asker, waiting[0], m)
	case loose:
		return "", nil
	case done:
		return "", fmt.Errorf("id %s is answered twice", m.ID)
	case string(m.ID) == "null":
		return "", fmt.Errorf("an answer with id null to no malformed message: %s", orNothing(m.Error))
	}
	return "", fmt.Errorf("an answer to id %s, which was not asked", m.ID)
}

func (c *Conversation) result(asker, method string, m Message) error {
	if m.Error != nil {
		return nil
	}
	if err := c.v.Result(asker, method, m.Result); err != nil && !errors.Is(err, ErrUnknownMethod) {
		return fmt.Errorf("result of %s: %w", method, err)
	}
	return nil
}

// Unanswered gives the ids of the host's requests that wait for an answer, for a person.
func (c *Conversation) Unanswered() []json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []json.RawMessage
	for key, methods := range c.open {
		if key.from == hostapi.FromHost && len(methods) > 0 {
			out = append(out, json.RawMessage(key.method))
		}
	}
	return out
}
