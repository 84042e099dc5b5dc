package main

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A member of a JSON object whose order matters.
type member struct {
	key   string
	value json.RawMessage
}

func readMembers(object []byte) ([]member, error) {
	d := json.NewDecoder(bytes.NewReader(object))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil, fmt.Errorf("not a JSON object (%v)", err)
	}
	var out []member
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := member{key: key.(string)}
		if err := d.Decode(&m.value); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// writeMembers gives the object indented by two spaces, with a newline at its end.
func writeMembers(members []member) ([]byte, error) {
	var flat, out bytes.Buffer
	flat.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			flat.WriteByte(',')
		}
		key, err := json.Marshal(m.key)
		if err != nil {
			return nil, err
		}
		flat.Write(key)
		flat.WriteByte(':')
		flat.Write(m.value)
	}
	flat.WriteByte('}')
	if err := json.Indent(&out, flat.Bytes(), "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}
