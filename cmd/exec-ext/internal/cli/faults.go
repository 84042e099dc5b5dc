package cli

import (
	"errors"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"
)

// faultText is what is wrong with the command line. A word in the place of a command is named as such.
func faultText(err error) string {
	var fault *kong.ParseError
	if word, ok := strings.CutPrefix(err.Error(), "unexpected argument "); ok && errors.As(err, &fault) {
		if node := fault.Context.Selected(); node == nil || !node.Leaf() {
			return "unknown command " + word
		}
	}
	text := err.Error()
	for _, w := range wordings {
		text = w.theirs.ReplaceAllString(text, w.ours)
	}
	return text
}

// wordings put what the parser says of values, in words of Go, into words of the user.
var wordings = []struct {
	theirs *regexp.Regexp
	ours   string
}{
	{regexp.MustCompile(`expected a valid \d+ bit int but got (".*")`), `expected a whole number, not $1`},
	{regexp.MustCompile(`expected a valid \d+ bit uint but got (".*")`), `expected a whole number from 0, not $1`},
	{regexp.MustCompile(`must be one of "",`), `must be one of `},
	{regexp.MustCompile(`expected duration but got (".*?"): .*`), `expected a time such as 90s or 5m, not $1`},
	{regexp.MustCompile(`expected \w+ value but got "EOL" \(<EOL>\)`), `its value is missing`},
	{regexp.MustCompile(`expected \w+ value but got ".*" \(.*\); perhaps try (.*)\?$`), `its value begins with a dash: write $1`},
}
