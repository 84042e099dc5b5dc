package worker

import (
	"math"
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// A decimal is a number as its decimal digits: 0.digits times ten to the point. It is rounded as people round, half
// away from zero, from the digits a script sees and not from the binary value behind them.
type decimal struct {
	negative bool
	digits   string // without leading or trailing zeros; "" for zero
	point    int
}

func newDecimal(text string) decimal {
	var d decimal
	text, d.negative = strings.CutPrefix(text, "-")
	mantissa, exp, _ := strings.Cut(text, "e")
	e, _ := strconv.Atoi(exp)
	whole, frac, _ := strings.Cut(mantissa, ".")
	d.digits, d.point = whole+frac, len(whole)+e
	return d.trim()
}

func (d decimal) trim() decimal {
	n := len(d.digits)
	d.digits = strings.TrimLeft(d.digits, "0")
	d.point -= n - len(d.digits)
	d.digits = strings.TrimRight(d.digits, "0")
	if d.digits == "" {
		d.point = 0
	}
	return d
}

// round keeps at most n digits after the decimal point.
func (d decimal) round(n int) decimal {
	keep := d.point + n
	if keep >= len(d.digits) {
		return d
	}
	if keep < 0 {
		d.digits, d.point = "", 0
		return d
	}
	up := d.digits[keep] >= '5'
	out := []byte("0" + d.digits[:keep])
	for i := len(out) - 1; up; i-- {
		if out[i]++; out[i] <= '9' {
			up = false
		} else {
			out[i] = '0'
		}
	}
	d.digits, d.point = string(out), d.point+1
	return d.trim()
}

// significant keeps at most n digits.
func (d decimal) significant(n int) decimal { return d.round(n - d.point) }

// text writes the number with at least the given digits before and after the point, in groups of three.
func (d decimal) text(minInteger, minFraction int, group bool) string {
	digits := d.digits
	if d.point > len(digits) {
		digits += strings.Repeat("0", d.point-len(digits))
	}
	whole, frac := "", digits
	if d.point > 0 {
		whole, frac = digits[:d.point], digits[d.point:]
	} else if digits != "" {
		frac = strings.Repeat("0", -d.point) + digits
	}
	whole = strings.Repeat("0", max(minInteger-len(whole), 0)) + whole
	frac += strings.Repeat("0", max(minFraction-len(frac), 0))
	if group {
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + "," + whole[i:]
		}
	}
	if frac != "" {
		whole += "." + frac
	}
	return whole
}

// numberFormat is what the options of toLocaleString come to.
type numberFormat struct {
	minInteger, minFraction, maxFraction int
	minSignificant, maxSignificant       int // 0 = digits are counted after the point
	group                                bool
}

