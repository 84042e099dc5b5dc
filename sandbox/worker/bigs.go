package worker

import "github.com/dop251/goja"

// maxExact is the number up to which every integer is exact in a JavaScript number; the next one reads as the same.
const (
	maxExact       = 1 << 53
	maxExactDigits = "9007199254740992"
)

// A wide is an integer of a tool's result that a JavaScript number cannot hold: the number the script sees and the
// digits the tool sent.
type wide struct {
	seen   float64
	digits string
}

// bigs remembers these integers by the object and the key they stand under. As long as the script leaves the
// property alone, its exact digits go out again.
type bigs map[*goja.Object]map[string]wide

// lostDigits names an integer the script sees wrongly.
type lostDigits struct {
	path string
	wide
}

// exact gives the digits for a number read from a property, or "" where the number speaks for itself.
func (b bigs) exact(o *goja.Object, key string, v float64) string {
	if have, ok := b[o][key]; ok && have.seen == v {
		return have.digits
	}
	return ""
}
