package demo

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

type issue struct {
	ID       int      `json:"id"`
	Title    string   `json:"title"`
	Status   string   `json:"status"`
	Priority string   `json:"priority"`
	Labels   []string `json:"labels"`
	Assignee *string  `json:"assignee"`
}

type tracker struct {
	mu     sync.Mutex
	issues []issue // guarded by mu
}

func newTracker() *tracker {
	to := func(name string) *string { return &name }
	return &tracker{issues: []issue{
		{101, "Login loops after a password reset", "open", "urgent", []string{"bug", "auth"}, nil},
		{102, "CSV export drops the last row", "open", "high", []string{"bug", "export"}, to("mira")},
		{103, "Dark mode: links are hard to read", "open", "low", []string{"bug", "ui"}, to("tomas")},
		{104, "Invoices show yesterday's rate", "open", "urgent", []string{"bug", "billing"}, nil},
		{105, "Webhook retries forever on 410", "open", "high", []string{"bug", "api"}, to("mira")},
		{106, "Import contacts from vCard", "open", "low", []string{"feature"}, nil},
		{107, "Search ignores umlauts", "closed", "high", []string{"bug", "search"}, to("ines")},
	}}
}

func (t *tracker) server() *mcpserver.MCPServer {
	s := newServer("issue tracker")
	add(s, declare("list_issues", "List issues, newest last.", listIssuesInput, listIssuesOutput), t.list)
	add(s, declare("assign_issue", "Give an issue to a person.", assignIssueInput, ""), t.assign)
	add(s, declare("burndown_chart", "Draw the open issues of the last two weeks as a picture.", `{"type":"object"}`, ""), t.chart)
	add(s, declare("archive_issue", "Move an issue to the archive.", archiveIssueInput, ""), t.archive)
	return s
}

const listIssuesInput = `{
	"type": "object",
	"properties": {
		"filter": {
			"type": "object",
			"description": "Only issues that fit all of it.",
			"properties": {
				"status": {"type": "string", "enum": ["open", "closed"]},
				"labels": {"type": "array", "items": {"type": "string"}, "description": "All of these must be set."},
				"priority": {"$ref": "#/$defs/priority"}
			},
			"additionalProperties": false
		},
		"limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 50}
	},
	"additionalProperties": false,
	"$defs": {"priority": {"type": "string", "enum": ["urgent", "high", "low"]}}
}`

const listIssuesOutput = `{
	"type": "object",
	"properties": {
		"total": {"type": "integer", "description": "How many fit, before the limit."},
		"issues": {
			"type": "array",
			"items": {
				"type": "object",
				"properties": {
					"id": {"type": "integer"},
					"title": {"type": "string"},
					"status": {"type": "string", "enum": ["open", "closed"]},
					"priority": {"type": "string", "enum": ["urgent", "high", "low"]},
					"labels": {"type": "array", "items": {"type": "string"}},
					"assignee": {"type": ["string", "null"], "description": "null: nobody's"}
				},
				"required": ["id", "title", "status", "priority", "labels", "assignee"]
			}
		}
	},
	"required": ["total", "issues"]
}`

const assignIssueInput = `{
	"type": "object",
	"properties": {
		"id": {"type": "integer"},
		"assignee": {"type": "string", "description": "Login name of the person."},
		"notify": {
			"type": "object",
			"properties": {"channel": {"type": "string", "enum": ["mail", "chat"], "default": "chat"}, "note": {"type": "string"}}
		}
	},
	"required": ["id", "assignee"]
}`

const archiveIssueInput = `{"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}`

func (t *tracker) list(_ context.Context, q mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in struct {
		Filter struct {
			Status   string
			Labels   []string
			Priority string
		}
		Limit int
	}
	if problem := bind(q, &in); problem != nil {
		return problem, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	fitting := []issue{}
	for _, i := range t.issues {
		hasAll := !slices.ContainsFunc(in.Filter.Labels, func(l string) bool { return !slices.Contains(i.Labels, l) })
		if hasAll && (in.Filter.Status == "" || in.Filter.Status == i.Status) &&
			(in.Filter.Priority == "" || in.Filter.Priority == i.Priority) {
			fitting = append(fitting, i)
		}
	}
	total := len(fitting)
	if in.Limit > 0 && in.Limit < total {
		fitting = fitting[:in.Limit]
	}
	return structured(map[string]any{"total": total, "issues": fitting})
}

func (t *tracker) assign(_ context.Context, q mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in struct {
		ID       int
		Assignee string
	}
	if problem := bind(q, &in); problem != nil {
		return problem, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	n := slices.IndexFunc(t.issues, func(i issue) bool { return i.ID == in.ID })
	if n < 0 {
		return mcp.NewToolResultError(fmt.Sprintf("There is no issue #%d.", in.ID)), nil
	}
	t.issues[n].Assignee = &in.Assignee
	return mcp.NewToolResultText(fmt.Sprintf("#%d is %s's now.", in.ID, in.Assignee)), nil
}

func (t *tracker) archive(_ context.Context, q mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return mcp.NewToolResultError("The archive is read-only until the audit is over. Close the issue instead."), nil
}

func (t *tracker) chart(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	picture, err := burndown([]int{9, 9, 8, 10, 9, 7, 7, 8, 6, 6, 7, 6, 5, 6})
	if err != nil {
		return nil, err
	}
	return mcp.NewToolResultImage("Open issues of the last two weeks", base64.StdEncoding.EncodeToString(picture), "image/png"), nil
}
