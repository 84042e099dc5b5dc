package refhost

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/exec-ext/exec-ext/conformance/need"
)

// saverVariable makes the test program a host that saves rules: its value is the file.
const saverVariable = "REFHOST_TEST_SAVER"

const savedByOne = 40

// saveMany saves rules under names of this process, once its stdin says go.
func saveMany(path string) int {
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	s, err := OpenSavedRules(path)
	for i := 0; err == nil && i < savedByOne; i++ {
		err = s.add(fmt.Sprintf("mcp__p%d__t%d", os.Getpid(), i))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// Two programs save rules at once, in a folder that is not there yet, while a third reads: none is lost.
func TestS8_1_ProgramsThatSaveAtOnceLoseNoRule(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "deep", "rules.json")
	var savers []*exec.Cmd
	var gates []io.WriteCloser
	for range 2 {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), saverVariable+"="+path)
		cmd.Stderr = os.Stderr
		gate, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		savers, gates = append(savers, cmd), append(gates, gate)
	}
	for _, gate := range gates {
		if _, err := io.WriteString(gate, "go\n"); err != nil {
			t.Fatal(err)
		}
	}
	reading, stop := make(chan error, 1), make(chan struct{})
	go func() {
		for {
			select {
			case <-stop:
				reading <- nil
				return
			default:
			}
			if _, err := OpenSavedRules(path); err != nil {
				reading <- err
				return
			}
		}
	}()
	for _, cmd := range savers {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	if err := <-reading; err != nil {
		t.Errorf("a reader saw half of it: %v", err)
	}
	s, err := OpenSavedRules(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, cmd := range savers {
		for i := range savedByOne {
			if name := fmt.Sprintf("mcp__p%d__t%d", cmd.Process.Pid, i); !s.allows(name) {
				t.Errorf("%s is lost", name)
			}
		}
	}
}

// A file that is a link stays one: what it leads to is written, there or not, however the link names it.
func TestS8_1_RulesAreSavedThroughALink(t *testing.T) {
	for name, exists := range map[string]bool{"a file": true, "a file to come": false} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			kept, used := filepath.Join(dir, "kept"), filepath.Join(dir, "used")
			for _, d := range []string{kept, used} {
				if err := os.Mkdir(d, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			want := []string{"mcp__a__new"}
			if exists {
				want = append(want, "mcp__a__old")
				if err := os.WriteFile(filepath.Join(kept, "rules.json"), []byte(`{"allow": ["mcp__a__old"]}`), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			path := filepath.Join(used, "rules.json")
			for at, to := range map[string]string{path: "second", filepath.Join(used, "second"): filepath.Join("..", "kept", "rules.json")} {
				if err := os.Symlink(to, at); err != nil {
					need.Missing(t, "symbolic links: "+err.Error())
				}
			}
			s, err := OpenSavedRules(path)
			if err == nil {
				err = s.add("mcp__a__new")
			}
			if err != nil {
				t.Fatal(err)
			}
			if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
				t.Errorf("the link: %v, %v", info, err)
			}
			direct, err := OpenSavedRules(filepath.Join(kept, "rules.json"))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range want {
				if !direct.allows(name) || !s.allows(name) {
					t.Errorf("%s is not allowed", name)
				}
			}
		})
	}
}

// What a path leads to is for the system to say: .. behind a linked folder is the parent of what it leads to, and a link
// may lead elsewhere tomorrow.
func TestS8_1_RulesAreWhereTheSystemFindsThem(t *testing.T) {
	dir := t.TempDir()
	write := func(path, name string) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(`{"allow": ["`+name+`"]}`), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to, at string) {
		os.Remove(at)
		if err := os.Symlink(to, at); err != nil {
			need.Missing(t, "symbolic links: "+err.Error())
		}
	}
	home := filepath.Join(dir, "home")
	write(filepath.Join(home, "rules.json"), "mcp__a__wrong")
	write(filepath.Join(dir, "other", "rules.json"), "mcp__a__right")
	write(filepath.Join(dir, "other", "cfg", "empty.json"), "mcp__a__none")
	link(filepath.Join("..", "other", "cfg"), filepath.Join(home, "cfg"))
	link("cfg/../rules.json", filepath.Join(home, "link.json"))
	link("cfg/../new.json", filepath.Join(home, "fresh.json"))
	for path, file := range map[string]string{
		home + "/cfg/../rules.json": "rules.json", home + "/link.json": "rules.json", home + "/fresh.json": "new.json",
	} {
		want, err := filepath.EvalSymlinks(filepath.Join(dir, "other"))
		if err != nil {
			t.Fatal(err)
		}
		want = filepath.Join(want, file)
		s, err := OpenSavedRules(path)
		if err == nil {
			err = s.add("mcp__a__more")
		}
		if err != nil || s.allows("mcp__a__wrong") || s.file() != want {
			t.Errorf("%s: %v, %v, want %s", path, err, s.file(), want)
		}
	}
	s, err := OpenSavedRules(filepath.Join(home, "link.json"))
	if err != nil || !s.allows("mcp__a__right") || !s.allows("mcp__a__more") {
		t.Errorf("%v: the rules are lost", err)
	}
	link("rules.json", filepath.Join(home, "link.json"))
	if !s.allows("mcp__a__wrong") || s.allows("mcp__a__right") {
		t.Error("the link still leads where it led")
	}
}
