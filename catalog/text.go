package catalog

import (
	"fmt"
	"strings"
)

// What the model reads of this package. No sentence holds a tuning number.
const (
	textHead     = "These MCP tools can be called from a script now:"
	textEmpty    = "No MCP tools are available now. Later updates may add or remove some."
	textSearch   = "This catalog is partial. Inside a script, the following call lists or searches all tools, those shown and those not:"
	textUnrolled = "References inside this schema unfold too far to be shown; this part is left open."
)

func textPartial(shown, total int) string {
	return fmt.Sprintf("PARTIAL: %d of %d tools are shown.", shown, total)
}

// textServer is the summary line of one server.
func textServer(s ServerCount) string {
	noun := "tools"
	if s.Total == 1 {
		noun = "tool"
	}
	state := ""
	switch {
	case s.Shown == 0:
		state = ", none shown"
	case s.Shown < s.Total:
		state = fmt.Sprintf(", %d shown", s.Shown)
	}
	return fmt.Sprintf("- %s (%d %s%s)", TextGroup(s.Name), s.Total, noun, state)
}

// TextGroup is how a text names a group: "mcp__github", on one line whatever the server is called, and no comment in
// which a marker could be read.
func TextGroup(key string) string {
	return Prefix + strings.ReplaceAll(oneLine(key), "<!--", "< !--")
}

// textNoServer says that a search was limited to a server which is not there.
func textNoServer(server string, servers []string) string {
	return fmt.Sprintf("No server is called %s. Servers with tools now: %s.", quote(server), strings.Join(servers, ", "))
}

// textNothing says that a search found nothing, where it looked and which names come near.
func textNothing(query string, nearest, servers []string) string {
	s := fmt.Sprintf("No tool matches %s. Servers searched: %s.", quote(query), strings.Join(servers, ", "))
	if len(nearest) > 0 {
		s += fmt.Sprintf(" Names that come near: %s.", strings.Join(nearest, ", "))
	}
	return s + " Try fewer or other words, or omit query to list the whole pool."
}
