package worker

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/dop251/goja"
	"github.com/go-json-experiment/json/jsontext"
)

var errTrailingJSON = errors.New("json: text after the value")

// A decoder builds values of the sandbox's realm from JSON. For what comes from outside, objects have no prototype
// and members called __proto__ are left out; for the script's own JSON.parse they are ordinary. Arrays are ordinary
// either way. It does not recurse, so that depth costs memory only.
type decoder struct {
	realm *realm
	proto *goja.Object // of the objects made, nil for none
	bigs  bigs
	lost  []lostDigits // integers that are not exact in the script, in document order
	raw   []byte
	in    *jsontext.Decoder
	stack []level
}

// A level is one object or array under construction.
type level struct {
	object *goja.Object // nil for an array
	fresh  fresh        // the object, if it can be written in place
	items  []any        // of an array
	named  bool         // key is read, its value is to come
	key    string
	odd    goja.Value // the key if half a surrogate pair is in it, else nil
	bigs   map[string]wide
	width  int // members of the last object in it: rows are alike
}

// decode reads one JSON text; an empty one is null. The error is the JSON's.
func (d *decoder) decode(raw []byte) (goja.Value, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return goja.Null(), nil
	}
	d.raw = raw
	d.in = jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		v, err := d.step()
		if err != nil {
			return nil, err
		}
		if v != nil && len(d.stack) == 0 {
			if _, err := d.in.ReadToken(); err != io.EOF {
				return nil, errTrailingJSON
			}
			return v, nil
		}
	}
}

// step reads one token and returns the value it completes, if any.
func (d *decoder) step() (goja.Value, error) {
	from := d.in.InputOffset()
	tok, err := d.in.ReadToken()
	if err != nil {
		return nil, err
	}
	var v goja.Value
	switch tok.Kind() {
	case 'n':
		v = goja.Null()
	case 't', 'f':
		v = d.realm.vm.ToValue(tok.Bool())
	case '"':
		if n := len(d.stack); n > 0 && d.stack[n-1].object != nil && !d.stack[n-1].named {
			l := &d.stack[n-1]
			text := d.text(tok, from)
			l.named, l.key, l.odd = true, text.text, nil
			if strings.ContainsRune(l.key, '\ufffd') {
				l.odd = text.value
			}
			return nil, nil
		}
		v = d.text(tok, from).value
	case '0':
		v = d.number(d.json(from))
	case '{':
		d.open()
		return nil, nil
	case '[':
		d.stack = append(d.stack, level{})
		return nil, nil
	default:
		v = d.close()
	}
	return v, d.put(v)
}

// json gives the JSON of the scalar that was read last and began after nothing but what separates values.
func (d *decoder) json(from int64) []byte {
	return bytes.TrimLeft(d.raw[from:d.in.InputOffset()], " \t\r\n,:")
}

// text gives the string that was read last; half a surrogate pair, which JSON may spell as an escape, is kept as
// JSON.parse keeps it.
func (d *decoder) text(tok jsontext.Token, from int64) storedText {
	json := d.json(from)
	place, found := d.realm.texts.place(json)
	if found {
		return *place
	}
	s := storedText{text: tok.String()}
	if strings.ContainsRune(s.text, '\ufffd') {
		s.value = goja.StringFromUTF16(unquote16(string(json)))
		return s
	}
	s.value = d.realm.vm.ToValue(s.text)
	if place != nil {
		*place = s
	}
	return s
}

// number gives a number and remembers the digits of an integer that JavaScript cannot hold.
func (d *decoder) number(json []byte) goja.Value {
	v, _ := strconv.ParseFloat(string(json), 64) // out of range gives an infinity, as in JSON.parse
	if d.bigs != nil && math.Abs(v) >= maxExact {
		d.noteWide(v, string(json))
	}
	return d.realm.vm.ToValue(v)
}

func (d *decoder) noteWide(v float64, digits string) {
	if strings.ContainsAny(digits, ".eE") || strings.TrimPrefix(digits, "-") == maxExactDigits {
		return
	}
	b := wide{seen: v, digits: digits}
	d.lost = append(d.lost, lostDigits{d.path(), b})
	if n := len(d.stack); n > 0 {
		l := &d.stack[n-1]
		if l.bigs == nil {
			l.bigs = map[string]wide{}
		}
		l.bigs[l.slot()] = b
	}
}

// slot is the key the next value is put under.
func (l *level) slot() string {
	if l.object != nil {
		return l.key
	}
	return strconv.Itoa(len(l.items))
}

// put stores a complete value in the innermost open object or array.
func (d *decoder) put(v goja.Value) error {
	n := len(d.stack)
	if n == 0 {
		return nil
	}
	l := &d.stack[n-1]
	if l.object == nil {
		l.items = append(l.items, v)
		return nil
	}
	l.named = false
	if l.odd != nil {
		_, err := d.realm.setMember(nil, l.object, l.odd, v)
		return err
	}
	switch {
	case d.proto == nil && l.key == protoKey:
		return nil
	case l.fresh.known():
		l.fresh.set(l.key, v)
		return nil
	default: // Set would run a setter of the prototype
		return l.object.DefineDataProperty(l.key, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	}
}

// keptWidth bounds the room made in one object because another had so many members.
const keptWidth = 32

// open begins an object.
func (d *decoder) open() {
	width := 0
	if n := len(d.stack); n > 0 {
		width = min(d.stack[n-1].width, keptWidth)
	}
	o := d.realm.vm.CreateObject(d.proto)
	d.stack = append(d.stack, level{object: o, fresh: d.realm.layout.fresh(o, width)})
}

// close ends the innermost object or array.
func (d *decoder) close() goja.Value {
	l := d.stack[len(d.stack)-1]
	d.stack = d.stack[:len(d.stack)-1]
	o := l.object
	if o == nil {
		o = d.realm.vm.NewArray(l.items...)
	}
	if n := len(d.stack); n > 0 && l.fresh.known() {
		d.stack[n-1].width = len(*l.fresh.names)
	}
	if l.bigs != nil {
		d.bigs[o] = container{l.bigs, len(l.items)}
	}
	return o
}

// path is where the next value stands, as $.items[3].id.
func (d *decoder) path() string {
	p := rootPath
	for i := range d.stack {
		if l := &d.stack[i]; l.object != nil {
			p = p.member(l.key)
		} else {
			p = p.index(len(l.items))
		}
	}
	return p.String()
}
