// Package suite is what the checks of extensions and of hosts have in common: options, the choice of vectors, several
// checks at a time, and signs of life meanwhile. What a check does is the kits' affair.
package suite

import (
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/exec-ext/exec-ext/conformance"
)

// Options of a run.
type Options struct {
	Command  []string      // what is checked, and its arguments
	Level    string        // the highest level looked at; "" = all
	Case     string        // ids that match, as in path.Match; several parted by commas; "" = all
	Jobs     int           // checks at a time; 0 = 2
	KeepWire string        // folder for what passes in every check; "" = none
	Timeout  time.Duration // of one check that names none; 0 = the kit's own
	Progress io.Writer     // gets a line now and then; nil = none
}

// ErrUsage is wrapped by errors about the options.
var ErrUsage = errors.New("conformance")

// Complete fills in what is left out, timeout among it. Without a command it wraps ErrUsage.
func (o *Options) Complete(timeout time.Duration) error {
	if o.Jobs < 1 {
		o.Jobs = 2
	}
	if o.Timeout == 0 {
		o.Timeout = timeout
	}
	if o.Progress == nil {
		o.Progress = io.Discard
	}
	if len(o.Command) == 0 {
		return fmt.Errorf("%w: no command", ErrUsage)
	}
	return nil
}

// Choose gives the vectors that the options choose among those whose ids begin with prefix, in the order of their ids.
// A level or a pattern that is none, and a choice of nothing, wrap ErrUsage.
func (o *Options) Choose(prefix string) ([]conformance.Vector, error) {
	all, err := conformance.Load()
	if err != nil {
		return nil, err
	}
	levels := conformance.Levels()
	top := slices.Index(levels, o.Level)
	if o.Level == "" {
		top = len(levels) - 1
	}
	if top < 0 {
		return nil, fmt.Errorf("%w: level %q is none of %s", ErrUsage, o.Level, strings.Join(levels, ", "))
	}
	var out []conformance.Vector
	for _, v := range all {
		if !strings.HasPrefix(v.ID, prefix) || slices.Index(levels, v.Level) > top {
			continue
		}
		named, err := o.names(v.ID)
		if err != nil {
			return nil, err
		}
		if named {
			out = append(out, v)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: no check is called %q; a report names each by its id", ErrUsage, o.Case)
	}
	return out, nil
}

func (o *Options) names(id string) (bool, error) {
	if o.Case == "" {
		return true, nil
	}
	for pattern := range strings.SplitSeq(o.Case, ",") {
		ok, err := path.Match(pattern, id)
		if err != nil {
			return false, fmt.Errorf("%w: case %q: %w", ErrUsage, pattern, err)
		}
		if ok {
			return true, nil
		}
	}
	return false, nil
}
