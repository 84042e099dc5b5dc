package serve

import (
	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/sandbox"
)

// errorKinds that no script can cause; the others are the sandbox's.
const (
	kindNotAvailable  = "not_available"
	kindDenied        = string(sandbox.KindDenied)
	kindNoPool        = "no_pool"
	kindReentrant     = "reentrant"
	kindOverloaded    = "overloaded"
	kindInvalidInput  = string(sandbox.KindInvalidInput)
	kindResultTooLong = "result_too_long" // overlongResult "fail" only
)

// statusOf gives the status that an errorKind belongs to. started is false for a run without a sandbox: there,
// denied means Exec itself.
func statusOf(kind string, started bool) string {
	switch sandbox.Kind(kind) {
	case "":
		return hostapi.StatusCompleted
	case sandbox.KindDenied:
		if !started {
			return hostapi.StatusNotAvailable
		}
		return hostapi.StatusCodeError
	case sandbox.KindInvalidInput, sandbox.KindSyntax, sandbox.KindScript, sandbox.KindUnserializable:
		return hostapi.StatusCodeError
	case sandbox.KindCallLimit, sandbox.KindMemory, kindResultTooLong:
		return hostapi.StatusBudgetExceeded
	case sandbox.KindTimeout, sandbox.KindStalled:
		return hostapi.StatusTimeout
	case sandbox.KindCancelled:
		return hostapi.StatusCancelled
	case kindNotAvailable, kindNoPool, kindReentrant:
		return hostapi.StatusNotAvailable
	}
	return hostapi.StatusSandboxError
}

// errorName is the name on the wire of a failure whose error brought none. There is one for each kind.
func errorName(kind string) string {
	switch sandbox.Kind(kind) {
	case sandbox.KindStalled:
		return "StalledError"
	case sandbox.KindUnserializable:
		return "UnserializableError"
	case sandbox.KindInternal:
		return "SandboxError"
	}
	return "Error"
}
