package sandbox

// Sentences for the model. Each says what happened, that what was done stays done, and what to do next; none
// holds a limit's number.
const (
	textWall = "The script went over its time budget, waiting for tools included, and was terminated. Calls that had " +
		"already completed remain in effect. Make fewer calls in one script, or run independent ones together with Promise.all."
	textActive = "The script went over its time budget for computing and was terminated. Calls that had already " +
		"completed remain in effect. Waiting for tools does not count here: look for a loop that does not end, or do less in one script."
	textMemory = "The script ran out of memory and was terminated. Calls that had already completed remain in effect. " +
		"Hold less at once: keep only the fields you need of each result, and build no very large string or array."
	textManyCalls = "The script ran out of memory for calls that had not finished and was terminated. Calls that had " +
		"already completed remain in effect. Start fewer at once: await them in smaller groups."
	textStack = "Stack overflow: a value is nested too deeply, or functions call each other without end. The script was " +
		"terminated; calls that had already completed remain in effect. Use a loop with a list of what is left to do."
	textCancelled = "The run was cancelled. Calls that had already completed remain in effect."
	textExited    = "The sandbox ended before the script did. Calls that had already completed remain in effect. " +
		"Check what they changed before running the script again; if it happens again, do less in one script."
	textKilled = "The sandbox was killed from outside before the script ended, perhaps because the machine is short of " +
		"memory. Calls that had already completed remain in effect. Check what they changed before running the script again."
	textViolation = "Sandbox violation: the script's process tried what the sandbox forbids and was killed. Calls that had " +
		"already completed remain in effect. Use nothing but tools and console."
	textGarbage = "The sandbox sent something that cannot be understood and was stopped. Calls that had already completed " +
		"remain in effect. Check what they changed before running the script again."
	textNoStart = "The sandbox could not be started on this machine, so nothing of the script has run. This is not the " +
		"script's fault: tell the user."
)

func wallFailure() *Failure {
	return &Failure{Kind: KindTimeout, Name: "TimeoutError", Message: textWall}
}
func activeFailure() *Failure {
	return &Failure{Kind: KindTimeout, Name: "TimeoutError", Message: textActive}
}
func memoryFailure() *Failure {
	return &Failure{Kind: KindMemory, Name: "MemoryError", Message: textMemory}
}
func manyCallsFailure() *Failure {
	return &Failure{Kind: KindMemory, Name: "MemoryError", Message: textManyCalls}
}
func stackFailure() *Failure {
	return &Failure{Kind: KindScript, Name: "RangeError", Message: textStack}
}
func cancelledFailure() *Failure {
	return &Failure{Kind: KindCancelled, Name: "CancelledError", Message: textCancelled}
}
func crashFailure(text string) *Failure {
	return &Failure{Kind: KindCrash, Name: "SandboxError", Message: text}
}
func noStartFailure() *Failure {
	return &Failure{Kind: KindInternal, Name: "SandboxError", Message: textNoStart}
}
