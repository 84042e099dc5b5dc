package child

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/exec-ext/exec-ext/conformance/proctree"
)

// TestMain lets the test program be a child: one that says what it hears and ends with code 3, and one that leaves a
// process behind which holds its pipes open.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "echo":
			b, _ := io.ReadAll(os.Stdin)
			fmt.Printf("heard %s", b)
			fmt.Fprint(os.Stderr, strings.Repeat("x", tailBytes), "\xff the end\n")
			os.Exit(3)
		case "leave":
			p, err := os.StartProcess(os.Args[0], []string{os.Args[0], "stay"}, &os.ProcAttr{Files: []*os.File{nil, os.Stdout, os.Stderr}})
			if err != nil {
				panic(err)
			}
			fmt.Println(p.Pid)
			if len(os.Args) > 2 {
				time.Sleep(time.Minute) // it is killed before
			}
			os.Exit(0)
		case "stay":
			time.Sleep(time.Minute) // it is killed before
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

func begin(t *testing.T, stderr io.Writer, args ...string) *Process {
	t.Helper()
	me, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p, err := Start(append([]string{me}, args...), stderr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

func TestPipesAndCode(t *testing.T) {
	var stderr Tail
	p := begin(t, &stderr, "echo")
	if p.Gone() || p.Ends(time.Millisecond) {
		t.Error("it is gone before its input ends")
	}
	fmt.Fprint(p.Stdin, "this")
	p.Stdin.Close()
	out, err := io.ReadAll(p.Stdout)
	if err != nil || string(out) != "heard this" {
		t.Errorf("%q, %v", out, err)
	}
	if !p.Ends(time.Minute) || p.Code() != 3 || p.End() != "exit status 3" {
		t.Errorf("code %d, %s", p.Code(), p.End())
	}
	for until := time.Now().Add(time.Minute); !strings.HasSuffix(stderr.String(), "x? the end"); {
		if time.Now().After(until) {
			t.Fatalf("stderr ends with %.20q", stderr.String())
		}
	}
	if n := len(stderr.String()); n > tailBytes {
		t.Errorf("%d bytes of stderr are kept", n)
	}
}

// The end of a process is seen though a descendant holds its pipes open.
func TestEndIsSeenBehindADescendant(t *testing.T) {
	p := begin(t, io.Discard, "leave")
	var left int
	if _, err := fmt.Fscan(p.Stdout, &left); err != nil {
		t.Fatal(err)
	}
	if !p.Ends(time.Minute) || p.Code() != 0 {
		t.Error("it has not ended")
	}
	if q, err := os.FindProcess(left); err == nil {
		_ = q.Kill()
	}
}

// Kill ends what the process has started, too.
func TestKillTakesDescendants(t *testing.T) {
	p := begin(t, io.Discard, "leave", "and wait")
	var left int
	if _, err := fmt.Fscan(p.Stdout, &left); err != nil {
		t.Fatal(err)
	}
	below := proctree.Below(p.PID())
	p.Kill()
	p.Kill() // once more does no harm
	for _, d := range below {
		for until := time.Now().Add(time.Minute); d.Alive(); time.Sleep(time.Millisecond) {
			if time.Now().After(until) {
				t.Fatalf("process %d is left", d.PID)
			}
		}
	}
	if !p.Gone() {
		t.Error("it is not gone")
	}
}

func TestNoSuchCommand(t *testing.T) {
	if _, err := Start([]string{t.TempDir()}, io.Discard); err == nil {
		t.Error("a folder was started")
	}
}
