package sandbox

import (
	"bytes"
	"strings"
)

// exitFailure says why a worker ended by itself without a last frame. What it wrote to stderr only chooses the
// sentence.
func exitFailure(p *process) *Failure {
	stderr := p.stderr.String()
	switch sig := signalOf(p.cmd.ProcessState); {
	case sig == violation || strings.HasPrefix(stderr, "SIGSYS"):
		return crashFailure(textViolation)
	case sig == killed:
		return crashFailure(textKilled)
	case strings.Contains(stderr, "stack exceeds"):
		return stackFailure()
	case outOfMemory(stderr):
		return memoryFailure()
	default:
		return crashFailure(textExited)
	}
}

// outOfMemorySigns are in what the Go runtime writes, the last three where a new thread had no room.
var outOfMemorySigns = []string{"out of memory", "cannot allocate memory", "heap arena metadata",
	"new OS thread (have", "pthread_create failed: Resource temporarily unavailable", "pthread_create failed: Cannot allocate memory"}

// outOfMemory recognizes how the Go runtime dies when the kernel refuses memory. It also dies of a plain fault in
// the runtime's own code then; a fault in ordinary code would be a panic.
func outOfMemory(stderr string) bool {
	for _, sign := range outOfMemorySigns {
		if strings.Contains(stderr, sign) {
			return true
		}
	}
	for line := range bytes.Lines([]byte(stderr)) {
		if bytes.HasPrefix(line, []byte("SIGSEGV: segmentation violation")) {
			return true
		}
	}
	return false
}

// runtimeLine gives the first line of a worker's stderr if the Go runtime wrote it. Nothing else of it may be
// logged: it could be text of the script.
func runtimeLine(stderr string) string {
	line, _, _ := strings.Cut(stderr, "\n")
	for _, start := range []string{"fatal error: ", "runtime: ", "SIG", "panic: runtime error: "} {
		if strings.HasPrefix(line, start) {
			return line
		}
	}
	return ""
}
