package gateway

// What a client, its user or its model reads.
const (
	textInstructions = "The tool Exec runs a script that calls the MCP tools behind this server, many in one go. " +
		"Its description lists them and changes when they do."
	textInstructionsOf = "\n\nInstructions of the server %q, for its tools:\n%s"

	textQuestion = "A script calls %s with %s. Allow it?"

	answerOnce   = "once"
	answerRun    = "always, until the gateway ends"
	answerAlways = "always"
	answerNo     = "no"
)
