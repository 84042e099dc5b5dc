package lockdown

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/exec-ext/exec-ext/sandbox/internal/wire"
)

// The test binary is also the process that shuts itself in: "locked OUTER ACT --memory=...".
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "exit":
			os.Exit(0)
		case "locked":
			os.Exit(locked(os.Args[2], os.Args[3]))
		}
	}
	os.Exit(m.Run())
}

const testCap = 64 << 20

// locked puts on an outer filter, then the lock-down, and then does one thing. OUTER "open" leaves the lock-down
// out.
func locked(outer, act string) int {
	for _, refused := range outerFilters[outer] {
		if err := refuse(refused.numbers, refused.errno); err != nil {
			panic(err)
		}
	}
	var head wire.ReadyHead
	list := probes()
	began := time.Now()
	if outer != "open" {
		head = Lock(wire.SetupOf(os.Args))
	}
	took := time.Since(began)
	switch act {
	case "time":
		fmt.Println(took.Nanoseconds())
		return 0
	case "report":
		json.NewEncoder(os.Stdout).Encode(head)
		return 0
	case "stress":
		return stress()
	case "spin":
		//lint:ignore SA5002 a process that spins is what is wanted
		for {
		}
	}
	i := slices.IndexFunc(list, func(p probe) bool { return p.name == act })
	os.Stdout.WriteString("trying\n")
	fmt.Println(int(list[i].try()))
	return 0
}

type outerFilter struct {
	numbers []uint32
	errno   unix.Errno
}

var (
	landlockCalls = []uint32{unix.SYS_LANDLOCK_CREATE_RULESET, unix.SYS_LANDLOCK_ADD_RULE, unix.SYS_LANDLOCK_RESTRICT_SELF}
	seccompCalls  = []uint32{unix.SYS_SECCOMP}
)

// outerFilters are what a container may put around the program.
var outerFilters = map[string][]outerFilter{
	"none":                    nil,
	"no landlock, ENOSYS":     {{landlockCalls, unix.ENOSYS}},
	"no landlock, EPERM":      {{landlockCalls, unix.EPERM}},
	"no seccomp":              {{seccompCalls, unix.EPERM}},
	"no landlock, no seccomp": {{landlockCalls, unix.ENOSYS}, {seccompCalls, unix.EPERM}},
	"no prlimit":              {{[]uint32{unix.SYS_PRLIMIT64}, unix.EPERM}},
}

func refuse(numbers []uint32, errno unix.Errno) error {
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	f := []unix.SockFilter{load(offNumber)}
	for _, nr := range numbers {
		f = append(f, onNumber(nr, ret(deny(errno)))...)
	}
	return installFilter(append(f, ret(retAllow)...))
}

// stress uses all of the Go runtime that a worker may use late: threads, timers, the collector, large memory.
func stress() int {
	done := make(chan int)
	for i := range 8 {
		go func() {
			runtime.LockOSThread() // wants a thread of its own
			time.Sleep(time.Millisecond)
			var hold [][]byte
			for j := range 200 {
				hold = append(hold, make([]byte, 1<<(j%16)))
				if j%50 == 0 {
					runtime.GC()
					hold = nil
				}
			}
			func() {
				defer func() { recover() }()
				var p *int
				*p = i
			}()
			_ = time.Now().Local().Format(time.RFC3339)
			done <- len(hold)
		}()
	}
	for range 8 {
		<-done
	}
	big := make([]byte, 24<<20)
	for i := range big {
		big[i] = 1
	}
	os.Stdout.WriteString("survived\n")
	return 0
}

// users are whom the locked process runs as. Root hides faults that an ordinary user has, and the other way round.
func users() map[string]*syscall.Credential {
	if os.Getuid() != 0 {
		return map[string]*syscall.Credential{"self": nil}
	}
	return map[string]*syscall.Credential{"root": nil, "nobody": {Uid: 65534, Gid: 65534}}
}