func (o localeOptions) count(name string, from, to int) (int, bool) {
	s, ok := o[name]
	if !ok {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	if n := int(math.Trunc(f)); err == nil && n >= from && n <= to {
		return n, true
	}
	refuseLocale(textLocaleValue(name, s))
	return 0, false
}

// digits reads the options about digits; lo and hi are the style's own bounds of the fraction.
func (o localeOptions) digits(lo, hi int) numberFormat {
	f := numberFormat{minInteger: 1, minFraction: lo, maxFraction: hi, group: o["useGrouping"] != "false"}
	if n, ok := o.count("minimumIntegerDigits", 1, 21); ok {
		f.minInteger = n
	}
	least, hasLeast := o.count("minimumFractionDigits", 0, 100)
	most, hasMost := o.count("maximumFractionDigits", 0, 100)
	switch {
	case hasLeast && hasMost && least > most:
		refuseLocale(textLocaleValue("maximumFractionDigits", o["maximumFractionDigits"]))
	case hasLeast && hasMost:
		f.minFraction, f.maxFraction = least, most
	case hasLeast:
		f.minFraction, f.maxFraction = least, max(hi, least)
	case hasMost:
		f.minFraction, f.maxFraction = min(lo, most), most
	}
	least, hasLeast = o.count("minimumSignificantDigits", 1, 21)
	most, hasMost = o.count("maximumSignificantDigits", 1, 21)
	if hasLeast || hasMost {
		f.minSignificant, f.maxSignificant = 1, 21
		if hasLeast {
			f.minSignificant = least
		}
		if hasMost {
			f.maxSignificant = most
		}
		if f.minSignificant > f.maxSignificant {
			refuseLocale(textLocaleValue("maximumSignificantDigits", o["maximumSignificantDigits"]))
		}
	}
	return f
}

// write gives the number without its sign.
func (f numberFormat) write(d decimal) string {
	if f.maxSignificant > 0 {
		d = d.significant(f.maxSignificant)
		return d.text(f.minInteger, f.minSignificant-max(d.point, min(d.point, 0)), f.group)
	}
	return d.round(f.maxFraction).text(f.minInteger, f.minFraction, f.group)
}

// formatNumber is Number.prototype.toLocaleString and BigInt's, for English.
func formatNumber(v goja.Value, locale string, o localeOptions) string {
	region := english(locale, "US", "GB", "CA", "AU", "NZ", "IE")
	style := o.choice("style", "decimal", "decimal", "percent", "currency")
	notation := o.choice("notation", "standard", "standard", "compact")
	text := v.String()
	number := newDecimal(text)
	if x, ok := v.Export().(float64); ok && math.Signbit(x) {
		number.negative = true
	}
	lo, hi := 0, 3
	switch style {
	case "percent":
		hi = 0
		if number.digits != "" {
			number.point += 2
		}
	case "currency":
		if region != "US" {
			refuseLocale(textNoLocaleOption("currency", locale))
		}
		lo = currencyDigits(o["currency"])
		hi = lo
	}
	var body string
	switch {
	case text == "NaN":
		body, number.negative = "NaN", false
	case strings.HasSuffix(text, "Infinity"):
		body, number.negative = "∞", text[0] == '-'
	case notation == "compact":
		body = o.compact(number)
	default:
		body = o.digits(lo, hi).write(number)
	}
	if style == "percent" {
		body += "%"
	}
	return o.sign(number, o.money(style, body))
}

// money puts the currency to an amount.
func (o localeOptions) money(style, body string) string {
	if style != "currency" {
		return body
	}
	o.choice("currencySign", "standard", "standard")
	code := strings.ToUpper(o["currency"])
	if o.choice("currencyDisplay", "symbol", "symbol", "narrowSymbol", "code") == "symbol" {
		if s, ok := currencySymbols[code]; ok {
			return s + body
		}
	}
	if o["currencyDisplay"] == "narrowSymbol" {
		s := currencySymbols[code]
		return strings.TrimLeft(s, "ABCHKMNRTUX") + body
	}
	return code + "\u00a0" + body
}

// sign puts the sign in front.
func (o localeOptions) sign(d decimal, body string) string {
	display := o.choice("signDisplay", "auto", "auto", "always", "never", "exceptZero", "negative")
	zero := !strings.ContainsAny(body, "123456789∞N")
	switch {
	case display == "never", zero && (display == "exceptZero" || display == "negative"):
		return body
	case d.negative:
		return "-" + body
	case display == "always", display == "exceptZero":
		return "+" + body
	}
	return body
}

// compact writes thousands as K, millions as M and so on.
func (o localeOptions) compact(d decimal) string {
	_, hasLeast := o["minimumFractionDigits"]
	_, hasMost := o["maximumFractionDigits"]
	_, hasSignificant := o["maximumSignificantDigits"]
	write := func(d decimal) string {
		if hasLeast || hasMost || hasSignificant {
			return o.digits(0, 0).write(d)
		}
		if d.point >= 2 {
			return d.round(0).text(1, 0, d.point > 4)
		}
		return d.significant(2).text(1, 0, false)
	}
	unit := min(max((d.point-1)/3, 0), 4)
	scaled := d
	scaled.point -= 3 * unit
	text := write(scaled)
	if text == "1000" && unit < 4 {
		text, unit = "1", unit+1
	}
	short := []string{"", "K", "M", "B", "T"}
	long := []string{"", " thousand", " million", " billion", " trillion"}
	if o.choice("compactDisplay", "short", "short", "long") == "long" {
		return text + long[unit]
	}
	return text + short[unit]
}

// currencyDigits is how many digits of a currency stand behind the point.
func currencyDigits(code string) int {
	if len(code) != 3 {
		refuseLocale(textLocaleValue("currency", code))
	}
	switch strings.ToUpper(code) {
	case "JPY", "KRW", "VND", "CLP", "ISK", "PYG", "UGX", "XAF", "XOF", "XPF":
		return 0
	case "KWD", "BHD", "JOD", "OMR", "TND":
		return 3
	}
	return 2
}

// currencySymbols are the currencies with a symbol of their own in American English.
var currencySymbols = map[string]string{
	"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "CNY": "CN¥", "INR": "₹", "KRW": "₩", "BRL": "R$", "CAD": "CA$",
	"AUD": "A$", "MXN": "MX$", "NZD": "NZ$", "HKD": "HK$", "TWD": "NT$", "ILS": "₪", "VND": "₫", "PHP": "₱",
}
