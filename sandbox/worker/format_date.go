package worker

import (
	"fmt"
	"math"
	"strings"
	"time"
	_ "time/tzdata" // time zones without files

	"golang.org/x/text/language"
)

// A dateFormat is what the options of toLocaleString come to: which parts are written and how.
type dateFormat struct {
	region                    string // US, GB, CA, AU, or SE for the ISO-like sv-SE
	weekday, year, month, day string
	hour, minute, second      string
	zoneName                  string // "", short or long
	half                      bool   // hours from 1 to 12 with AM and PM
	midnight24                bool   // midnight is 24
	joiner                    string // between date and time
}

// formatDate is Date.prototype.toLocaleString and its two sisters. parts says which of them
// asked: any, date or time; intl is Intl.DateTimeFormat, which writes the date alone by default.
func formatDate(ms float64, locale string, o localeOptions, parts string) string {
	at := time.UnixMilli(int64(math.Floor(ms))).In(zone(o))
	f := newDateFormat(locale, o, parts)
	date, clock := f.date(at), f.clock(at)
	text := date
	switch {
	case date != "" && clock != "":
		text += f.joiner + clock
	case date == "":
		text = clock
	}
	if f.zoneName != "" {
		sep := " "
		if clock == "" {
			sep = ", "
		}
		text += sep + zoneText(at, f.zoneName)
	}
	return text
}

func zone(o localeOptions) *time.Location {
	name, ok := o["timeZone"]
	if !ok || strings.EqualFold(name, "UTC") || name == "Z" {
		return time.UTC
	}
	if loc, err := time.LoadLocation(name); err == nil && name != "" && name != "Local" {
		return loc
	}
	if at, err := time.Parse("-07:00", name); err == nil {
		return at.Location()
	}
	refuseLocale(textLocaleValue("timeZone", name))
	return nil
}

func newDateFormat(locale string, o localeOptions, parts string) dateFormat {
	f := dateFormat{joiner: ", "}
	if tag, err := language.Parse(locale); err == nil && tag == language.MustParse("sv-SE") {
		f.region, f.joiner = "SE", " "
	} else {
		f.region = english(locale, "US", "GB", "CA", "AU", "NZ", "IE")
	}
	_, hasDate := o["dateStyle"]
	_, hasTime := o["timeStyle"]
	if hasDate || hasTime {
		f.styles(o, parts)
	} else {
		f.pieces(o, parts)
	}
	f.hours(o)
	return f
}

// pieces reads the options of single parts and fills in what the caller asks for by default.
func (f *dateFormat) pieces(o localeOptions, parts string) {
	f.weekday = o.choice("weekday", "", "long", "short", "narrow")
	f.year = o.choice("year", "", "numeric", "2-digit")
	f.month = o.choice("month", "", "numeric", "2-digit", "long", "short", "narrow")
	f.day = o.choice("day", "", "numeric", "2-digit")
	f.hour = o.choice("hour", "", "numeric", "2-digit")
	f.minute = o.choice("minute", "", "numeric", "2-digit")
	f.second = o.choice("second", "", "numeric", "2-digit")
	f.zoneName = o.choice("timeZoneName", "", "short", "long")
	noDate := f.weekday+f.year+f.month+f.day == ""
	noTime := f.hour+f.minute+f.second == ""
	if parts == "date" && noDate || (parts == "any" || parts == "intl") && noDate && noTime {
		f.year, f.month, f.day = "numeric", "numeric", "numeric"
	}
	if parts == "time" && noTime || parts == "any" && noDate && noTime {
		f.hour, f.minute, f.second = "numeric", "2-digit", "2-digit"
	}
}

// styles reads dateStyle and timeStyle.
func (f *dateFormat) styles(o localeOptions, parts string) {
	if f.region != "US" {
		refuseLocale(textNoLocaleOption("dateStyle", o["dateStyle"]+o["timeStyle"]))
	}
	dateStyle := o.choice("dateStyle", "", "full", "long", "medium", "short")
	timeStyle := o.choice("timeStyle", "", "full", "long", "medium", "short")
	if parts == "date" && timeStyle != "" || parts == "time" && dateStyle != "" {
		refuseLocale(textNoLocaleOption("timeStyle and dateStyle", timeStyle+dateStyle))
	}
	switch dateStyle {
	case "full", "long":
		f.year, f.month, f.day, f.joiner = "numeric", "long", "numeric", " at "
		if dateStyle == "full" {
			f.weekday = "long"
		}
	case "medium":
		f.year, f.month, f.day = "numeric", "short", "numeric"
	case "short":
		f.year, f.month, f.day = "2-digit", "numeric", "numeric"
	}
	switch timeStyle {
	case "full", "long", "medium":
		f.hour, f.minute, f.second = "numeric", "2-digit", "2-digit"
		if timeStyle == "long" {
			f.zoneName = "short"
		} else if timeStyle == "full" {
			f.zoneName = "long"
		}
	case "short":
		f.hour, f.minute = "numeric", "2-digit"
	}
}

// hours settles how hours are counted.
func (f *dateFormat) hours(o localeOptions) {
	f.half = f.region != "GB" && f.region != "SE" && f.region != "IE"
	if v, ok := o["hour12"]; ok {
		f.midnight24 = f.half && v == "false"
		f.half = v == "true"
		return
	}
	switch o.choice("hourCycle", "", "h11", "h12", "h23", "h24") {
	case "h12":
		f.half = true
	case "h23":
		f.half = false
	case "h11", "h24":
		refuseLocale(textNoLocaleOption("hourCycle", o["hourCycle"]))
	}
}

