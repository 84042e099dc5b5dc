package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// programs builds the program of every target. Nothing of the machine gets into it: no paths, no version control, no
// build id, no C compiler, no flags from the environment, the plain instruction set of each processor.
func (b *build) programs() error {
	folder, err := os.MkdirTemp("", "exec-ext-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	for i := range b.targets {
		t := &b.targets[i]
		started := time.Now()
		out := filepath.Join(folder, t.GOOS+"-"+t.GOARCH)
		cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-mod=readonly",
			"-ldflags", "-s -w -buildid= -X main.version="+b.version, "-o", out, "./cmd/exec-ext")
		cmd.Dir = b.root
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.GOOS, "GOARCH="+t.GOARCH, "GOAMD64=v1", "GOARM64=v8.0",
			"GOFLAGS=", "GOEXPERIMENT=", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go build for %s: %w\n%s", t, err, out)
		}
		if t.program, err = os.ReadFile(out); err != nil {
			return err
		}
		b.say("%s: %d bytes in %.0f s", t, len(t.program), time.Since(started).Seconds())
	}
	return nil
}
