// Package hostapi is the wire contract between a host and exec-ext, version 1, in both directions: the types of
// every message, the method table from which the JSON Schemas are made, and a typed client for each side. It
// decides nothing.
package hostapi
