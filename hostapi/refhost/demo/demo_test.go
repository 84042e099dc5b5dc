package demo_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/exec-ext/exec-ext/hostapi/refhost"
	"github.com/exec-ext/exec-ext/hostapi/refhost/demo"
)

// The demo shows what real servers do: each kind of tool is there, and structured content is what its schema says.
func TestS1_2_DemoToolsAreOfEveryKind(t *testing.T) {
	progress := make(chan refhost.Progress, 10)
	hub := refhost.Connect(t.Context(), demo.Sources(), refhost.HubOptions{
		Trouble:  func(s string, err error) { t.Error(s, err) },
		Progress: func(p refhost.Progress) { progress <- p },
	})
	defer hub.Close()
	for _, tc := range []struct{ name, args, want string }{
		{"mcp__tracker__list_issues", `{"filter":{"status":"open","labels":["bug"],"priority":"urgent"},"limit":1}`, `"structuredContent":{"issues":[{"id":101,`},
		{"mcp__tracker__assign_issue", `{"id":101,"assignee":"ines"}`, `"text":"#101 is ines's now."`},
		{"mcp__tracker__assign_issue", `{"id":1,"assignee":"ines"}`, `"isError":true`},
		{"mcp__tracker__burndown_chart", `{}`, `"mimeType":"image/png"`},
		{"mcp__tracker__archive_issue", `{"id":1}`, `"isError":true`},
		{"mcp__calendar__find_slots", `{"attendees":["mira"],"window":{"from":"2030-03-04","to":"2030-03-08"},"minutes":60}`, `{"start":"2030-03-04T10:30","end":"2030-03-04T11:30"}`},
		{"mcp__calendar__find_slots", `{"attendees":["mira"],"window":{"from":"2030-03-08","to":"2030-03-10"}}`, `"structuredContent":{"slots":[]}`},
		{"mcp__calendar__find_slots", `{"attendees":["mira"],"window":{"from":"soon","to":"later"}}`, `"isError":true`},
		{"mcp__calendar__book-meeting", `{"title":"x","attendees":["tomas"],"slot":{"start":"2030-03-04T10:30","end":"2030-03-04T11:30"}}`, `tomas is busy`},
		{"mcp__calendar__sync_holidays", `{}`, `2030-03-08`},
	} {
		got, err := hub.Call(t.Context(), tc.name, json.RawMessage(tc.args))
		if err != nil || !strings.Contains(string(got), tc.want) {
			t.Errorf("%s %s: %s, %v; want %s in it", tc.name, tc.args, got, err, tc.want)
		}
		fits(t, hub, tc.name, got)
	}
	if p := <-progress; p.Name != "mcp__calendar__sync_holidays" || p.Total != 4 {
		t.Errorf("progress: %+v", p)
	}
}

// What does not fit a schema is told in words, without Go's spelling of it.
func TestS1_5_ArgumentsThatDoNotFitAreToldInWords(t *testing.T) {
	hub := refhost.Connect(t.Context(), demo.Sources(), refhost.HubOptions{})
	defer hub.Close()
	for _, tc := range []struct{ name, args, want string }{
		{"mcp__tracker__list_issues", `{"limit":"3"}`, "The arguments of list_issues do not fit: limit: got string, want integer."},
		{"mcp__tracker__list_issues", `{"filter":{"status":"gone"}}`, "filter.status: value must be one of 'open', 'closed'"},
		{"mcp__tracker__list_issues", `{"limits":3}`, "additional properties 'limits' not allowed"},
		{"mcp__tracker__list_issues", `{"limit":2.0}`, "Write whole numbers with digits alone."},
		{"mcp__tracker__assign_issue", `{}`, "missing properties 'id', 'assignee'"},
		{"mcp__calendar__book-meeting", `{"title":"x","attendees":[],"slot":{"start":1,"end":""}}`, "attendees: minItems: got 0, want 1"},
		{"mcp__calendar__find_slots", `{"attendees":[7],"window":{"from":"2030-03-04","to":"2030-03-04"}}`, "attendees.0: got number, want string"},
	} {
		got, err := hub.Call(t.Context(), tc.name, json.RawMessage(tc.args))
		var r struct {
			IsError bool
			Content []struct{ Text string }
		}
		if err != nil || json.Unmarshal(got, &r) != nil || !r.IsError || len(r.Content) != 1 || !strings.Contains(r.Content[0].Text, tc.want) {
			t.Errorf("%s %s: %s, %v; want %q in it", tc.name, tc.args, got, err, tc.want)
		}
		if strings.Contains(string(got), "Got:") || strings.Contains(string(got), "json:") {
			t.Errorf("%s %s: Go's words in %s", tc.name, tc.args, got)
		}
	}
}

// fits checks structured content against the output schema of its tool.
func fits(t *testing.T, hub *refhost.Hub, name string, result json.RawMessage) {
	t.Helper()
	tools, _ := hub.Pool(t.Context())
	for _, raw := range tools {
		var tool struct {
			Name         string
			OutputSchema any
		}
		var r struct{ StructuredContent any }
		if err := json.Unmarshal(raw, &tool); err != nil || tool.Name != name {
			continue
		}
		if err := json.Unmarshal(result, &r); err != nil {
			t.Fatal(err)
		}
		if (r.StructuredContent == nil) != (tool.OutputSchema == nil) && !strings.Contains(string(result), `"isError":true`) {
			t.Errorf("%s: structured content and output schema do not go together: %s", name, result)
		}
		if r.StructuredContent == nil {
			return
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource("mem:///output", tool.OutputSchema); err != nil {
			t.Fatal(err)
		}
		if err := c.MustCompile("mem:///output").Validate(r.StructuredContent); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
