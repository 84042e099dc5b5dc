package gateway

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestGateway_TheEndOfTheInputWaitsForOpenRequests(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`
	for _, c := range []struct {
		name, in string
		answers  []string // one each second after the end
		want     time.Duration
	}{
		{"none open", `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":{}}`, nil, 0},
		{"answered", call + "\n", []string{`{"id":1,"result":{}}`}, time.Second},
		{"two", call + "\n" + `{"id":"1","method":"ping"}`, []string{`{"id":"1","result":{}}`, `{"id":1,"error":{}}`}, 2 * time.Second},
		{"a question is no answer", call, []string{`{"id":1,"method":"elicitation/create"}`}, drainTime},
		{"cancelled", call + "\n" + `{"method":"notifications/cancelled","params":{"requestId":1}}`, nil, 0},
		{"never answered", call, nil, drainTime},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				open := newOpenRequests()
				out := open.writer(io.Discard)
				started := time.Now()
				go func() {
					for _, line := range c.answers {
						time.Sleep(time.Second)
						_, _ = io.WriteString(out, line+"\n")
					}
				}()
				got, err := io.ReadAll(open.reader(t.Context(), strings.NewReader(c.in)))
				if want := strings.TrimSuffix(c.in, "\n") + "\n"; err != nil || string(got) != want {
					t.Errorf("read %q, %v", got, err)
				}
				if took := time.Since(started); took != c.want {
					t.Errorf("the end came after %s, not %s", took, c.want)
				}
			})
		})
	}
}
