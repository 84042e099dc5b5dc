package worker

import (
	"strconv"
	"strings"
)

// protoKey is the member name that never crosses.
const protoKey = "__proto__"

// A path says where in a value something stands: $.items[3]["odd key"].
type path string

const rootPath path = "$"

func (p path) member(key string) path {
	if identifier(key) {
		return p + "." + path(key)
	}
	return p + "[" + path(strconv.Quote(key)) + "]"
}

func (p path) index(i int) path { return p + "[" + path(strconv.Itoa(i)) + "]" }

// pathUnits bounds a path in a message; the middle of a longer one is left out.
const pathUnits = 160

func (p path) String() string {
	if len(p) <= pathUnits {
		return string(p)
	}
	head := cutUnits(string(p), pathUnits/2)
	tail := strings.ToValidUTF8(string(p[len(p)-pathUnits/2:]), "")
	return head + "..." + tail
}

// identifier says whether key can follow a dot.
func identifier(key string) bool {
	return key != "" && strings.IndexFunc(key, func(r rune) bool {
		return !(r == '_' || r == '$' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9')
	}) < 0 && (key[0] < '0' || key[0] > '9')
}
