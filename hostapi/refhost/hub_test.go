package refhost

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/exec-ext/exec-ext/hostapi/refhost/rawserver"
)

// troubles collects what a Hub reports.
type troubles struct {
	mu   sync.Mutex
	said []string
}

func (t *troubles) add(server string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.said = append(t.said, server+": "+err.Error())
}

func (t *troubles) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.said, "\n")
}

func connectAll(t *testing.T, o HubOptions, sources ...Source) (*Hub, *troubles) {
	t.Helper()
	var said troubles
	o.Trouble = said.add
	h := Connect(t.Context(), sources, o)
	t.Cleanup(h.Close)
	return h, &said
}

func TestS1_3_ToolsAndResultsAreTheServersBytes(t *testing.T) {
	h, said := connectAll(t, HubOptions{}, stdioServer(t, "everyday"))
	tools, revision := h.Pool(t.Context())
	want := []string{
		strings.Replace(rawserver.Tool1, `"odd"`, `"mcp__raw__odd"`, 1),
		strings.Replace(rawserver.Tool2, `"page-two"`, `"mcp__raw__page-two"`, 1),
	}
	if len(tools) != 2 || string(tools[0]) != want[0] || string(tools[1]) != want[1] {
		t.Errorf("tools of both pages:\n%s\nwant\n%s", tools, want)
	}
	if _, again := h.Pool(t.Context()); revision == "" || again != revision {
		t.Errorf("revision %q, then %q", revision, again)
	}
	result, err := h.Call(t.Context(), "mcp__raw__odd", json.RawMessage(`{}`))
	if err != nil || string(result) != rawserver.Result {
		t.Errorf("result %s, %v; want %s", result, err, rawserver.Result)
	}
	if said.text() != "" {
		t.Error(said.text())
	}
}

func TestS1_3_ArgumentsKeepOrderAndSpelling(t *testing.T) {
	h, _ := connectAll(t, HubOptions{}, stdioServer(t, "echo"))
	result, err := h.Call(t.Context(), "mcp__raw__page-two", json.RawMessage(`{"z":1.0,"a":12345678901234567890,"m":{"y":1,"b":2}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := `\"name\":\"page-two\",\"arguments\":{\"z\":1.0,\"a\":12345678901234567890,\"m\":{\"y\":1,\"b\":2}}`
	if !strings.Contains(string(result), want) {
		t.Errorf("the server was sent %s, want %s in it", result, want)
	}
}

func TestHub_ServerWithoutHandshakeIsAskedTheNewWay(t *testing.T) {
	h, said := connectAll(t, HubOptions{}, stdioServer(t, "modern"))
	result, err := h.Call(t.Context(), "mcp__raw__odd", json.RawMessage(`{}`))
	if err != nil || string(result) != rawserver.Result {
		t.Errorf("result %s, %v %s", result, err, said.text())
	}
}

func TestHub_ServerErrorIsTheToolsAnswer(t *testing.T) {
	h, _ := connectAll(t, HubOptions{}, stdioServer(t, "refuses"))
	result, err := h.Call(t.Context(), "mcp__raw__odd", json.RawMessage(`{}`))
	if want := `{"content":[{"text":"z must be positive","type":"text"}],"isError":true}`; err != nil || string(result) != want {
		t.Errorf("got %s, %v; want %s", result, err, want)
	}
}

func TestHub_DeadOnesAreReportedAndTheOthersLive(t *testing.T) {
	missing := Spec{Name: "missing", Transport: TransportStdio, Command: "no-such-command"}.Source()
	nowhere := Spec{Name: "nowhere", Transport: TransportHTTP, URL: "http://127.0.0.1:1/mcp"}.Source()
	exits := stdioServer(t, "exits")
	exits.name = "exits"
	h, said := connectAll(t, HubOptions{}, missing, nowhere, exits, stdioServer(t, "everyday"))
	if got := h.Servers(); len(got) != 1 || got[0] != "raw" {
		t.Errorf("connected: %v", got)
	}
	for _, want := range []string{
		"missing: its command was not found",
		"nowhere: its URL cannot be reached: ", "connection refused",
		"exits: it ended before it answered", "exit status 3", "no API key given",
	} {
		if !strings.Contains(said.text(), want) {
			t.Errorf("%q is not in:\n%s", want, said.text())
		}
	}
}

func TestHub_MuteServerIsGivenUp(t *testing.T) {
	_, said := connectAll(t, HubOptions{ConnectTimeout: 300 * time.Millisecond}, stdioServer(t, "mute"))
	if want := "raw: it did not answer within 300ms"; !strings.Contains(said.text(), want) {
		t.Errorf("%q is not in:\n%s", want, said.text())
	}
}

func TestHub_ServerThatDiesInACallGivesASentenceAndLeavesThePool(t *testing.T) {
	h, said := connectAll(t, HubOptions{}, stdioServer(t, "dies"))
	_, before := h.Pool(t.Context())
	_, err := h.Call(t.Context(), "mcp__raw__odd", json.RawMessage(`{}`))
	for _, want := range []string{`"raw" went away during the call`, "exit status 139", "segmentation fault", "may or may not"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
	if tools, after := h.Pool(t.Context()); len(tools) != 0 || after == before {
		t.Errorf("its tools are still there: %s", tools)
	}
	if _, err := h.Call(t.Context(), "mcp__raw__odd", json.RawMessage(`{}`)); err == nil || !strings.Contains(err.Error(), "not connected any more") {
		t.Errorf("second call: %v", err)
	}
	if !strings.Contains(said.text(), "went away") {
		t.Errorf("not reported: %s", said.text())
	}
}

func TestHub_SilentServerGivesASentence(t *testing.T) {
	h, _ := connectAll(t, HubOptions{CallTimeout: 50 * time.Millisecond}, stdioServer(t, "silent"))
	_, err := h.Call(t.Context(), "mcp__raw__odd", json.RawMessage(`{}`))
	if err == nil || !strings.Contains(err.Error(), "no answer and no progress for 50ms") {
		t.Errorf("got %v", err)
	}
}

func TestHub_CancelledCallEndsAtOnce(t *testing.T) {
	h, _ := connectAll(t, HubOptions{}, stdioServer(t, "silent"))
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := h.Call(ctx, "mcp__raw__odd", json.RawMessage(`{}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestE2_ToolThatIsGoneIsNamed(t *testing.T) {
	h, _ := connectAll(t, HubOptions{}, stdioServer(t, "no tools"))
	if tools, _ := h.Pool(t.Context()); len(tools) != 0 {
		t.Errorf("tools: %s", tools)
	}
	if _, err := h.Call(t.Context(), "mcp__raw__odd", nil); err == nil || !strings.Contains(err.Error(), "mcp__raw__odd is not there any more") {
		t.Errorf("got %v", err)
	}
}

func TestHub_CloseLeavesNoProcess(t *testing.T) {
	h, _ := connectAll(t, HubOptions{}, stdioServer(t, "everyday"))
	pid := h.servers[0].process.cmd.Process
	h.Close()
	if err := pid.Signal(os.Interrupt); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("the process is still there: %v", err)
	}
}
