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
// property alone, and an array's other elements in their places, its exact digits go out again.
type bigs map[*goja.Object]container

// A container holds the wide integers of one object or array.
type container struct {
	wides  map[string]wide
	length int // of an array
}

// lostDigits names an integer the script sees wrongly.
type lostDigits struct {
	path string
	wide
}

// exact gives the digits for a number read from a property, or "" where the number speaks for itself.
func (b bigs) exact(o *goja.Object, key string, v float64) string {
	if have, ok := b[o].wides[key]; ok && have.seen == v {
		return have.digits
	}
	return ""
}

// moved says whether an array is longer or shorter than it was, or a wide integer is not where it was: shift, splice
// and reverse move numbers that read alike to each other's places. Only a swap of two such numbers cannot be told.
func (b bigs) moved(o *goja.Object) bool {
	c, ok := b[o]
	if !ok {
		return false
	}
	if int(o.Get("length").ToInteger()) != c.length {
		return true
	}
	for key, w := range c.wides {
		if v := o.Get(key); v == nil || !goja.IsNumber(v) || v.ToFloat() != w.seen {
			return true
		}
	}
	return false
}
