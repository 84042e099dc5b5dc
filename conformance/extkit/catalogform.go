package extkit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/exec-ext/exec-ext/conformance/report"
	"github.com/exec-ext/exec-ext/hostapi"
)

// A renderForm is a catalog: of the vector's tools, in a budget, to the byte.
type renderForm struct {
	BudgetTokens *int            `json:"budgetTokens"`
	Text         *text           `json:"text"`   // the whole text
	Has          json.RawMessage `json:"has"`    // pattern of the text
	Result       json.RawMessage `json:"result"` // pattern of the whole result
}

// render asks for the catalog twice, the second time with the tools in the reverse order: not a byte may change.
func (c *check) render(f *renderForm) error {
	first, raw, err := c.catalog(f, c.vector.Tools)
	if err != nil {
		return err
	}
	if f.Text != nil {
		want, err := marshal(string(*f.Text))
		if err != nil {
			return err
		}
		_ = c.fitsText("text", want, first.Text)
	}
	_ = c.fitsText("text", f.Has, first.Text)
	if f.Result != nil {
		_ = c.fits("result", f.Result, raw)
	}
	sum := sha256.Sum256([]byte(first.Text))
	if first.Digest != hex.EncodeToString(sum[:]) {
		_ = c.fail("digest %s is not the SHA-256 of the text", first.Digest)
	}
	shown, total := 0, 0
	for _, s := range first.Servers {
		shown, total = shown+s.Shown, total+s.Total
	}
	if shown != first.Shown || total != first.Total || first.Truncated != (shown < total) {
		_ = c.fail("shown %d, total %d, truncated %v do not agree with the servers %v", first.Shown, first.Total, first.Truncated, first.Servers)
	}
	reversed := slices.Clone(c.vector.Tools)
	slices.Reverse(reversed)
	second, _, err := c.catalog(f, reversed)
	if err != nil {
		return err
	}
	if second.Text != first.Text {
		want, _ := marshal(first.Text)
		_ = c.fitsText("text with the tools in reverse order", want, second.Text)
	}
	if len(c.problems) > 0 {
		return errFailed
	}
	return nil
}

func (c *check) catalog(f *renderForm, list []json.RawMessage) (r hostapi.CatalogRenderResult, raw json.RawMessage, err error) {
	pool, err := snapshot(list, c.vector.Deny)
	if err != nil {
		return r, nil, err
	}
	params := map[string]any{"sessionId": c.session(), "pool": pool}
	if f.BudgetTokens != nil {
		params["budgetTokens"] = *f.BudgetTokens
	}
	if raw, err = c.call(hostapi.MethodCatalogRender, params); err != nil {
		return r, nil, err
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return r, nil, c.fail("catalog/render: %v", err)
	}
	return r, raw, nil
}

// A searchForm is a search: by the host over the wire and by a script, which must find the same.
type searchForm struct {
	Input json.RawMessage `json:"input"`
	Items json.RawMessage `json:"items"` // pattern of the list
	Error json.RawMessage `json:"error"` // pattern of the message; the input is refused
}

func (c *check) search(f *searchForm) error {
	pool, err := snapshot(c.vector.Tools, c.vector.Deny)
	if err != nil {
		return err
	}
	params := map[string]any{"sessionId": c.session(), "pool": pool}
	if f.Input != nil {
		params["input"] = f.Input
	}
	m, err := c.exchange(hostapi.MethodCatalogSearch, params)
	if err != nil {
		return err
	}
	run := &runForm{}
	code := text(`return await tools["$codemode"].search(` + string(f.Input) + `)`)
	if f.Error != nil {
		if m.Error == nil {
			return c.fail("want an error, got %s", report.Clip(m.Result))
		}
		if err := c.fits("error", json.RawMessage(`{"code":-32602,"message":`+string(f.Error)+`,"data":{"path":"$.input"}}`), m.Error); err != nil {
			return err
		}
		code = text(strings.Replace(string(code), "return await", "try { await", 1) + ` } catch (e) { return e.message }`)
		run.Value = f.Error
	} else {
		if m.Error != nil {
			return c.fail("want a result, got the error %s", m.Error)
		}
		if err := c.fits("result", json.RawMessage(`{"items":`+string(f.Items)+`}`), m.Result); err != nil {
			return err
		}
		var r struct{ Items json.RawMessage }
		if err := json.Unmarshal(m.Result, &r); err != nil {
			return err
		}
		run.ValueText = string(r.Items)
	}
	run.Code = &code
	return c.run(run)
}