// start runs the test binary locked. A build for the race detector uses C threads and its own shadow memory.
func start(t testing.TB, who *syscall.Credential, outer, act string) *exec.Cmd {
	t.Helper()
	if raceDetector {
		t.Skip("the race detector's runtime does not fit under the filter")
	}
	cmd := exec.Command("/proc/self/exe", append([]string{"locked", outer, act}, wire.Setup{MemoryBytes: testCap}.Args()...)...)
	cmd.Env = []string{"GOMAXPROCS=2", "TZ=UTC", "GOTRACEBACK=none"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: who}
	cmd.Dir = "/"
	return cmd
}

// layersOf reads the report of a process under an outer filter.
func reportOf(t *testing.T, who *syscall.Credential, outer string) wire.ReadyHead {
	t.Helper()
	out, err := start(t, who, outer, "report").Output()
	var head wire.ReadyHead
	if err == nil {
		err = json.Unmarshal(out, &head)
	}
	if err != nil {
		t.Fatalf("%s: %v", outer, err)
	}
	return head
}

func activeLayers(head wire.ReadyHead) (by int) {
	for _, l := range head.Layers {
		if l.Active {
			by |= map[string]int{"seccomp": bySeccomp, "landlock": byLandlock, "rlimits": byRlimits, "capabilities": byCapabilities, "memory_limit": byMemoryLimit}[l.ID]
		}
	}
	return by
}

// refusals are the answers that count as a refusal. ENOSYS is one for clone3 alone.
var refusals = []syscall.Errno{syscall.EPERM, syscall.EACCES, syscall.EMFILE, syscall.ENOMEM}

// outcome says how a probe ended: whether it was refused, and in what words.
func outcome(t *testing.T, cmd *exec.Cmd, name string) (refused bool, how string) {
	t.Helper()
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if ws := exit.Sys().(syscall.WaitStatus); ws.Signaled() && ws.Signal() == syscall.SIGSYS {
			return true, "killed"
		}
	}
	var errno int
	if _, scanErr := fmt.Sscanf(strings.TrimPrefix(string(out), "trying\n"), "%d", &errno); scanErr != nil || err != nil {
		if string(out) == "trying\n" && err == nil {
			return false, "became another program"
		}
		t.Fatalf("%s: %v: %s", name, err, out)
	}
	e := syscall.Errno(errno)
	if e == 0 {
		return false, "worked"
	}
	return slices.Contains(refusals, e) || (name == "clone3" && e == syscall.ENOSYS), e.Error()
}

// landlockHere says whether this kernel has landlock at all.
func landlockHere() bool {
	_, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	return errno == 0
}

func makeScratch(t *testing.T) {
	t.Helper()
	os.RemoveAll(scratch)
	if err := os.Mkdir(scratch, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(scratch) })
	os.Chmod(scratch, 0o777)
	for _, name := range []string{"file", "keep"} {
		if err := os.WriteFile(scratch+"/"+name, []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
		os.Chmod(scratch+"/"+name, 0o666)
		if os.Getuid() == 0 {
			os.Chown(scratch+"/"+name, 65534, 65534)
		}
	}
}

func TestProbesAreRefused(t *testing.T) {
	makeScratch(t)
	for user, who := range users() {
		for outer := range outerFilters {
			t.Run(user+"/"+outer, func(t *testing.T) {
				layers := activeLayers(reportOf(t, who, outer))
				stopped := 0
				for _, p := range probes() {
					if p.by&layers == 0 {
						continue // nothing is left that would stop it, and the report says so
					}
					stopped++
					if refused, how := outcome(t, start(t, who, outer, p.name), p.name); !refused {
						t.Errorf("%s: %s", p.name, how)
					}
				}
				t.Logf("%d of %d probes refused, layers %b", stopped, len(probes()), layers)
				if outer == "none" && stopped != len(probes()) {
					t.Errorf("only %d of %d probes tried", stopped, len(probes()))
				}
			})
		}
	}
}

