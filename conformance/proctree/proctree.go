// Package proctree finds what processes have started and what memory they use, where the system tells by /proc;
// elsewhere it finds nothing.
package proctree

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A Process is a process that one of ours started. The start time tells it from another that got its id later.
type Process struct {
	PID     int
	started string
}

// Below finds the processes below one, where the system has /proc; elsewhere it finds none.
func Below(root int) []Process {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil
	}
	below := map[int][]Process{}
	for _, f := range files {
		if d, parent, ok := readStat(f); ok {
			below[parent] = append(below[parent], d)
		}
	}
	var out []Process
	for queue := []int{root}; len(queue) > 0; queue = queue[1:] {
		for _, d := range below[queue[0]] {
			out = append(out, d)
			queue = append(queue, d.PID)
		}
	}
	return out
}

// readStat reads a stat file: pid (name) state parent ...; the start time is the 20th field after the name. A process
// that has ended and is not yet waited for does not count.
func readStat(path string) (d Process, parent int, ok bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return d, 0, false
	}
	head, rest, found := strings.Cut(string(text), " (")
	end := strings.LastIndex(rest, ") ")
	if !found || end < 0 {
		return d, 0, false
	}
	fields := strings.Fields(rest[end+2:])
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return d, 0, false
	}
	d.PID, err = strconv.Atoi(head)
	if err != nil {
		return d, 0, false
	}
	parent, err = strconv.Atoi(fields[1])
	d.started = fields[19]
	return d, parent, err == nil
}

// Alive says whether that very process still runs.
func (d Process) Alive() bool {
	now, _, ok := readStat(fmt.Sprintf("/proc/%d/stat", d.PID))
	return ok && now == d
}

// Kill ends it, if it still runs.
func (d Process) Kill() {
	if !d.Alive() {
		return
	}
	if p, err := os.FindProcess(d.PID); err == nil {
		_ = p.Kill()
	}
}

// Resident is the memory of a process that is in use, in bytes; 0 if the system does not tell.
func Resident(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
