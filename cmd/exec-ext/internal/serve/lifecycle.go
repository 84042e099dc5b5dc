package serve

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"time"

	"github.com/exec-ext/exec-ext/cmd/exec-ext/internal/config"
	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/rpc"
	"github.com/exec-ext/exec-ext/sandbox"
)

// A phase of the connection.
type phase int

const (
	phaseNew phase = iota
	phaseOpen
	phaseShutdown
)

// maxMessageBytes is the largest message taken, told to the host.
const maxMessageBytes = 64 << 20

// watchInterval is how often the host's process is looked for: a pipe that a grandchild holds open shows no end.
const watchInterval = time.Second

func (s *server) initialize(p hostapi.InitializeParams) (rpc.Job, error) {
	first := s.phase == phaseNew
	if !first && (s.phase == phaseShutdown || !s.unready.Load()) {
		return nil, wireError(codeAlreadyInitialized, "already_initialized", "initialize was answered already", false)
	}
	if p.ProtocolVersion != hostapi.ProtocolVersion {
		return nil, &rpc.Error{Code: codeVersion, Message: "no common protocol version",
			Data: errorData{Kind: "version", Supported: []int{hostapi.ProtocolVersion}}}
	}
	if c := p.Capabilities.CallTool; c != nil && c.Permission != "" && c.Permission != permissionInFunnel && c.Permission != permissionSeparate {
		return nil, invalidParams(&hostapi.ShapeError{Path: "$.capabilities.callTool.permission", Expected: `"inFunnel" or "separate"`})
	}
	if pid := p.ProcessID; pid != nil && (*pid < 1 || *pid > math.MaxInt32) {
		return nil, invalidParams(&hostapi.ShapeError{Path: "$.processId", Expected: "a process id or null"})
	}
	layers, err := config.New(p.Config)
	if err != nil {
		return nil, invalidParams(err)
	}
	s.tellUnknown("the config", p.Config)
	effective, clamped := layers.Effective()
	s.phase, s.caps = phaseOpen, p.Capabilities
	s.unready.Store(false)
	s.apply(layers, effective)
	if p.ProcessID != nil && first {
		go s.watchHost(*p.ProcessID)
	}
	s.opts.Log.Info().Str("client", p.ClientInfo.Name).Str("clientVersion", p.ClientInfo.Version).Msg("initialized")
	return func(ctx context.Context) (any, error) {
		report, err := s.isolation(ctx)
		if err != nil {
			s.unready.Store(true)
			return nil, err
		}
		return hostapi.InitializeResult{
			ProtocolVersion: hostapi.ProtocolVersion,
			ServerInfo:      hostapi.Implementation{Name: "exec-ext", Version: s.opts.Version},
			Capabilities: hostapi.ExtensionCapabilities{
				MaxMessageBytes: maxMessageBytes, Profiles: []string{"mcp"},
			},
			ExecTool: execTool(), EffectiveConfig: effective, Clamped: clamped, Ceilings: config.Ceilings(),
			Isolation: isolation(report),
		}, nil
	}, nil
}

// tellUnknown tells the log of members that are ignored.
func (s *server) tellUnknown(where string, raw json.RawMessage) {
	for _, u := range atMost(config.Unknown(raw), warningsShown) {
		s.opts.Log.Warn().Msg(where + ": " + clip(u, reasonChars))
	}
}

// apply puts a config in force for everything that is read after it. Runs already taken keep their limits.
func (s *server) apply(layers config.Layers, effective hostapi.Config) {
	s.layers, s.config = layers, effective
	s.queue.setMax(int(effective.Limits.ConcurrentRuns))
	s.runner.SetSpare(int(effective.Limits.WarmWorkers))
}

func (s *server) configUpdate(p hostapi.ConfigUpdateParams) (rpc.Job, error) {
	layers, err := s.layers.Patch(p.Patch)
	if err != nil {
		return nil, invalidParams(err)
	}
	s.tellUnknown("the patch", p.Patch)
	before := s.config
	effective, clamped := layers.Effective()
	s.apply(layers, effective)
	if clamped == nil {
		clamped = []hostapi.Clamp{}
	}
	changed := config.Changed(before, effective)
	if changed == nil {
		changed = []string{}
	}
	return answer(hostapi.ConfigUpdateResult{EffectiveConfig: effective, Changed: changed, Clamped: clamped}), nil
}

// ping overtakes whatever waits to be written.
func (s *server) ping(struct{}) (rpc.Job, error) { return rpc.Urgent(answer(struct{}{})), nil }

// shutdown cancels every run; each is still answered, and shutdown itself after them.
func (s *server) shutdown(struct{}) (rpc.Job, error) {
	s.phase = phaseShutdown
	s.goodbye.Store(true)
	s.runs.cancelAll("the host is shutting down")
	return func(ctx context.Context) (any, error) {
		s.runs.wait(ctx)
		return nil, nil
	}, nil
}

// exit ends the connection; answers still waiting are flushed.
func (s *server) exit(context.Context, json.RawMessage) rpc.Job {
	s.stop()
	return nil
}

// watchHost ends the connection when the host's process is gone.
func (s *server) watchHost(pid int) {
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	for {
		select {
		case <-s.conn.InputEnded():
			return
		case <-s.done:
			return
		case <-tick.C:
			if pid != os.Getpid() && !processAlive(pid) {
				s.opts.Log.Warn().Int("pid", pid).Msg("host process gone")
				s.stop()
				return
			}
		}
	}
}

// probeTime is how long the probe of the isolation may take.
const probeTime = 10 * time.Second

// isolation probes what the machine gives. An exit right behind the request does not cut it short.
func (s *server) isolation(ctx context.Context) (sandbox.Report, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTime)
	defer cancel()
	return s.runner.Isolation(ctx)
}

func isolation(r sandbox.Report) hostapi.Isolation {
	layers := make([]hostapi.Layer, len(r.Layers))
	for i, l := range r.Layers {
		layers[i] = hostapi.Layer(l)
	}
	return hostapi.Isolation{Mode: r.Mode, Level: r.Level, Guarantees: hostapi.Guarantees(r.Guarantees), Layers: layers}
}
