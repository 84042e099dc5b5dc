package worker

import (
	"strings"

	"github.com/dop251/goja"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// A localeProblem is a RangeError for the script: a language, option or value there is no formatting for.
type localeProblem struct{ text string }

func refuseLocale(text string) { panic(localeProblem{text}) }

// localeNatives are what locale.js builds the toLocale methods on. Each gives text, or a RangeError's text in a
// one-element array.
func (r *realm) localeNatives() goja.Value {
	o := r.vm.NewObject()
	add := func(name string, f func(c goja.FunctionCall) any) {
		err := o.Set(name, r.native(name, func(c goja.FunctionCall) (v goja.Value) {
			defer func() {
				switch x := recover().(type) {
				case nil:
				case localeProblem:
					v = r.vm.NewArray(x.text)
				default:
					panic(x)
				}
			}()
			return r.vm.ToValue(f(c))
		}))
		if err != nil {
			panic("worker: " + err.Error())
		}
	}
	add("number", func(c goja.FunctionCall) any {
		return formatNumber(c.Argument(0), c.Argument(1).String(), r.options(c.Argument(2)))
	})
	add("date", func(c goja.FunctionCall) any {
		return formatDate(c.Argument(0).ToFloat(), c.Argument(1).String(), r.options(c.Argument(2)), c.Argument(3).String())
	})
	add("compare", func(c goja.FunctionCall) any {
		return r.compare(c.Argument(0).String(), c.Argument(1).String(), c.Argument(2).String(), r.options(c.Argument(3)))
	})
	add("noLocale", func(c goja.FunctionCall) any { return textNoLocale(c.Argument(0).String()) })
	return o
}

// localeOptions are the members of an options object that are set, as text.
type localeOptions map[string]string

// knownOptions are the options of the standard that formatting understands.
var knownOptions = []string{
	"style", "currency", "currencyDisplay", "currencySign", "minimumFractionDigits", "maximumFractionDigits",
	"minimumIntegerDigits", "minimumSignificantDigits", "maximumSignificantDigits", "useGrouping", "notation",
	"compactDisplay", "signDisplay",
	"weekday", "year", "month", "day", "hour", "minute", "second", "hour12", "hourCycle", "timeZone", "timeZoneName",
	"dateStyle", "timeStyle",
	"numeric", "sensitivity", "usage", "localeMatcher", "formatMatcher",
}

// refusedOptions are options of the standard that would change the text in ways nothing here does.
var refusedOptions = []string{
	"unit", "unitDisplay", "roundingIncrement", "roundingMode", "roundingPriority", "trailingZeroDisplay",
	"numberingSystem", "calendar", "era", "dayPeriod", "fractionalSecondDigits", "caseFirst", "ignorePunctuation",
}

// options reads the options the standard defines; anything else in the object is ignored, as it is there.
func (r *realm) options(v goja.Value) localeOptions {
	out := localeOptions{}
	o, ok := v.(*goja.Object)
	if !ok {
		return out
	}
	for _, name := range refusedOptions {
		if v := o.Get(name); v != nil && !goja.IsUndefined(v) {
			refuseLocale(textNoLocaleOption(name, v.String()))
		}
	}
	for _, name := range knownOptions {
		if v := o.Get(name); v != nil && !goja.IsUndefined(v) {
			out[name] = v.String()
		}
	}
	return out
}

// choice gives an option's value, fallback if it is not set, and refuses a value that is not among those.
func (o localeOptions) choice(name, fallback string, values ...string) string {
	v, ok := o[name]
	if !ok {
		return fallback
	}
	for _, want := range values {
		if v == want {
			return v
		}
	}
	refuseLocale(textNoLocaleOption(name, v))
	return ""
}

// english checks the locale and gives its region, "US" if it names none.
func english(locale string, regions ...string) string {
	lang, region, _ := strings.Cut(strings.ReplaceAll(locale, "_", "-"), "-")
	if region == "" {
		region = "US"
	}
	if strings.EqualFold(lang, "en") {
		for _, r := range regions {
			if strings.EqualFold(region, r) {
				return r
			}
		}
	}
	refuseLocale(textNoLocale(locale))
	return ""
}

// compare orders two texts as the language's dictionaries do.
func (r *realm) compare(a, b, locale string, o localeOptions) int {
	tag, err := language.Parse(locale)
	if err != nil {
		refuseLocale(textNoLocale(locale))
	}
	o.choice("usage", "sort", "sort")
	key := collatorKey{locale, o["numeric"] == "true", o.choice("sensitivity", "variant", "base", "accent", "case", "variant")}
	c, ok := r.collators[key]
	if !ok {
		var opts []collate.Option
		if key.numeric {
			opts = append(opts, collate.Numeric)
		}
		switch key.sensitivity {
		case "base":
			opts = append(opts, collate.IgnoreCase, collate.IgnoreDiacritics)
		case "accent":
			opts = append(opts, collate.IgnoreCase)
		case "case":
			opts = append(opts, collate.IgnoreDiacritics)
		}
		c = collate.New(tag, opts...)
		r.collators[key] = c
	}
	return c.CompareString(a, b)
}

type collatorKey struct {
	locale      string
	numeric     bool
	sensitivity string
}
