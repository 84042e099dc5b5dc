package worker

import (
	"encoding/json"
	"sort"
	"strings"
)

// A mapping ties a place in the stripped code to its place in the wrapped text. All four count from 0.
type mapping struct{ genLine, genCol, line, col int }

// A sourceMap leads from the stripped code back to the model's text.
type sourceMap []mapping

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// readSourceMap reads the stripper's source map, which names one source only.
func readSourceMap(raw []byte) sourceMap {
	var m struct {
		Mappings string `json:"mappings"`
	}
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	var out sourceMap
	var at mapping
	for n, line := range strings.Split(m.Mappings, ";") {
		at.genLine, at.genCol = n, 0
		for _, segment := range strings.Split(line, ",") {
			var field [5]int
			i := 0
			for ; segment != "" && i < len(field); i++ {
				field[i], segment = readVLQ(segment)
			}
			at.genCol += field[0]
			if i >= 4 {
				at.line += field[2]
				at.col += field[3]
				out = append(out, at)
			}
		}
	}
	return out
}

func readVLQ(s string) (value int, rest string) {
	shift := 0
	for i := 0; i < len(s); i++ {
		d := strings.IndexByte(base64Digits, s[i])
		value |= d & 31 << shift
		shift += 5
		if d&32 == 0 {
			s = s[i+1:]
			break
		}
	}
	if value&1 == 1 {
		return -(value >> 1), s
	}
	return value >> 1, s
}

func appendVLQ(out []byte, v int) []byte {
	u := v << 1
	if v < 0 {
		u = -v<<1 | 1
	}
	for {
		d := u & 31
		if u >>= 5; u > 0 {
			d |= 32
		}
		out = append(out, base64Digits[d])
		if u == 0 {
			return out
		}
	}
}

// model gives the place in the model's own text, from 1, of a place in the wrapped text from 0.
func (m mapping) model() (line, column int) {
	column = m.col + 1
	if m.line == 0 {
		column = max(column-len(wrapperHead), 1)
	}
	return m.line + 1, column
}

// engine writes the map as the engine reads it: it looks columns up counted from 1, and takes what it finds for the
// column of the message.
func (m sourceMap) engine() []byte {
	var out []byte
	var genLine, genCol, srcLine, srcCol int
	for _, s := range m {
		for ; genLine < s.genLine; genLine++ {
			out = append(out, ';')
			genCol = 0
		}
		if n := len(out); n > 0 && out[n-1] != ';' {
			out = append(out, ',')
		}
		line, col := s.model()
		out = appendVLQ(out, s.genCol+1-genCol)
		out = appendVLQ(out, 0)
		out = appendVLQ(out, line-1-srcLine)
		out = appendVLQ(out, col-srcCol)
		genCol, srcLine, srcCol = s.genCol+1, line-1, col
	}
	raw, _ := json.Marshal(map[string]any{"version": 3, "sources": []string{scriptName}, "names": []string{}, "mappings": string(out)})
	return raw
}

// model gives the place in the model's text of a place in the stripped code, both from 1; 0, 0 if unknown.
func (m sourceMap) model(line, column int) (int, int) {
	i := sort.Search(len(m), func(i int) bool {
		return m[i].genLine > line-1 || m[i].genLine == line-1 && m[i].genCol > column-1
	})
	if i == 0 {
		return 0, 0
	}
	return m[i-1].model()
}
