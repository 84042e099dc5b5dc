package serve

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/exec-ext/exec-ext/cmd/exec-ext/internal/config"
	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/rpc"
)

// methods is what the extension serves. Everything before the Job runs on the read loop, so that config updates,
// runs and cancels take effect in the order of their messages.
func (s *server) methods() rpc.Table {
	return rpc.Table{
		hostapi.MethodInitialize:      method(s.initialize),
		hostapi.MethodInitialized:     func(context.Context, json.RawMessage) rpc.Job { return nil },
		hostapi.MethodShutdown:        s.guarded(method(s.shutdown)),
		hostapi.MethodExit:            s.exit,
		hostapi.MethodPing:            s.guarded(method(s.ping)),
		hostapi.MethodTurnPrepare:     s.guarded(method(s.turnPrepare)),
		hostapi.MethodCatalogRender:   s.guarded(method(s.catalogRender)),
		hostapi.MethodCatalogSearch:   s.guarded(method(s.catalogSearch)),
		hostapi.MethodConfigUpdate:    s.guarded(method(s.configUpdate)),
		hostapi.MethodExtensionHealth: s.guarded(method(s.health)),
		hostapi.MethodExecRun:         s.answered(hostapi.MethodExecRun, s.guarded(method(s.execRun))),
		hostapi.MethodExecCancel:      s.guarded(method(s.execCancel)),
	}
}

// A handler takes decoded params on the read loop and returns the work.
type handler[P any] func(p P) (rpc.Job, error)

// method decodes params by the protocol's types and turns a handler's error into the answer.
func method[P any](h handler[P]) rpc.Method {
	return func(_ context.Context, raw json.RawMessage) rpc.Job {
		var p P
		if err := hostapi.Decode(raw, &p); err != nil {
			return failed(invalidParams(err))
		}
		job, err := h(p)
		if err != nil {
			return failed(err)
		}
		return job
	}
}

// answered ignores a method that came as a notification: it has work in it, of which nobody could read the outcome.
func (s *server) answered(name string, m rpc.Method) rpc.Method {
	return func(ctx context.Context, raw json.RawMessage) rpc.Job {
		if rpc.IsNotification(ctx) {
			s.opts.Log.Warn().Str("method", name).Msg("ignored a request without an id: nobody could read its answer")
			return nil
		}
		return m(ctx, raw)
	}
}

// guarded refuses a method before initialize and after shutdown.
func (s *server) guarded(m rpc.Method) rpc.Method {
	return func(ctx context.Context, raw json.RawMessage) rpc.Job {
		switch s.phase {
		case phaseNew:
			return failed(wireError(codeNotInitialized, "not_initialized", "send initialize first", true))
		case phaseShutdown:
			return failed(wireError(codeShuttingDown, "shutting_down", "shutdown was asked for; only exit is left", false))
		}
		return m(ctx, raw)
	}
}

// Error codes of the protocol, section 5, beside those of rpc.
const (
	codeInvalidParams      = -32602
	codeNotInitialized     = -32002
	codeVersion            = -31001
	codeShuttingDown       = -31002
	codePoolUnavailable    = -31007
	codeDuplicateRun       = -31008
	codeAlreadyInitialized = -31010
)

// errorData is the data object of every error sent.
type errorData struct {
	Kind      string `json:"kind"`
	Retryable bool   `json:"retryable"`
	Path      string `json:"path,omitempty"`
	Expected  string `json:"expected,omitempty"`
	Supported []int  `json:"supported,omitempty"`
}

func wireError(code int, kind, message string, retryable bool) *rpc.Error {
	return &rpc.Error{Code: code, Message: message, Data: errorData{Kind: kind, Retryable: retryable}}
}

// invalidParams is -32602 with the place and the shape wanted, as far as err knows them.
func invalidParams(err error) *rpc.Error {
	data := errorData{Kind: "invalid_params"}
	var shape *hostapi.ShapeError
	var conf *config.Error
	switch {
	case errors.As(err, &shape):
		data.Path, data.Expected = shape.Path, shape.Expected
	case errors.As(err, &conf):
		data.Path, data.Expected, data.Kind = conf.Path, conf.Expected, conf.Kind
	}
	return &rpc.Error{Code: codeInvalidParams, Message: "params: " + err.Error(), Data: data}
}

// failed is a Job that only gives an error.
func failed(err error) rpc.Job {
	return func(context.Context) (any, error) { return nil, err }
}

// answer is a Job whose result is there already.
func answer(result any) rpc.Job {
	return func(context.Context) (any, error) { return result, nil }
}
