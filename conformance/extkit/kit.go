// Package extkit drives any extension command as a fake host over stdio and holds it against the vectors.
package extkit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/exec-ext/exec-ext/conformance"
	"github.com/exec-ext/exec-ext/conformance/match"
	"github.com/exec-ext/exec-ext/conformance/report"
	"github.com/exec-ext/exec-ext/conformance/schema"
	"github.com/exec-ext/exec-ext/conformance/suite"
	"github.com/exec-ext/exec-ext/rpc"
)

// Both is the value of Options.Framing for checks in both framings.
const Both = "both"

// Options of a run.
type Options struct {
	suite.Options
	Framing string // ndjson, content-length or both; "" = both where framing matters, else ndjson
}

// ErrNoStart is wrapped by errors about the command.
var ErrNoStart = errors.New("the command does not start")

// A kit is one run.
type kit struct {
	Options
	schemas *schema.Validator

	mu       sync.Mutex
	goodbyes []string // problems with the ends of shared processes; guarded by mu
}

// A job is one check to do.
type job struct {
	vector  *vector
	check   report.Check
	framing rpc.Framing
}

// Run does the checks and gives their report, in the order of their ids. An error wraps suite.ErrUsage or ErrNoStart, or
// that of ctx, or says what is wrong with the kit.
func Run(ctx context.Context, o Options) (*report.Report, error) {
	if err := o.Complete(30 * time.Second); err != nil {
		return nil, err
	}
	schemas, err := schema.New()
	if err != nil {
		return nil, err
	}
	k := &kit{Options: o, schemas: schemas}
	jobs, err := k.jobs()
	if err != nil {
		return nil, err
	}
	if err := k.probe(ctx); err != nil {
		return nil, err
	}
	results, err := suite.Run(ctx, o.Options, jobs, k.worker)
	if err != nil {
		return nil, err
	}
	out := &report.Report{Suite: "extension", Command: o.Command, Results: append(results, k.goodbye())}
	out.Sort()
	return out, nil
}

func (k *kit) worker() suite.Worker[job] {
	w := newWorker(k)
	return suite.Worker[job]{Do: w.do, End: func(ctx context.Context) {
		w.end(ctx)
		k.mu.Lock()
		defer k.mu.Unlock()
		k.goodbyes = append(k.goodbyes, w.problems...)
	}}
}

// goodbyesID is the id of the one check that is no vector.
const goodbyesID = "ext.lifecycle.goodbyes"

// goodbye is the check that the processes which checks have shared end in order.
func (k *kit) goodbye() report.Result {
	r := report.Result{Outcome: report.Pass, Check: report.Check{
		ID: goodbyesID, Level: conformance.Levels()[0], Scenarios: []string{"N9"},
		Title: "processes that have served many checks end with exit code 0 and leave nothing behind",
	}}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.goodbyes) > 0 {
		r.Outcome, r.Detail = report.Fail, strings.Join(k.goodbyes, "\n")
	}
	return r
}

// jobs are the vectors that the options choose, in their framings.
func (k *kit) jobs() ([]job, error) {
	chosen, err := k.Choose("ext.")
	if err != nil {
		return nil, err
	}
	var out []job
	for _, v := range chosen {
		decoded, err := decodeVector(v)
		if err != nil {
			return nil, err
		}
		framings, err := k.framings(decoded)
		if err != nil {
			return nil, err
		}
		for _, f := range framings {
			out = append(out, job{decoded, report.Check{
				ID: v.ID, Variant: string(f), Level: v.Level, Scenarios: v.Scenarios, Title: v.Title,
			}, f})
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: no check that was chosen is meant for the framing %s", suite.ErrUsage, k.Framing)
	}
	return out, nil
}

// framings are the variants of a check: those it is meant for, as far as the options want them.
func (k *kit) framings(v *vector) ([]rpc.Framing, error) {
	var want []rpc.Framing
	switch k.Framing {
	case "":
		want = []rpc.Framing{rpc.FramingNDJSON}
		if v.Steps != nil && v.Level == conformance.Levels()[0] {
			want = append(want, rpc.FramingContentLength)
		}
		if v.Framing != "" {
			want = []rpc.Framing{rpc.Framing(v.Framing)}
		}
	case Both:
		want = []rpc.Framing{rpc.FramingNDJSON, rpc.FramingContentLength}
	case string(rpc.FramingNDJSON), string(rpc.FramingContentLength):
		want = []rpc.Framing{rpc.Framing(k.Framing)}
	default:
		return nil, fmt.Errorf("%w: framing %q is none of ndjson, content-length, both", suite.ErrUsage, k.Framing)
	}
	return slices.DeleteFunc(want, func(f rpc.Framing) bool { return v.Framing != "" && v.Framing != string(f) }), nil
}

// probe starts the command once: if it does not answer initialize, no check means anything.
func (k *kit) probe(ctx context.Context) error {
	framing := rpc.FramingNDJSON
	if k.Framing == string(rpc.FramingContentLength) {
		framing = rpc.FramingContentLength
	}
	open := &vector{}
	open.ID = "ext.probe"
	w := newWorker(k)
	c, cancel, err := w.begin(ctx, job{vector: open, framing: framing})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoStart, err)
	}
	defer cancel()
	defer c.peer.process.Kill()
	if err := c.initialize(); err != nil {
		return fmt.Errorf("%w: %s\n%s", ErrNoStart, strings.Join(c.problems, "; "), c.peer.stderr)
	}
	return nil
}

// newCheck puts a check together on a peer.
func (k *kit) newCheck(ctx context.Context, j job, p *peer) (*check, error) {
	h, err := newHost(&j.vector.setting)
	if err != nil {
		return nil, err
	}
	p.serve(h)
	p.talk.Tighten()
	return &check{ctx: ctx, kit: k, vector: j.vector, framing: j.framing, peer: p, host: h, vars: match.Vars{}, requests: map[string]started{}}, nil
}
