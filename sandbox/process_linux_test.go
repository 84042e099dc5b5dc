package sandbox_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/exec-ext/exec-ext/sandbox"
)

// children lists the living child processes of a process, zombies included.
func children(parent int) (pids []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if _, ppid := stateOf(pid); ppid == parent {
			pids = append(pids, pid)
		}
	}
	return pids
}

// stateOf gives the state letter and the parent of a process; 0 if there is none.
func stateOf(pid int) (state byte, ppid int) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0
	}
	_, rest, _ := bytes.Cut(raw, []byte(") ")) // the name before it may hold anything
	fmt.Sscanf(string(rest), "%c %d", &state, &ppid)
	return state, ppid
}

func gone(pid int) bool {
	state, _ := stateOf(pid)
	return state == 0 || state == 'Z' // whoever inherits an orphan may be slow to reap it
}

// oneChild waits for this process to have exactly one child more than before.
func oneChild(t testing.TB, parent int, before []int) (pid int) {
	t.Helper()
	eventually(t, "no new child process", func() bool {
		for _, c := range children(parent) {
			if !slices.Contains(before, c) {
				pid = c
			}
		}
		return pid != 0
	})
	return pid
}

func TestS4_9_KilledFromOutside(t *testing.T) {
	before := children(os.Getpid())
	r := newRunner(t, sandbox.Options{Command: command("fake"), Spare: 1})
	eventually(t, "no spare", func() bool { spare, _ := r.Workers(); return spare == 1 })
	spare := oneChild(t, os.Getpid(), before)

	syscall.Kill(spare, syscall.SIGKILL) // an idle spare: nobody notices
	eventually(t, "the spare lives", func() bool { return gone(spare) })
	eventually(t, "the spare is a zombie", func() bool { state, _ := stateOf(spare); return state == 0 })
	wantValue(t, r.Run(t.Context(), sandbox.Job{Code: "value 1", Limits: limits()}, &testHost{}), "1")

	none := newRunner(t, sandbox.Options{Command: command("fake")})
	before = append(before, children(os.Getpid())...)
	time.AfterFunc(100*time.Millisecond, func() { syscall.Kill(oneChild(t, os.Getpid(), before), syscall.SIGKILL) })
	r.Close()
	wantFailure(t, none.Run(t.Context(), sandbox.Job{Code: "spin", Limits: limits()}, &testHost{}), sandbox.KindCrash, "killed from outside")
}

// The kernel sends the parent-death signal when the thread ends that forked.
func TestWorkersOutliveTheThreadThatAskedForThem(t *testing.T) {
	before := children(os.Getpid())
	made := make(chan *sandbox.Runner)
	go func() {
		runtime.LockOSThread() // and never unlock: the thread ends with this goroutine
		made <- newRunner(t, sandbox.Options{Command: command("fake"), Spare: 1})
	}()
	r := <-made
	eventually(t, "no spare", func() bool { spare, _ := r.Workers(); return spare == 1 })
	pid := oneChild(t, os.Getpid(), before)
	for range 20 { // threads come and go
		done := make(chan bool)
		go func() { runtime.LockOSThread(); close(done) }()
		<-done
	}
	if gone(pid) {
		t.Error("the spare died with a thread")
	}
	wantValue(t, r.Run(t.Context(), sandbox.Job{Code: "value 1", Limits: limits()}, &testHost{}), "1")
}

func init() {
	modes["parent"] = parentOfASpinner
	childProcesses = func() int { return len(children(os.Getpid())) }
}

// parentOfASpinner is the test binary as a server that is killed in the middle of a run.
func parentOfASpinner() int {
	r := sandbox.NewRunner(sandbox.Options{Command: command("worker"), Spare: 1})
	go r.Run(context.Background(), engineJob("console.log('on'); for (;;);", limits()), &testHost{})
	for {
		if spare, live := r.Workers(); spare == 1 && live == 1 {
			fmt.Println(strings.Trim(fmt.Sprint(children(os.Getpid())), "[]"))
			select {}
		}
	}
}

func TestNoOrphansWhenTheParentIsKilled(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector's runtime does not fit into a locked worker")
	}
	cmd := command("parent")()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	cmd.Process.Kill()
	cmd.Wait()
	if err != nil {
		t.Fatal(err)
	}
	pids := strings.Fields(line)
	if len(pids) != 2 {
		t.Fatalf("children %q, want a spare and a spinning one", line)
	}
	for _, s := range pids {
		pid, _ := strconv.Atoi(s)
		eventually(t, "an orphan lives", func() bool { return gone(pid) })
	}
}

// TestRealWorkersAs runs the whole thing as root and as an ordinary user.
func TestRealWorkersAs(t *testing.T) {
	who := map[string]*syscall.Credential{"self": nil}
	if os.Getuid() == 0 {
		who["nobody"] = &syscall.Credential{Uid: 65534, Gid: 65534}
	}
	for name, cred := range who {
		t.Run(name, func(t *testing.T) {
			if raceDetector {
				t.Skip("the race detector's runtime does not fit into a locked worker")
			}
			r := newRunner(t, sandbox.Options{Spare: 1, Command: func() *exec.Cmd {
				cmd := exec.Command("/proc/self/exe", "worker") // the path of the test binary may be closed to others
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: cred}
				return cmd
			}})
			rep, err := r.Isolation(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if rep.Mode != "process" || rep.Level != "full" || rep.Guarantees != (sandbox.Guarantees{
				Filesystem: "denied", Network: "denied", Exec: "denied", Processes: "denied", Memory: "hard"}) {
				t.Errorf("report %+v", rep)
			}
			for _, l := range rep.Layers {
				if !l.Active {
					t.Logf("inactive here: %+v", l)
				}
			}
			out := r.Run(t.Context(), engineJob("const x: number = 20; return x + (await tools.mcp__a__b({ n: 22 })).n", limits()), echoHost())
			wantValue(t, out, "42")
			l := limits()
			l.MemoryBytes = 64 << 20
			out = r.Run(t.Context(), engineJob(`const a = []; for (;;) a.push("x".repeat(1e5) + a.length);`, l), echoHost())
			wantFailure(t, out, sandbox.KindMemory, "out of memory")
			l.Active = 200 * time.Millisecond
			wantFailure(t, r.Run(t.Context(), engineJob(`for (;;);`, l), echoHost()), sandbox.KindTimeout, "budget")
		})
	}
}
