package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// slot is a span of time, in the layout of clock.
type slot struct {
	Start string `json:"start"`
	End   string `json:"end"`
}

const (
	clock   = "2006-01-02T15:04"
	opens   = 9
	closes  = 17
	holiday = "2030-03-08"
)

type calendar struct {
	mu   sync.Mutex
	busy map[string][]slot // guarded by mu: by person
}

func newCalendar() *calendar {
	return &calendar{busy: map[string][]slot{
		"ines":  {{"2030-03-04T09:00", "2030-03-04T12:00"}, {"2030-03-05T09:00", "2030-03-05T17:00"}},
		"mira":  {{"2030-03-04T09:00", "2030-03-04T10:30"}, {"2030-03-04T13:00", "2030-03-04T17:00"}},
		"tomas": {{"2030-03-04T10:00", "2030-03-04T11:00"}},
	}}
}

func (c *calendar) server() *mcpserver.MCPServer {
	s := newServer("calendar")
	add(s, declare("find_slots", "Find times when all attendees are free, earliest first.", findSlotsInput, findSlotsOutput), c.find)
	add(s, declare("book-meeting", "Book a meeting for all attendees.", bookMeetingInput, ""), c.book)
	add(s, declare("sync_holidays", "Fetch the public holidays from the authority. This takes a while.", `{"type":"object"}`, ""), c.sync)
	return s
}

const slotSchema = `{
	"type": "object",
	"properties": {
		"start": {"type": "string", "format": "date-time", "description": "As 2030-03-04T09:00."},
		"end": {"type": "string", "format": "date-time"}
	},
	"required": ["start", "end"]
}`

const findSlotsInput = `{
	"type": "object",
	"properties": {
		"attendees": {"type": "array", "items": {"type": "string"}, "minItems": 1},
		"window": {
			"type": "object",
			"properties": {
				"from": {"type": "string", "format": "date"},
				"to": {"type": "string", "format": "date", "description": "This day is still part of it."}
			},
			"required": ["from", "to"]
		},
		"minutes": {"type": "integer", "minimum": 15, "maximum": 240, "default": 30}
	},
	"required": ["attendees", "window"]
}`

const findSlotsOutput = `{
	"type": "object",
	"properties": {"slots": {"type": "array", "items": ` + slotSchema + `}},
	"required": ["slots"]
}`

const bookMeetingInput = `{
	"type": "object",
	"properties": {
		"title": {"type": "string", "maxLength": 80},
		"attendees": {"type": "array", "items": {"type": "string"}, "minItems": 1},
		"slot": ` + slotSchema + `,
		"reminders": {
			"type": "array",
			"maxItems": 2,
			"items": {
				"type": "object",
				"properties": {"minutesBefore": {"type": "integer", "minimum": 0}, "by": {"enum": ["mail", "popup"]}},
				"required": ["minutesBefore"]
			}
		}
	},
	"required": ["title", "attendees", "slot"]
}`

func (c *calendar) find(_ context.Context, q mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in struct {
		Attendees []string
		Window    struct{ From, To string }
		Minutes   int
	}
	if problem := bind(q, &in); problem != nil {
		return problem, nil
	}
	first, err := time.Parse(time.DateOnly, in.Window.From)
	last, err2 := time.Parse(time.DateOnly, in.Window.To)
	if err != nil || err2 != nil {
		return mcp.NewToolResultError("window: write days as 2030-03-04."), nil
	}
	if in.Minutes == 0 {
		in.Minutes = 30
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	slots := []slot{}
	for day := first; !day.After(last) && len(slots) < 10; day = day.AddDate(0, 0, 1) {
		slots = append(slots, c.freeOn(day, in.Attendees, time.Duration(in.Minutes)*time.Minute)...)
	}
	return structured(map[string]any{"slots": slots})
}

// freeOn tries every half hour of a working day.
func (c *calendar) freeOn(day time.Time, attendees []string, length time.Duration) (free []slot) {
	if day.Weekday() == time.Saturday || day.Weekday() == time.Sunday || day.Format(time.DateOnly) == holiday {
		return nil
	}
	end := day.Add(closes * time.Hour)
	for start := day.Add(opens * time.Hour); !start.Add(length).After(end); start = start.Add(30 * time.Minute) {
		s := slot{start.Format(clock), start.Add(length).Format(clock)}
		if !slices.ContainsFunc(attendees, func(a string) bool { return c.clashes(a, s) }) {
			free = append(free, s)
		}
	}
	return free
}

func (c *calendar) clashes(person string, s slot) bool {
	return slices.ContainsFunc(c.busy[person], func(b slot) bool { return s.Start < b.End && b.Start < s.End })
}

func (c *calendar) book(_ context.Context, q mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in struct {
		Title     string
		Attendees []string
		Slot      slot
	}
	if problem := bind(q, &in); problem != nil {
		return problem, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range in.Attendees {
		if c.clashes(a, in.Slot) {
			return mcp.NewToolResultError(fmt.Sprintf("%s is busy at %s. Find another slot.", a, in.Slot.Start)), nil
		}
	}
	for _, a := range in.Attendees {
		c.busy[a] = append(c.busy[a], in.Slot)
	}
	return mcp.NewToolResultText(fmt.Sprintf("Booked %q with %s at %s.", in.Title, strings.Join(in.Attendees, " and "), in.Slot.Start)), nil
}

// sync takes its time and says how far it is.
func (c *calendar) sync(ctx context.Context, q mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	const steps = 4
	for n := 1; n <= steps; n++ {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(250 * time.Millisecond):
		}
		if meta := q.Params.Meta; meta != nil && meta.ProgressToken != nil {
			// Nobody may be listening: the answer alone counts.
			_ = mcpserver.ServerFromContext(ctx).SendNotificationToClient(ctx, "notifications/progress", map[string]any{
				"progressToken": meta.ProgressToken, "progress": n, "total": steps,
				"message": fmt.Sprintf("region %d", n),
			})
		}
	}
	return mcp.NewToolResultText("1 holiday fetched: " + holiday), nil
}
