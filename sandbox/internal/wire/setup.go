package wire

import (
	"strconv"
	"strings"
)

// MaxDepth is how deep arguments and return values may nest. The worker refuses deeper ones with a sentence for
// the script; the parent takes a deeper one for an attack.
const MaxDepth = 1000

// AliveFD is the worker's end of the liveness pipe on systems with file descriptors: it reads as closed when the
// parent is gone.
const AliveFD = 3

// A Setup is what a worker must know before it shuts itself in. It travels on the worker's command line.
type Setup struct {
	MemoryBytes int64   // as sandbox.Limits.MemoryBytes
	TryUnproven bool    // as sandbox.Options.TryUnproven
	Alive       uintptr // Windows: the handle of the liveness pipe; 0 elsewhere
}

const (
	memoryFlag   = "--memory="
	unprovenFlag = "--try-unproven"
	aliveFlag    = "--alive="
)

// Args gives the arguments that SetupOf reads.
func (s Setup) Args() []string {
	args := []string{memoryFlag + strconv.FormatInt(s.MemoryBytes, 10)}
	if s.TryUnproven {
		args = append(args, unprovenFlag)
	}
	if s.Alive != 0 {
		args = append(args, aliveFlag+strconv.FormatUint(uint64(s.Alive), 10))
	}
	return args
}

// SetupOf reads a worker's command line (os.Args). What it does not know it leaves alone.
func SetupOf(args []string) Setup {
	var s Setup
	for _, a := range args {
		if v, ok := strings.CutPrefix(a, memoryFlag); ok {
			s.MemoryBytes, _ = strconv.ParseInt(v, 10, 64)
		}
		if a == unprovenFlag {
			s.TryUnproven = true
		}
		if v, ok := strings.CutPrefix(a, aliveFlag); ok {
			n, _ := strconv.ParseUint(v, 10, 64)
			s.Alive = uintptr(n)
		}
	}
	return s
}
