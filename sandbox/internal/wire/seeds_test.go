package wire_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/exec-ext/exec-ext/conformance"
	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// seeds are the frames that the scripts of the conformance vectors and their canned answers become.
func seeds(f *testing.F) [][]byte {
	f.Helper()
	vectors, err := conformance.Load()
	if err != nil {
		f.Fatal(err)
	}
	var all [][]byte
	for _, v := range vectors {
		var script struct {
			Run  struct{ Code json.RawMessage }
			Host map[string]json.RawMessage
		}
		if json.Unmarshal(v.Raw, &script) != nil || script.Run.Code == nil {
			continue
		}
		b := frames(f, wire.Frame{Kind: wire.Start, Head: []byte(`{"prefix":"mcp__"}`), Body: script.Run.Code})
		for name, answer := range script.Host {
			head, err := json.Marshal(wire.CallHead{Name: name})
			if err != nil {
				f.Fatal(err)
			}
			b = append(b, frames(f, wire.Frame{Kind: wire.CallTo, ID: 1, Head: head, Body: []byte("{}")},
				wire.Frame{Kind: wire.Settle, ID: 1, Body: answer})...)
		}
		all = append(all, b)
	}
	if len(all) == 0 {
		f.Fatal("the vectors hold no scripts")
	}
	return all
}

func frames(f *testing.F, list ...wire.Frame) []byte {
	f.Helper()
	var b bytes.Buffer
	for _, frame := range list {
		if err := wire.Write(&b, frame); err != nil {
			f.Fatal(err)
		}
	}
	return b.Bytes()
}
