package worker

import "fmt"

// Why a value cannot be an argument, after its path.
const (
	reasonUndefined = "is undefined: use null, or leave it out"
	reasonSymbol    = "is a symbol"
	reasonSymbolKey = "has a symbol for a key"
	reasonBigInt    = "is a BigInt, which JSON does not have: use Number(x) or String(x)"
	reasonUnknown   = "is of a kind the sandbox does not know"
	reasonProto     = "is a member named __proto__, which never crosses"
	reasonCycle     = "refers back to an object it is in (a cycle)"
	reasonDeep      = "nests too deeply"
	textTooLarge    = "makes the whole too large to hand over: aggregate first, or hand over a part"
)

func reasonNumber(n string) string { return "is " + n + ", which JSON does not have" }

// strictReason says why an object of a kind is no plain data, "" if it is.
func strictReason(kind objectKind) string {
	switch kind {
	case kindInstance:
		return "is a class instance: pass a plain object"
	case kindFunction:
		return "is a function"
	case kindDate:
		return "is a Date: use date.toISOString()"
	case kindRegExp:
		return "is a RegExp: use its source as text"
	case kindError:
		return "is an Error: use its message"
	case kindMap:
		return "is a Map: use Object.fromEntries(map)"
	case kindSet:
		return "is a Set: use [...set]"
	case kindPromise:
		return "is a Promise: await it first"
	case kindBuffer, kindTyped:
		return "is binary data: use Array.from(bytes) or text"
	case kindProxy:
		return "is a Proxy: pass a plain object"
	case kindBoxed:
		return "is a wrapper object: use the bare value"
	case kindArguments:
		return "is an arguments object: use [...arguments]"
	}
	return ""
}

// What a return value lost, after its path.
const (
	lossUndefined      = "was undefined and became null"
	lossSymbol         = "was a symbol and became null"
	lossSymbolMember   = "was a symbol and was left out"
	lossFunction       = "was a function and became null"
	lossFunctionMember = "was a function and was left out"
	lossIterator       = "was an iterator and became {}: make an array of it, as in [...x]"
	lossInvalidDate    = "was an invalid Date and became null"
)

func lossNumber(n string) string { return "was " + n + " and became null" }

func lossOf(kind objectKind) string {
	switch kind {
	case kindMap:
		return "was a Map and became its entries"
	case kindSet:
		return "was a Set and became an array"
	case kindError:
		return "was an Error and became its name and message"
	case kindRegExp:
		return "was a RegExp and became its text"
	case kindTyped:
		return "was a typed array and became an array of numbers"
	case kindBuffer:
		return "was an ArrayBuffer and became {}"
	case kindPromise:
		return "was a Promise and became {}: await it before returning it"
	}
	return "was changed"
}

func textLossy(path, what string) string { return fmt.Sprintf("Return value: %s %s.", path, what) }

func textMoreLosses(n int) string {
	return fmt.Sprintf("Return value: %d more values were changed in the same ways.", n)
}

func textUnserializable(path, reason string) string {
	return fmt.Sprintf("The return value is not JSON: %s %s.", path, reason)
}

func textGetterThrew(what string) string { return "threw while it was read: " + what }

// The SyntaxErrors of JSON.parse.

const (
	textJSONEnd    = "Unexpected end of JSON input"
	textJSONDeep   = "The JSON nests too deeply"
	textJSONObject = "JSON.parse was given an object, not text: use the object as it is"
)

func textJSONToken(token string, position int, rest string) string {
	return fmt.Sprintf("Unexpected token '%s' in JSON at position %d, at %q", token, position, rest)
}

// The RangeErrors of formatting for people.

func textNoLocale(locale string) string {
	return fmt.Sprintf("The locale %q is not available here: text is formatted in English only. Use \"en-US\", or build the text yourself.", locale)
}

func textNoLocaleOption(name, value string) string {
	return fmt.Sprintf("The option %s: %q is not available here. Leave it out, or build the text yourself.", name, value)
}

func textLocaleValue(name, value string) string {
	return fmt.Sprintf("The value %q is out of range for the option %s.", value, name)
}