func (f *dateFormat) date(t time.Time) string {
	weekday := textOf(f.weekday, t.Format("Monday"), t.Format("Mon"), t.Format("Mon")[:1])
	year := number(t.Year(), f.year)
	if f.year == "2-digit" {
		year = fmt.Sprintf("%02d", t.Year()%100)
	}
	day := number(t.Day(), f.day)
	switch f.month {
	case "long", "short", "narrow":
		month := textOf(f.month, t.Format("January"), t.Format("Jan"), t.Format("Jan")[:1])
		return f.namedMonth(weekday, year, month, day)
	}
	return f.numericDate(weekday, year, number(int(t.Month()), f.month), day, f.month == "" || f.year == "" || f.day == "")
}

func (f *dateFormat) namedMonth(weekday, year, month, day string) string {
	if f.region == "SE" {
		refuseLocale(textNoLocaleOption("month", f.month))
	}
	if f.joiner == ", " && f.month == "long" && f.hour != "" {
		f.joiner = " at "
	}
	if f.region == "GB" || f.region == "AU" || f.region == "NZ" || f.region == "IE" {
		if f.weekday == "long" {
			refuseLocale(textNoLocaleOption("weekday", f.weekday))
		}
		return join(", ", weekday, join(" ", day, month, year))
	}
	text := join(" ", month, day)
	if day != "" {
		text = join(", ", text, year)
	} else {
		text = join(" ", text, year)
	}
	return join(", ", weekday, text)
}

func (f *dateFormat) numericDate(weekday, year, month, day string, partial bool) string {
	if month == "" && year == "" && day != "" {
		return join(" ", day, weekday)
	}
	two := func(s string) string {
		if len(s) == 1 {
			return "0" + s
		}
		return s
	}
	date := ""
	switch f.region {
	case "US":
		date = join("/", month, day, year)
	case "CA", "SE":
		date = join("-", year, two(month), two(day))
	default:
		date = join("/", two(day), two(month), year)
	}
	if partial && f.region != "US" && (month != "" || day != "") {
		refuseLocale(textNoLocaleOption("month", f.month))
	}
	if date == "" && f.hour != "" {
		f.joiner = " "
	}
	return join(", ", weekday, date)
}

func (f *dateFormat) clock(t time.Time) string {
	if f.hour+f.minute+f.second == "" {
		return ""
	}
	if f.hour == "" {
		if f.minute != "" && f.second != "" {
			return t.Format("04:05")
		}
		return join(":", number(t.Minute(), onlyIf(f.minute)), number(t.Second(), onlyIf(f.second)))
	}
	hour := t.Hour()
	suffix := ""
	if f.half {
		suffix = " " + f.dayHalf(hour < 12)
		hour = (hour+11)%12 + 1
	} else if f.midnight24 && hour == 0 {
		hour = 24
	}
	format := f.hour
	if !f.half {
		format = "2-digit"
	}
	text := number(hour, format)
	if f.minute != "" {
		text += t.Format(":04")
	}
	if f.second != "" {
		text += t.Format(":05")
	}
	return text + suffix
}

// dayHalf is AM or PM as the region writes it.
func (f *dateFormat) dayHalf(morning bool) string {
	am, pm := "AM", "PM"
	switch f.region {
	case "CA":
		am, pm = "a.m.", "p.m."
	case "AU", "NZ", "GB", "IE", "SE":
		am, pm = "am", "pm"
	}
	if morning {
		return am
	}
	return pm
}

// onlyIf makes any wish for a part the numeric one.
func onlyIf(s string) string {
	if s == "" {
		return ""
	}
	return "numeric"
}

func number(n int, format string) string {
	switch format {
	case "numeric":
		return fmt.Sprint(n)
	case "2-digit":
		return fmt.Sprintf("%02d", n)
	}
	return ""
}

func textOf(format, long, short, narrow string) string {
	switch format {
	case "long":
		return long
	case "short":
		return short
	case "narrow":
		return narrow
	}
	return ""
}

// join joins the parts that are not empty.
func join(sep string, parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, sep)
}

// zoneNames are the zones American English has names for; other zones are written as their distance from GMT.
var zoneNames = map[string]string{
	"UTC": "Coordinated Universal Time", "EST": "Eastern Standard Time", "EDT": "Eastern Daylight Time",
	"CST": "Central Standard Time", "CDT": "Central Daylight Time", "MST": "Mountain Standard Time",
	"MDT": "Mountain Daylight Time", "PST": "Pacific Standard Time", "PDT": "Pacific Daylight Time",
	"AKST": "Alaska Standard Time", "AKDT": "Alaska Daylight Time", "HST": "Hawaii-Aleutian Standard Time",
}

func zoneText(t time.Time, form string) string {
	name, offset := t.Zone()
	place := t.Location().String()
	if long, ok := zoneNames[name]; ok && (name == "UTC" || strings.HasPrefix(place, "America/") || strings.HasPrefix(place, "US/") || place == "Pacific/Honolulu") {
		if form == "long" {
			return long
		}
		return name
	}
	if form == "long" {
		refuseLocale(textNoLocaleOption("timeZoneName", "long"))
	}
	if offset == 0 {
		return "GMT"
	}
	sign := '+'
	if offset < 0 {
		sign, offset = '-', -offset
	}
	text := fmt.Sprintf("GMT%c%d", sign, offset/3600)
	if m := offset % 3600 / 60; m != 0 {
		text += fmt.Sprintf(":%02d", m)
	}
	return text
}
