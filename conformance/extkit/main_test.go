package extkit

import (
	"os"
	"testing"
	"time"
)

// The test binary is a broken extension too: `faulty FAULT COMMAND ARGS` stands in front of a good one.
func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == "faulty" {
		os.Exit(faulty(os.Args[2], os.Args[3:]))
	}
	if len(os.Args) > 1 && os.Args[1] == "orphan" {
		time.Sleep(time.Minute) // the kit finds and kills it before
		os.Exit(0)
	}
	os.Exit(m.Run())
}
