package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode"
)

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
	Notes    string      `xml:"system-out,omitempty"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Time    string        `xml:"time,attr"` // seconds
	Failure *junitMessage `xml:"failure"`
	Skipped *junitMessage `xml:"skipped"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// junit is the XML that build servers read. Known failures count as skipped.
func (r *Report) junit(w io.Writer) error {
	s := junitSuite{
		Name: "exec-ext conformance " + r.Suite, Tests: len(r.Results), Failures: r.Count(Fail),
		Skipped: r.Count(Skip) + r.Count(Known), Notes: printable(strings.Join(r.Notes, "\n")),
	}
	for _, res := range r.Results {
		c := junitCase{Class: r.Suite + "." + res.Level, Name: res.Name(), Time: fmt.Sprintf("%.3f", res.Took.Seconds())}
		message := &junitMessage{Message: printable(res.Title), Text: printable(res.Detail)}
		switch res.Outcome {
		case Fail:
			c.Failure = message
		case Known:
			message.Message = "known failure: " + message.Message
			c.Skipped = message
		case Skip:
			c.Skipped = message
		}
		s.Cases = append(s.Cases, c)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(s); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// printable leaves out what XML cannot hold.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !unicode.IsControl(r) && r != '\uFFFE' && r != '\uFFFF' {
			return r
		}
		return '\uFFFD'
	}, s)
}
