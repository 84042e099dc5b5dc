package refhost

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// SavedRules is the user's own file of leaves that are always allowed: {"allow": ["mcp__server__tool"]}. The leaf's
// full name is what is stored. It is read anew for each question, so that hosts that run side by side and the user's
// own edits count at once.
type SavedRules struct{ path string }

type savedFile struct {
	Allow []string `json:"allow"`
}

// OpenSavedRules uses the file at path, which need not exist yet. The error says that it is there and cannot be read.
func OpenSavedRules(path string) (*SavedRules, error) {
	s := &SavedRules{path}
	_, err := s.look()
	return s, err
}

// file is where the path leads to by way of links, whether there is a file or not. It is asked anew each time, as the
// system does it.
func (s *SavedRules) file() string {
	path := s.path
	for range 40 { // as many links as an operating system follows
		if file, err := filepath.EvalSymlinks(path); err == nil {
			return file
		}
		folder, name := filepath.Split(path) // not cleaned: .. behind a link is not where it seems
		next, err := os.Readlink(path)
		if err != nil {
			if real, err := filepath.EvalSymlinks(folder); err == nil {
				return filepath.Join(real, name)
			}
			return path
		}
		if !filepath.IsAbs(next) {
			next = folder + next
		}
		path = next
	}
	return path
}

// lockOf is the lock of a file, held from reading to writing by one host of all that run.
func lockOf(file string) *lockedfile.Mutex { return lockedfile.MutexAt(file + ".lock") }

// Path is where the rules are.
func (s *SavedRules) Path() string { return s.path }

// look reads while nobody writes: Windows replaces no file that somebody has open. Where the lock cannot be had, as in a
// folder that is read-only, nobody writes.
func (s *SavedRules) look() (savedFile, error) {
	file := s.file()
	if _, err := os.Stat(file); err == nil {
		if unlock, err := lockOf(file).Lock(); err == nil {
			defer unlock()
		}
	}
	return s.read(file)
}

func (s *SavedRules) read(file string) (savedFile, error) {
	var f savedFile
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, fmt.Errorf("saved rules: %w", err)
	}
	if err := json.Unmarshal(data, &f); err != nil {
		offset, plain := jsonFault(err, map[string]string{"allow": shapeTexts})
		return f, fmt.Errorf("saved rules %s: %w", s.path, atLine(data, offset, plain))
	}
	return f, nil
}

// Notes are sentences about entries that can be the name of no tool. Tools that are not connected now are none of them.
func (s *SavedRules) Notes() []string {
	var notes []string
	f, _ := s.look()
	for _, name := range f.Allow {
		if !strings.HasPrefix(name, leafPrefix) {
			notes = append(notes, fmt.Sprintf("saved rules %s: %q allows nothing: names of tools begin with %s", s.path, name, leafPrefix))
		}
	}
	return notes
}

// allows tells whether exactly this leaf is saved. An unreadable file allows nothing.
func (s *SavedRules) allows(name string) bool {
	f, err := s.look()
	return err == nil && slices.Contains(f.Allow, name)
}

// add saves one leaf. The file is replaced as a whole, so that a reader never sees half of it; a link to it stays.
func (s *SavedRules) add(name string) error {
	file := s.file()
	folder := filepath.Dir(file)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("saved rules: %w", err)
	}
	unlock, err := lockOf(file).Lock()
	if err != nil {
		return fmt.Errorf("saved rules: %w", err)
	}
	defer unlock()
	f, err := s.read(file)
	if err != nil {
		return err
	}
	if slices.Contains(f.Allow, name) {
		return nil
	}
	f.Allow = append(f.Allow, name)
	slices.Sort(f.Allow)
	data, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	next, err := os.CreateTemp(folder, ".rules-*")
	if err != nil {
		return fmt.Errorf("saved rules: %w", err)
	}
	defer os.Remove(next.Name()) // gone already if all went well
	_, err = next.Write(append(data, '\n'))
	if err := errors.Join(err, next.Close()); err != nil {
		return fmt.Errorf("saved rules: %w", err)
	}
	return os.Rename(next.Name(), file)
}
