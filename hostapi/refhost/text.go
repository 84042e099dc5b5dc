package refhost

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os/exec"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
)

// What a script, and through it the model, can be told of a call that did not happen or did not end.
const (
	textGone       = "%s is not there any more: its server no longer has it. Search for another tool."
	textDied       = "The server %q went away during the call%s. The call may or may not have taken effect."
	textDead       = "The server %q is not connected any more. Go on without it."
	textSilent     = "The server %q gave no answer and no progress for %s, so the call was cancelled; it may or may not have taken effect."
	textNoResult   = "The server %q answered without a result."
	textCallFailed = "The call did not reach the server %q, or its answer was lost: %s"

	textDeniedByRule = "A rule of the user denies this call (%s). Do not repeat it."
	textDeniedByUser = "The user declined this call."
	textNobodyToAsk  = "No rule allows %s and there is nobody to ask%s. The user can allow it with --allow."
	textNoGrant      = "The call came without an unused grant for exactly this call and these arguments."
)

func sentence(format string, args ...any) error { return fmt.Errorf(format, args...) }

// connectError says in plain words why a server cannot be used.
func connectError(err error, limit time.Duration) error {
	var status *transport.AuthorizationRequiredError
	var place *url.Error
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("its command was not found: install it or correct the configuration (%w)", err)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("it did not answer within %s", limit)
	case errors.As(err, &place):
		return fmt.Errorf("its URL cannot be reached: %w", place.Err)
	case hungUp(err):
		return errEnded(err)
	case errors.As(err, &status):
		return fmt.Errorf("it asks for authorization: put a token into \"headers\" (%w)", err)
	}
	return plainError(err)
}

// errEnded says that a server went away, and how, if that is known.
func errEnded(err error) error {
	var known ended
	errors.As(err, &known)
	return errors.New("it ended before it answered" + known.words)
}

// ended is an error of a connection to a process that is gone, and what is known of its end.
type ended struct {
	error
	words string // ready to follow a sentence
}

func (e ended) Unwrap() error { return e.error }

// plainError leaves out the library's word for any trouble of a connection.
func plainError(err error) error {
	return errors.New(strings.ReplaceAll(err.Error(), "transport error: ", ""))
}
