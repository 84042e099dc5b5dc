package refhost

import (
	"os"
	"testing"

	"github.com/exec-ext/exec-ext/hostapi/refhost/rawserver"
)

// TestMain lets the test program be a stdio server itself: what it does is the value of this variable.
const serverVariable = "REFHOST_TEST_SERVER"

func TestMain(m *testing.M) {
	if path := os.Getenv(saverVariable); path != "" {
		os.Exit(saveMany(path))
	}
	if kind := os.Getenv(serverVariable); kind != "" {
		os.Exit(rawserver.Serve(kind, os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// stdioServer is this program as a raw server of the given kind.
func stdioServer(t *testing.T, kind string) Source {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Spec{Name: "raw", Transport: TransportStdio, Command: self, Env: map[string]string{serverVariable: kind}}.Source()
}
