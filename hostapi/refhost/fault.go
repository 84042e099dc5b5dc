package refhost

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/tailscale/hujson"
)

// atLine puts the line of an offset in front of an error.
func atLine(data []byte, offset int64, err error) error {
	if offset < 0 || offset > int64(len(data)) {
		return err
	}
	return fmt.Errorf("line %d: %w", 1+bytes.Count(data[:offset], []byte("\n")), err)
}

// libraryPlace is how hujson begins an error: with its own name and a place, of which the line is kept.
var libraryPlace = regexp.MustCompile(`^hujson: (line \d+), column \d+: `)

// standardJSON puts blanks in the place of comments and trailing commas, so that all else stays where it was. The error
// is about JSON that is none even so.
func standardJSON(data []byte) ([]byte, error) {
	if json.Valid(data) {
		return data, nil
	}
	plain, err := hujson.Standardize(bytes.Clone(data))
	if err != nil {
		return nil, errors.New(libraryPlace.ReplaceAllString(err.Error(), "$1: "))
	}
	return plain, nil
}

// jsonFault puts an error of encoding/json into plain words: where it is, counted from the beginning of the text that
// was read, and what should stand there. shapes has the shapes of the members by name.
func jsonFault(err error, shapes map[string]string) (offset int64, plain error) {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return syntax.Offset, err
	case errors.As(err, &kind):
		member, _, _ := strings.Cut(kind.Field, ".")
		shape := shapes[member]
		if member == "" || shape == "" {
			return kind.Offset, fmt.Errorf("an object must stand there, not %s", valueWords(kind.Value))
		}
		return kind.Offset, fmt.Errorf("%s must be %s, but there is %s", member, shape, valueWords(kind.Value))
	}
	return -1, err
}

// valueWords names the kind of a JSON value as encoding/json does, with an article.
func valueWords(kind string) string {
	kind, _, _ = strings.Cut(kind, " ") // "number 3"
	switch kind {
	case "object":
		return "an object"
	case "array":
		return "a list"
	case "bool":
		return "true or false"
	}
	return "a " + kind
}
