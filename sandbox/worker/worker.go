// Package worker is the process a script runs in. It is the only importer of the engine. It shuts itself in,
// says that it is ready, takes one script, runs it, and is killed.
package worker

// Main is the whole life of a worker: frames on stdin and stdout. It returns the exit code.
func Main() int { panic("not built yet") }
