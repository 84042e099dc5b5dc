// Package refhost is a real host: it connects MCP servers from a configuration file, keeps their tools as one pool,
// asks for permission, and serves the host's half of the protocol. The verbs run, catalog and gateway use it over an
// in-memory pipe, the same way any other host would use the extension over stdio.
//
// Three nouns: a Source is one server that may be connected, a Hub is the set of connected servers with their pool,
// a Gate decides on calls. A Host binds them to the protocol; Open starts the extension at the other end.
//
// Not done here: sampling, elicitation and roots (no such capability is declared to a server), OAuth, and restarting
// a server that died.
package refhost
