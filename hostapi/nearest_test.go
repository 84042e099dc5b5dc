package hostapi_test

import (
	"strings"
	"testing"

	"github.com/exec-ext/exec-ext/hostapi"
)

func TestNearest(t *testing.T) {
	known := []string{"command", "args", "env", "cwd", "headers", "url", "limits.wallMs"}
	for name, want := range map[string]string{
		"comand": "command", "commands": "command", "cmd": "command", "cm": "", "hdrs": "headers", "arg": "args", "ARGS": "args", "evn": "env", "header": "headers",
		"limits.wallms": "limits.wallMs", "limits.walMs": "limits.wallMs", "gallery": "", "": "", "u": "", "ulr": "url",
	} {
		if got := hostapi.Nearest(name, known); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if got := hostapi.Nearest(strings.Repeat("command", 1<<17), known); got != "" { // at once: a name this long is near to none
		t.Errorf("a name of a megabyte is near %q", got)
	}
	if got := hostapi.Nearest("x", nil); got != "" {
		t.Errorf("nothing is known, got %q", got)
	}
}
