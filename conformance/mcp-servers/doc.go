// Package mcpservers tests exec-ext, as a program, against real MCP servers: the reference servers of the MCP project,
// pinned in package-lock.json.
package mcpservers
