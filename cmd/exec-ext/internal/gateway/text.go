package gateway

// What a client, its user or its model reads.
const (
	textInstructions = "The tool Exec runs a script that calls the MCP tools behind this server, many in one go. " +
		"Its description lists them and changes when they do."
	textInstructionsOf = "\n\nInstructions of the server %q, for its tools:\n%s"

	// A client has one description for the tool and the catalog: the words of the declaration that point elsewhere, and
	// those that stand in their place.
	textListedElsewhere = "as listed in the catalog messages of this conversation"
	textListedBelow     = "as listed below"

	textQuestion = "A script calls %s with %s. Allow it?"

	textNoElicitation = "the client has no elicitation"

	answerOnce   = "once"
	answerRun    = "always, until the gateway ends"
	answerAlways = "always (saved in %s)"
	answerNo     = "no"
)
