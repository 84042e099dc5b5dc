package worker

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// A runeSet is a set of code points as sorted, disjoint ranges: pairs of first and last.
type runeSet []rune

const maxRune = unicode.MaxRune

// add makes a set of ranges in any order.
func (s runeSet) add(ranges ...rune) runeSet {
	type pair struct{ lo, hi rune }
	var all []pair
	for _, list := range [][]rune{s, ranges} {
		for i := 0; i+1 < len(list); i += 2 {
			all = append(all, pair{list[i], list[i+1]})
		}
	}
	slices.SortFunc(all, func(a, b pair) int { return int(a.lo - b.lo) })
	var out runeSet
	for _, p := range all {
		if n := len(out); n > 0 && p.lo <= out[n-1]+1 {
			out[n-1] = max(out[n-1], p.hi)
			continue
		}
		out = append(out, p.lo, p.hi)
	}
	return out
}

func (s runeSet) complement() runeSet {
	var out runeSet
	next := rune(0)
	for i := 0; i < len(s); i += 2 {
		if s[i] > next {
			out = append(out, next, s[i]-1)
		}
		next = s[i+1] + 1
	}
	if next <= maxRune {
		out = append(out, next, maxRune)
	}
	return out
}

func (s runeSet) minus(t runeSet) runeSet { return s.complement().add(t...).complement() }

func (s runeSet) and(t runeSet) runeSet { return s.complement().add(t.complement()...).complement() }

// class writes the set as the inside of a character class.
func (s runeSet) class() string {
	var b strings.Builder
	for i := 0; i < len(s); i += 2 {
		fmt.Fprintf(&b, `\u{%x}`, s[i])
		if s[i+1] > s[i] {
			fmt.Fprintf(&b, `-\u{%x}`, s[i+1])
		}
	}
	return b.String()
}

func setOfTable(t *unicode.RangeTable) runeSet {
	var out []rune
	each := func(lo, hi, stride rune) {
		if stride == 1 {
			out = append(out, lo, hi)
			return
		}
		for r := lo; r <= hi; r += stride {
			out = append(out, r, r)
		}
	}
	for _, r := range t.R16 {
		each(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	for _, r := range t.R32 {
		each(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	return runeSet{}.add(out...)
}

func setOfTables(tables ...*unicode.RangeTable) runeSet {
	var s runeSet
	for _, t := range tables {
		s = s.add(setOfTable(t)...)
	}
	return s
}

// property gives the code points of a Unicode property as a regular expression names it between \p{ and }.
// ok is false for a property unknown here, even if the standard has it.
func property(text string) (s runeSet, ok bool) {
	name, value, isPair := strings.Cut(text, "=")
	if isPair {
		switch name {
		case "General_Category", "gc":
			return category(value)
		case "Script", "sc":
			if long, known := scriptNames[value]; known {
				value = long
			}
			t, known := unicode.Scripts[value]
			if !known {
				return nil, false
			}
			return setOfTable(t), true
		}
		return nil, false
	}
	if s, ok = category(name); ok {
		return s, true
	}
	return binaryProperty(name)
}

func category(name string) (runeSet, bool) {
	if short, ok := unicode.CategoryAliases[name]; ok {
		name = short
	}
	switch name {
	case "Surrogate", "Cs":
		return runeSet{0xd800, 0xdfff}, true
	}
	t, ok := unicode.Categories[name]
	if !ok {
		return nil, false
	}
	return setOfTable(t), true
}

func binaryProperty(name string) (runeSet, bool) {
	if long, ok := propertyNames[name]; ok {
		name = long
	}
	switch name {
	case "Any":
		return runeSet{0, maxRune}, true
	case "ASCII":
		return runeSet{0, 0x7f}, true
	case "Assigned":
		return setOfTable(unicode.Categories["Cn"]).complement(), true
	case "Alphabetic":
		return setOfTables(unicode.L, unicode.Nl, unicode.Other_Alphabetic), true
	case "Uppercase":
		return setOfTables(unicode.Lu, unicode.Other_Uppercase), true
	case "Lowercase":
		return setOfTables(unicode.Ll, unicode.Other_Lowercase), true
	case "Cased":
		return setOfTables(unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Uppercase, unicode.Other_Lowercase), true
	case "Math":
		return setOfTables(unicode.Sm, unicode.Other_Math), true
	case "ID_Start", "ID_Continue":
		s := setOfTables(unicode.L, unicode.Nl, unicode.Other_ID_Start)
		if name == "ID_Continue" {
			s = s.add(setOfTables(unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)...)
		}
		return s.minus(setOfTables(unicode.Pattern_Syntax, unicode.Pattern_White_Space)), true
	}
	if ranges, ok := emojiProperties[name]; ok {
		return ranges, true
	}
	if slices.Contains(standardProperties, name) {
		return setOfTable(unicode.Properties[name]), true
	}
	return nil, false
}

// standardProperties are the binary properties of the ECMAScript standard that the tables at hand hold as they are.
var standardProperties = []string{
	"ASCII_Hex_Digit", "Bidi_Control", "Dash", "Deprecated", "Diacritic", "Extender", "Hex_Digit",
	"IDS_Binary_Operator", "IDS_Trinary_Operator", "Ideographic", "Join_Control", "Logical_Order_Exception",
	"Noncharacter_Code_Point", "Pattern_Syntax", "Pattern_White_Space", "Quotation_Mark", "Radical",
	"Regional_Indicator", "Sentence_Terminal", "Soft_Dotted", "Terminal_Punctuation", "Unified_Ideograph",
	"Variation_Selector", "White_Space",
}

// propertyNames are the standard's short names.
var propertyNames = map[string]string{
	"Alpha": "Alphabetic", "Upper": "Uppercase", "Lower": "Lowercase", "space": "White_Space", "IDS": "ID_Start",
	"IDC": "ID_Continue", "AHex": "ASCII_Hex_Digit", "Hex": "Hex_Digit", "EPres": "Emoji_Presentation",
	"EMod": "Emoji_Modifier", "EBase": "Emoji_Modifier_Base", "EComp": "Emoji_Component",
	"ExtPict": "Extended_Pictographic", "Ideo": "Ideographic", "RI": "Regional_Indicator", "QMark": "Quotation_Mark",
	"Term": "Terminal_Punctuation", "STerm": "Sentence_Terminal", "VS": "Variation_Selector", "Dia": "Diacritic",
}

// scriptNames are the short names of the scripts that are written most.
var scriptNames = map[string]string{
	"Arab": "Arabic", "Armn": "Armenian", "Beng": "Bengali", "Cyrl": "Cyrillic", "Deva": "Devanagari",
	"Ethi": "Ethiopic", "Geor": "Georgian", "Grek": "Greek", "Gujr": "Gujarati", "Guru": "Gurmukhi",
	"Hang": "Hangul", "Hani": "Han", "Hebr": "Hebrew", "Hira": "Hiragana", "Kana": "Katakana", "Khmr": "Khmer",
	"Knda": "Kannada", "Laoo": "Lao", "Latn": "Latin", "Mlym": "Malayalam", "Mong": "Mongolian", "Mymr": "Myanmar",
	"Sinh": "Sinhala", "Taml": "Tamil", "Telu": "Telugu", "Thaa": "Thaana", "Thai": "Thai", "Tibt": "Tibetan",
	"Zinh": "Inherited", "Zyyy": "Common", "Bopo": "Bopomofo", "Copt": "Coptic", "Cher": "Cherokee",
}
