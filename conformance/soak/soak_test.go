package soak_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/exec-ext/exec-ext/conformance/need"
	"github.com/exec-ext/exec-ext/conformance/soak"
)

// TestMain lets the test program be an extension that loses things.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "broken" {
		broken(os.Args[2])
		return
	}
	os.Exit(m.Run())
}

// broken gives every run the same value; with "twice" it answers two times.
func broken(fault string) {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		_, behind, isRequest := strings.Cut(lines.Text(), `"id":`)
		if !isRequest {
			continue
		}
		id, _, _ := strings.Cut(behind, ",")
		result := `{}`
		if strings.Contains(lines.Text(), `"exec/run"`) {
			_, behind, _ := strings.Cut(lines.Text(), `"runId":"`)
			run, _, _ := strings.Cut(behind, `"`)
			result = `{"runId":"` + run + `","status":"completed","content":[{"type":"text","text":"x"}],"returnValue":"x"}`
		}
		answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
		fmt.Println(answer)
		if fault == "twice" {
			fmt.Println(answer)
		}
		if strings.Contains(lines.Text(), `"shutdown"`) {
			return
		}
	}
}

func run(t *testing.T, d time.Duration, command ...string) *soak.Figures {
	t.Helper()
	f, err := soak.Run(t.Context(), soak.Options{
		Command: command, Duration: d, Sessions: 4, Seed: 7, Stderr: t.Output(), Progress: t.Output(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestN7_ServeLosesNothing(t *testing.T) {
	f := run(t, 5*time.Second, need.Program(t), "serve", "--log-level", "error")
	if len(f.Problems) > 0 || f.Requests < 10 || len(f.Samples) == 0 {
		t.Error(f)
	}
	t.Log(f)
}

// What a soak is to find, it finds.
func TestBrokenExtensionsAreFound(t *testing.T) {
	me, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for fault, want := range map[string]string{"value": `value "x", want`, "twice": "is answered already"} {
		if f := run(t, 500*time.Millisecond, me, "broken", fault); !strings.Contains(f.String(), "PROBLEM") || !strings.Contains(f.String(), want) {
			t.Errorf("%s: %s", fault, f)
		}
	}
	if _, err := soak.Run(t.Context(), soak.Options{Command: []string{t.TempDir()}}); !errors.Is(err, soak.ErrNoStart) {
		t.Error(err)
	}
}
