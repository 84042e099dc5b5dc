package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// Bounds on what a worker may make the parent hold. No honest worker comes near them.
const (
	frameBytes   = 64 << 20 // Limits.FrameBytes if it is 0
	headRoom     = 1 << 20  // what head and text may have beside a value of the largest size
	nameBytes    = 1 << 10
	messageBytes = 64 << 10
	warningBytes = 4 << 10
	warningsKept = 1000
	openCalls    = 1 << 16 // calls begun whose settling has not been written
)

// decodeHead reads the head of a frame.
func decodeHead(f wire.Frame, into any) error {
	if err := json.Unmarshal(f.Head, into); err != nil {
		return fmt.Errorf("head of a frame of kind %q: %w", byte(f.Kind), err)
	}
	return nil
}

var (
	errDepth  = errors.New("nested too deeply")
	errObject = errors.New("not an object")
	errUTF8   = errors.New("not UTF-8")
)

// checkJSON says what is wrong with raw as one JSON value (an object, if asked for) that others can read safely.
// Escaped lone surrogates and repeated names are the script's own business.
func checkJSON(raw []byte, object bool) error {
	if !utf8.Valid(raw) {
		return errUTF8
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if object && d.PeekKind() != '{' {
		return errObject
	}
	for {
		if _, err := d.ReadToken(); err != nil {
			return err
		}
		switch depth := d.StackDepth(); {
		case depth > wire.MaxDepth:
			return errDepth
		case depth == 0:
			if _, err := d.ReadToken(); err != io.EOF {
				return errors.New("more than one value")
			}
			return nil
		}
	}
}

// fromWorker lists the kinds of failure that a worker may claim. The others are the parent's to find.
var fromWorker = []Kind{KindInvalidInput, KindSyntax, KindScript, KindUnserializable, KindMemory, KindStalled, KindInternal}

// ofCall gives the kind of a run that ended with an uncaught call error.
func ofCall(k CallErrorKind) Kind {
	switch k {
	case CallDenied:
		return KindDenied
	case CallLimit:
		return KindCallLimit
	case CallLost:
		return KindHostLost
	case CallAborted:
		return KindCancelled
	default:
		return KindScript
	}
}

// newFailure takes a Failed frame's word, within bounds. seen says which kinds of call errors this run really had.
func newFailure(h wire.FailedHead, seen map[CallErrorKind]bool) (*Failure, error) {
	f := &Failure{
		Kind:    Kind(h.Kind),
		Name:    cut(h.Name, nameBytes),
		Message: cut(h.Message, messageBytes),
		Line:    max(h.Line, 0),
		Column:  max(h.Column, 0),
		Frame:   cut(h.Frame, warningBytes),
	}
	if !slices.Contains(fromWorker, f.Kind) {
		return nil, fmt.Errorf("a failure of kind %q", cut(h.Kind, nameBytes))
	}
	if k := CallErrorKind(h.CallKind); f.Kind == KindScript && seen[k] {
		f.Kind = ofCall(k)
	}
	return f, nil
}