// Without the lock-down most probes are not refused, so a refusal above means something.
func TestProbesMeanSomething(t *testing.T) {
	makeScratch(t)
	open := 0
	for _, p := range probes() {
		if refused, how := outcome(t, start(t, nil, "open", p.name), p.name); refused {
			t.Logf("%s: %s even without the lock-down", p.name, how)
		} else {
			open++
		}
	}
	if open < len(probes())*3/4 {
		t.Errorf("only %d of %d probes are open without the lock-down", open, len(probes()))
	}
}

func TestReport(t *testing.T) {
	all := map[string]string{"filesystem": "denied", "network": "denied", "exec": "denied", "processes": "denied", "memory": "hard"}
	for outer, want := range map[string]struct {
		inactive   []string
		guarantees map[string]string
	}{
		"none":                    {nil, all},
		"no landlock, ENOSYS":     {[]string{"landlock"}, all},
		"no landlock, EPERM":      {[]string{"landlock"}, all},
		"no seccomp":              {[]string{"seccomp"}, map[string]string{"filesystem": "denied", "network": "denied"}},
		"no landlock, no seccomp": {[]string{"landlock", "seccomp"}, map[string]string{"network": "denied"}},
		"no prlimit": {[]string{"memory_limit", "rlimits"},
			map[string]string{"filesystem": "denied", "network": "denied", "exec": "denied", "processes": "denied"}},
	} {
		if !landlockHere() {
			want.inactive = append([]string{"landlock"}, slices.DeleteFunc(want.inactive, func(id string) bool { return id == "landlock" })...)
			if outer == "no seccomp" {
				delete(want.guarantees, "filesystem")
			}
		}
		for user, who := range users() {
			head := reportOf(t, who, outer)
			var inactive []string
			for _, l := range head.Layers {
				if !l.Active && l.ID != "liveness_pipe" {
					inactive = append(inactive, l.ID)
					if l.Detail == "" {
						t.Errorf("%s: %s is inactive and does not say why", outer, l.ID)
					}
				}
				if !l.Proven {
					t.Errorf("%s: %s is not proven", outer, l.ID)
				}
			}
			slices.Sort(inactive)
			if !slices.Equal(inactive, want.inactive) {
				t.Errorf("%s/%s: inactive %v, want %v", user, outer, inactive, want.inactive)
			}
			got := head.Guarantees
			for _, g := range []string{"filesystem", "network", "exec", "processes", "memory"} {
				if outer == "no seccomp" && g == "exec" {
					continue // newer kernels let landlock prove it
				}
				if got[g] != want.guarantees[g] {
					t.Errorf("%s/%s: guarantee %s is %q, want %q", user, outer, g, got[g], want.guarantees[g])
				}
			}
		}
	}
}

func TestTheRuntimeLivesUnderTheFilter(t *testing.T) {
	for user, who := range users() {
		for range 10 {
			out, err := start(t, who, "none", "stress").CombinedOutput()
			if err != nil || string(out) != "survived\n" {
				t.Fatalf("%s: %v: %s", user, err, out)
			}
		}
	}
}

func TestLivenessPipeEndsASpinningOrphan(t *testing.T) {
	theirs, ours, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := start(t, nil, "none", "spin")
	cmd.ExtraFiles = []*os.File{theirs}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	theirs.Close()
	ours.Close()
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != exitOrphan {
		t.Errorf("ended with %v", err)
	}
}

// BenchmarkLock is the cost of all layers in the worker, the start of the netpoller and the probes included.
func BenchmarkLock(b *testing.B) {
	var sum int64
	for b.Loop() {
		out, err := start(b, nil, "none", "time").Output()
		if err != nil {
			b.Fatal(err)
		}
		var ns int64
		fmt.Sscan(string(out), &ns)
		sum += ns
	}
	b.ReportMetric(float64(sum)/float64(b.N)/1e6, "ms/lock")
}
