package gateway

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
	"github.com/rs/zerolog"

	"github.com/exec-ext/exec-ext/cmd/exec-ext/internal/serve"
	"github.com/exec-ext/exec-ext/hostapi/refhost"
	"github.com/exec-ext/exec-ext/sandbox/worker"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		os.Exit(worker.Main())
	}
	os.Exit(m.Run())
}

// A user answers elicitations with one answer after the other.
type user struct {
	answers []string
	asked   []string
	choices []any // of the last question
}

func (u *user) Elicit(_ context.Context, q mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	u.asked = append(u.asked, q.Params.Message)
	raw, err := json.Marshal(q.Params.RequestedSchema)
	if err != nil {
		return nil, err
	}
	var schema struct {
		Properties struct{ Answer struct{ Enum []any } }
	}
	if err := json.Unmarshal(raw, &schema); err != nil {
		return nil, err
	}
	u.choices = schema.Properties.Answer.Enum
	answer := u.answers[0]
	u.answers = u.answers[1:]
	result := &mcp.ElicitationResult{}
	result.Action = mcp.ElicitationResponseActionAccept
	result.Content = map[string]any{"answer": answer}
	if answer == "" {
		result.Action, result.Content = mcp.ElicitationResponseActionDecline, nil
	}
	return result, nil
}

// start makes a gateway before one server and gives a client of it.
func start(t *testing.T, behind *mcpserver.MCPServer, options ...client.ClientOption) *client.Client {
	t.Helper()
	return startSaving(t, nil, behind, options...)
}

// startSaving does it with a place for rules that are saved.
func startSaving(t *testing.T, saved *refhost.SavedRules, behind *mcpserver.MCPServer, options ...client.ClientOption) *client.Client {
	t.Helper()
	g := New("test")
	hub := refhost.Connect(t.Context(), []refhost.Source{refhost.InProcess("shop", behind)}, refhost.HubOptions{Changed: g.Changed})
	t.Cleanup(hub.Close)
	extension := func(ctx context.Context, in io.Reader, out io.Writer) int {
		return serve.Serve(ctx, in, out, serve.Options{Log: zerolog.Nop()})
	}
	host := &refhost.Host{Hub: hub, Gate: refhost.NewGate(refhost.GateOptions{Ask: g.Ask, Saved: saved}), Progress: g.Progress}
	s, err := refhost.Open(t.Context(), extension, host, refhost.SessionOptions{Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if err := g.open(t.Context(), s, hub.Instructions()); err != nil {
		t.Fatal(err)
	}
	go g.follow(t.Context(), s)
	c, err := client.NewInProcessClientWithOptions(g.server, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	met, err := c.Initialize(t.Context(), mcp.InitializeRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if want := "Instructions of the server \"shop\", for its tools:\nPay first."; !strings.Contains(met.Instructions, want) {
		t.Errorf("E18: %q lacks %q", met.Instructions, want)
	}
	return c
}

func shop() *mcpserver.MCPServer {
	s := mcpserver.NewMCPServer("shop", "1", mcpserver.WithToolCapabilities(true), mcpserver.WithInstructions("Pay first."))
	sell(s, "tea")
	return s
}

func sell(s *mcpserver.MCPServer, name string) {
	s.AddTool(mcp.NewTool(name), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(name + " sold"), nil
	})
}

// exec runs a script through the gateway and gives its text.
func exec(t *testing.T, c *client.Client, code string) (text string, failed bool) {
	t.Helper()
	q := mcp.CallToolRequest{}
	q.Params.Name = "Exec"
	q.Params.Arguments = map[string]string{"code": code}
	r, err := c.CallTool(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return r.Content[0].(mcp.TextContent).Text, r.IsError
}

func TestGateway_AsksTheUserByElicitation(t *testing.T) {
	u := &user{answers: []string{answerOnce, answerRun, ""}}
	server := shop()
	sell(server, "milk")
	c := start(t, server, client.WithElicitationHandler(u))
	const three = `for (let i = 0; i < 3; i++) await tools.mcp__shop__tea({}); return "done"`
	if text, failed := exec(t, c, three); failed || text != "done" {
		t.Errorf("%v: %s", failed, text)
	}
	if text, failed := exec(t, c, `await tools.mcp__shop__milk({n: 1})`); !failed || !strings.Contains(text, "The user declined this call") {
		t.Errorf("%v: %s", failed, text)
	}
	want := []string{"A script calls mcp__shop__tea with {}. Allow it?", "A script calls mcp__shop__tea with {}. Allow it?", `A script calls mcp__shop__milk with {"n":1}. Allow it?`}
	if strings.Join(u.asked, "\n") != strings.Join(want, "\n") {
		t.Errorf("asked %q", u.asked)
	}
}

func TestGateway_TheAnswerThatIsSavedSaysSo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rules.json")
	saved, err := refhost.OpenSavedRules(path)
	if err != nil {
		t.Fatal(err)
	}
	always := "always (saved in " + path + ")"
	u := &user{answers: []string{always}}
	c := startSaving(t, saved, shop(), client.WithElicitationHandler(u))
	if text, failed := exec(t, c, `await tools.mcp__shop__tea({}); return await tools.mcp__shop__tea({})`); failed {
		t.Error(text)
	}
	if len(u.asked) != 1 || !slices.Contains(u.choices, any(always)) {
		t.Errorf("asked %q with %q", u.asked, u.choices)
	}
	if data, err := os.ReadFile(path); err != nil || !strings.Contains(string(data), "mcp__shop__tea") {
		t.Errorf("saved %s, %v", data, err)
	}
}

func TestGateway_AClientWithoutElicitationHasNobodyToAsk(t *testing.T) {
	text, failed := exec(t, start(t, shop()), `await tools.mcp__shop__tea({})`)
	if !failed || !strings.Contains(text, "there is nobody to ask: the client has no elicitation. The user can allow it with --allow.") {
		t.Errorf("%v: %s", failed, text)
	}
}

func TestGateway_DescriptionFollowsThePool(t *testing.T) {
	server := shop()
	c := start(t, server)
	changed := make(chan struct{}, 10)
	c.OnNotification(func(n mcp.JSONRPCNotification) {
		if n.Method == string(mcp.MethodNotificationToolsListChanged) {
			changed <- struct{}{}
		}
	})
	listed := func() string {
		list, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(list.Tools)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	wait := func() {
		select {
		case <-changed:
		case <-time.After(10 * time.Second):
			t.Fatal("no notification came")
		}
	}
	if got := listed(); !strings.Contains(got, "tools.mcp__shop__tea(") || strings.Contains(got, "mcp__shop__milk") {
		t.Errorf("at first: %s", got)
	}
	if got := listed(); !strings.Contains(got, "the MCP tools, as listed below.") || strings.Contains(got, "messages of this conversation") {
		t.Errorf("where the catalog stands: %s", got)
	}
	sell(server, "milk")
	wait()
	if got := listed(); !strings.Contains(got, "tools.mcp__shop__milk(") {
		t.Errorf("after one more: %s", got)
	}
	server.DeleteTools("tea", "milk")
	wait()
	if got := listed(); got != "[]" && got != "null" {
		t.Errorf("of an empty pool: %s", got)
	}
}
