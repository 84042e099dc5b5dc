package rpc

import (
	"container/list"
	"sync"
)

// A message waits to be written. Its fields belong to the outbox once it is put there.
type message struct {
	parts  [][]byte
	urgent bool
	key    *string // of a notification: at most one message with it waits
	done   func()  // called once, when the message is written or given up; may be nil

	place *list.Element
}

func (m *message) size() (n int) {
	for _, p := range m.parts {
		n += len(p)
	}
	return n
}

func (m *message) finish() {
	if m.done != nil {
		m.done()
	}
}

// An outbox holds what waits to be written: an urgent lane that overtakes, and a normal lane in order. It never
// blocks. The normal lane is bounded by those who put messages there, who first acquire room for its bytes.
type outbox struct {
	mu          sync.Mutex
	urgent      list.List
	normal      list.List
	urgentBytes int
	notes       map[string]*message // those with a key
	maxNotes    int
	writing     bool // the writer holds a message or unflushed bytes
	closed      bool

	wake chan struct{} // holds one element if the writer may have work
}

func newOutbox(maxNotes int) *outbox {
	return &outbox{maxNotes: maxNotes, notes: map[string]*message{}, wake: make(chan struct{}, 1)}
}

// put queues m and reports how many bytes wait in the urgent lane. A message that is refused is finished at once:
// the outbox is closed, or it is a notification and too many keys wait.
func (o *outbox) put(m *message) (urgentBytes int) {
	o.mu.Lock()
	refused := o.closed
	if !refused {
		refused = !o.place(m)
	}
	urgentBytes = o.urgentBytes
	o.mu.Unlock()
	if refused {
		m.finish()
		return urgentBytes
	}
	select {
	case o.wake <- struct{}{}:
	default:
	}
	return urgentBytes
}

// place puts m into its lane. mu is held.
func (o *outbox) place(m *message) bool {
	if m.key != nil {
		if waiting := o.notes[*m.key]; waiting != nil {
			waiting.parts = m.parts
			return true
		}
		if len(o.notes) >= o.maxNotes {
			return false
		}
		o.notes[*m.key] = m
	}
	if m.urgent {
		m.place = o.urgent.PushBack(m)
		o.urgentBytes += m.size()
	} else {
		m.place = o.normal.PushBack(m)
	}
	return true
}

// drop takes m back if it still waits.
func (o *outbox) drop(m *message) bool {
	o.mu.Lock()
	waited := m.place != nil
	if waited {
		o.remove(m)
	}
	o.mu.Unlock()
	if waited {
		m.finish()
	}
	return waited
}

// take returns the next message for the writer, nil if none waits.
func (o *outbox) take() *message {
	o.mu.Lock()
	defer o.mu.Unlock()
	front := o.urgent.Front()
	if front == nil {
		front = o.normal.Front()
	}
	if front == nil {
		return nil
	}
	m := front.Value.(*message)
	o.remove(m)
	o.writing = true
	return m
}

// remove takes m out of its lane. mu is held.
func (o *outbox) remove(m *message) {
	if m.urgent {
		o.urgent.Remove(m.place)
		o.urgentBytes -= m.size()
	} else {
		o.normal.Remove(m.place)
	}
	m.place = nil
	if m.key != nil {
		delete(o.notes, *m.key)
	}
}

// flushed says that all that was taken is with the peer.
func (o *outbox) flushed() {
	o.mu.Lock()
	o.writing = false
	o.mu.Unlock()
}

// empty says that nothing waits or is being written, or nothing can be written any more.
func (o *outbox) empty() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.closed || !o.writing && o.urgent.Len() == 0 && o.normal.Len() == 0
}

// close gives up all that waits and refuses what comes.
func (o *outbox) close() {
	o.mu.Lock()
	o.closed = true
	var given []*message
	for _, lane := range []*list.List{&o.urgent, &o.normal} {
		for lane.Len() > 0 {
			m := lane.Front().Value.(*message)
			o.remove(m)
			given = append(given, m)
		}
	}
	o.mu.Unlock()
	for _, m := range given {
		m.finish()
	}
}
