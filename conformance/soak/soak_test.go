package soak

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/exec-ext/exec-ext/conformance/need"
)

// TestMain lets the test program be an extension that loses things.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case "broken":
			broken(os.Args[2])
			return
		case "deaf":
			deaf(os.Args[2], os.Args[3])
			return
		}
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

// deaf is a good extension that does not get the messages of one method.
func deaf(method, program string) {
	cmd := exec.Command(program, "serve", "--log-level", "error")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		panic(err)
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	go func() {
		defer stdin.Close()
		lines := bufio.NewScanner(os.Stdin)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if !strings.Contains(lines.Text(), `"method":"`+method+`"`) {
				fmt.Fprintln(stdin, lines.Text())
			}
		}
	}()
	_ = cmd.Wait() // how it ends says nothing
}

func run(t *testing.T, d time.Duration, command ...string) *Figures {
	t.Helper()
	f, err := Run(t.Context(), Options{
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
	if _, err := Run(t.Context(), Options{Command: []string{t.TempDir()}}); !errors.Is(err, ErrNoStart) {
		t.Error(err)
	}
}

// Scripts that end by a cancel only are cancelled in both ways; a cancel that is lost is reported, since nothing else
// ends such a run within the patience.
func TestN9_LostCancelIsFound(t *testing.T) {
	me, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := need.Program(t)
	for _, c := range []struct {
		name    string
		lost    string // method that the extension does not get
		request bool   // the request is given up
		blamed  bool
	}{
		{"cancelled", "none", false, false},
		{"given up", "none", true, false},
		{"cancel lost", "exec/cancel", false, true},
		{"giving up lost", "$/cancelRequest", true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := start(t.Context(), Options{
				Command: []string{me, "deaf", c.lost, program}, Patience: time.Minute, Stderr: t.Output(), Progress: t.Output(),
			})
			if err != nil {
				t.Fatal(err)
			}
			if c.blamed {
				s.Patience = 2 * time.Second
			}
			all := kinds()
			for i, k := range all {
				if k.hangs {
					s.run(plan{kind: k, session: "s", number: 2 * i, cancel: time.Millisecond, request: c.request})
					s.run(plan{kind: all[0], session: "s", number: 2*i + 1}) // waits behind it
				}
			}
			s.end()
			if f := s.figures(); (len(f.Problems) > 0) != c.blamed {
				t.Error(f)
			}
		})
	}
}
