package serve

import (
	"context"

	"github.com/exec-ext/exec-ext/announce"
	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/rpc"
)

// modeExec is the mode in which Exec is declared.
const modeExec = "exec"

// turnPrepare composes pool, declaration and announcement from one snapshot; the decisions are announce's.
func (s *server) turnPrepare(p hostapi.TurnPrepareParams) (rpc.Job, error) {
	q, err := s.query(p.SessionID, p.Pool, purposeTurn)
	if err != nil {
		return nil, err
	}
	state, err := execState(p.Exec)
	if err != nil {
		return nil, err
	}
	open, err := channelOpen(p)
	if err != nil {
		return nil, err
	}
	config, canCall := s.config, s.caps.CallTool != nil
	return func(ctx context.Context) (any, error) {
		live := s.pools.get(ctx, q)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return turnResult(live, announce.Prepare(announce.Situation{
			HostCanCall: canCall, Enabled: config.EnableExec.On(),
			Exec: announce.StateOf(state, live.deny, config.DisallowedTools),
			Pool: live.pool, Render: renderOptions(config), ChannelOpen: open, History: p.History,
		})), nil
	}, nil
}

// channelOpen reads the channel; left out, it is there exactly if a history is given.
func channelOpen(p hostapi.TurnPrepareParams) (bool, error) {
	switch p.Channel {
	case "":
		return p.History != nil, nil
	case "available":
		return true, nil
	case "absent":
		return false, nil
	}
	return false, invalidParams(&hostapi.ShapeError{Path: "$.channel", Expected: `"available" or "absent"`})
}

// execState reads the host's word on Exec.
func execState(word string) (announce.ExecState, error) {
	switch state := announce.ExecState(word); state {
	case "":
		return announce.ExecOn, nil
	case announce.ExecOn, announce.ExecNotRegistered, announce.ExecDenied, announce.ExecExcluded:
		return state, nil
	}
	return "", invalidParams(&hostapi.ShapeError{Path: "$.exec", Expected: `"on", "not_registered", "denied" or "excluded"`})
}

func turnResult(live livePool, plan announce.Plan) hostapi.TurnPrepareResult {
	r := hostapi.TurnPrepareResult{
		Mode: plan.Mode, Reason: plan.Reason, Declare: plan.Declare,
		Announcement: announcement(plan.Announcement),
		Pool:         hostapi.PoolInfo{Revision: live.revision},
		Warnings:     []string{},
	}
	for _, w := range atMost(live.warnings, warningsShown) {
		r.Warnings = append(r.Warnings, clip(w, reasonChars))
	}
	if live.pool != nil {
		r.Pool.Size = live.pool.Len()
	} else if live.reason != "" {
		r.Warnings = append(r.Warnings, poolUnavailableText(live.reason))
	}
	if plan.Mode == modeExec {
		tool := execTool()
		r.ExecTool = &tool
	}
	return r
}

func announcement(a announce.Announcement) hostapi.Announcement {
	out := hostapi.Announcement{Action: a.Action, Kind: a.Kind, Reason: a.Reason}
	if a.Marker != nil {
		marker := hostapi.Marker(*a.Marker)
		out.Marker = &marker
		out.Message = &hostapi.MetaMessage{Role: "user", IsMeta: true, Text: a.Text}
	}
	return out
}
