package rpc

import (
	"encoding/json"
	"math/big"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// idKey returns the value of an id, the same for all its spellings: numbers by their value, strings by theirs.
func idKey(raw json.RawMessage) string {
	if raw[0] == '"' {
		if s, err := jsontext.AppendUnquote([]byte{'"'}, raw); err == nil {
			return string(s)
		}
		return string(raw)
	}
	if _, err := strconv.ParseUint(string(raw), 10, 64); err == nil {
		return string(raw)
	}
	const bits = 512 // exact for ids of up to 150 digits; longer ones are told apart by their spelling
	if len(raw) > 150 {
		return string(raw)
	}
	n, _, err := big.ParseFloat(string(raw), 10, bits, big.ToNearestEven)
	switch {
	case err != nil || n.IsInf():
		return string(raw)
	case n.Sign() == 0:
		return "0"
	case n.IsInt() && n.MantExp(nil) <= bits:
		return n.Text('f', 0)
	}
	return n.Text('p', 0)
}

// isID tells whether raw is a usable id: a string or a number, not longer than what an oversize message is searched.
func isID(raw json.RawMessage) bool {
	switch jsontext.Value(raw).Kind() {
	case jsontext.KindString, jsontext.KindNumber:
		return len(raw) <= headBytes
	}
	return false
}

// sameID tells whether both are usable ids and mean the same.
func sameID(a, b json.RawMessage) bool { return isID(a) && isID(b) && idKey(a) == idKey(b) }
