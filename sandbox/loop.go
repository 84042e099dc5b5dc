package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// read is the frame loop: it takes frames until the run is over or the worker's stdout ends. An error is
// something no honest worker sends.
func (r *run) read(ctx context.Context) error {
	for {
		f, err := wire.Read(r.worker.frames, r.job.Limits.FrameBytes+headRoom)
		if errors.Is(err, wire.ErrTooLarge) {
			return err
		}
		if err != nil || r.isOver() {
			return nil // the worker is gone, or soon will be
		}
		last, err := r.take(ctx, f)
		if err != nil || last {
			return err
		}
	}
}

// take acts on one frame and says whether it was the last.
func (r *run) take(ctx context.Context, f wire.Frame) (last bool, err error) {
	switch f.Kind {
	case wire.CallTo:
		return false, r.takeCall(ctx, f)
	case wire.Names:
		return false, r.takeNames(f)
	case wire.Log:
		whole, err := wholeLine(f)
		if err == nil {
			r.logs.add(f.Body, whole)
		}
		return false, err
	case wire.Warn:
		if len(r.warnings) < warningsKept {
			r.warnings = append(r.warnings, cut(toUTF8(f.Body), warningBytes))
		}
		return false, nil
	case wire.Done:
		return true, r.takeDone(f)
	case wire.Failed:
		return true, r.takeFailed(f)
	default:
		return false, fmt.Errorf("a frame of kind %q", byte(f.Kind))
	}
}

// takeCall begins a nested call. The active clock stands still from here until its reply.
func (r *run) takeCall(ctx context.Context, f wire.Frame) error {
	var head wire.CallHead
	if f.ID <= r.lastID {
		return fmt.Errorf("call id %d after %d", f.ID, r.lastID)
	}
	r.lastID = f.ID
	if err := decodeHead(f, &head); err != nil {
		return err
	}
	r.clock.begin()
	if err := checkJSON(f.Body, true); err != nil {
		return fmt.Errorf("arguments of a call: %w", err)
	}
	r.mu.Lock()
	r.open++
	r.openBytes += int64(len(f.Body))
	tooMany := r.open > openCalls || r.openBytes > 2*r.job.Limits.FrameBytes
	r.mu.Unlock()
	if tooMany {
		r.end(nil, manyCallsFailure())
		return nil
	}
	do := r.host.Begin(Call{Name: head.Name, Args: f.Body})
	r.senders.Go(func() {
		reply := do(ctx)
		r.settle(f.ID, len(f.Body), reply)
	})
	return nil
}

// settle sends a call's reply to the worker.
func (r *run) settle(id uint32, argBytes int, reply Reply) {
	answer := wire.Frame{Kind: wire.Settle, ID: id, Body: reply.Value}
	if reply.Err != nil {
		answer.Body = nil
		answer.Head, _ = json.Marshal(wire.SettleHead{Kind: string(reply.Err.Kind), Message: reply.Err.Message}) // strings always marshal
	}
	r.mu.Lock()
	r.openBytes -= int64(argBytes)
	if reply.Err != nil {
		r.seen[reply.Err.Kind] = true
	}
	r.mu.Unlock()
	waiting := r.out.put(answer)
	r.clock.reply()
	if waiting > max(r.job.Limits.MemoryBytes, r.job.Limits.FrameBytes) {
		r.end(nil, memoryFailure()) // more than the script could ever hold, and it takes none of it
	}
	r.drain()
}

// drain may block until the worker is killed.
func (r *run) drain() { r.out.drain(r.worker.stdin, r.written) }

// takeNames answers what the script could call. A worker waits for the answer before it asks again.
func (r *run) takeNames(f wire.Frame) error {
	r.mu.Lock()
	twice := r.naming
	r.naming = true
	r.mu.Unlock()
	if twice {
		return errors.New("names asked for twice at once")
	}
	names := r.host.Names()
	if names == nil {
		names = []string{}
	}
	raw, err := json.Marshal(names)
	r.out.put(wire.Frame{Kind: wire.Names, ID: f.ID, Body: raw})
	r.senders.Go(r.drain)
	return err
}

// written notes that the worker has been sent a frame.
func (r *run) written(f wire.Frame) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch f.Kind {
	case wire.Start:
		r.started = true
	case wire.Settle:
		r.open--
	case wire.Names:
		r.naming = false
	}
}

func (r *run) takeDone(f wire.Frame) error {
	var head wire.DoneHead
	if err := decodeHead(f, &head); err != nil {
		return err
	}
	value := json.RawMessage(nil)
	if len(f.Body) > 0 {
		if err := checkJSON(f.Body, false); err != nil {
			return fmt.Errorf("return value: %w", err)
		}
		value = f.Body
	}
	r.logChars = head.LogChars
	r.end(value, nil)
	return nil
}

func (r *run) takeFailed(f wire.Frame) error {
	var head wire.FailedHead
	if err := decodeHead(f, &head); err != nil {
		return err
	}
	r.mu.Lock()
	failure, err := newFailure(head, r.seen)
	r.mu.Unlock()
	if err != nil {
		return err
	}
	r.logChars = head.LogChars
	r.end(nil, failure)
	return nil
}
