// Package extkit drives any extension command as a fake host over stdio and holds it against the vectors.
package extkit

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/exec-ext/exec-ext/conformance"
	"github.com/exec-ext/exec-ext/conformance/match"
	"github.com/exec-ext/exec-ext/conformance/report"
	"github.com/exec-ext/exec-ext/conformance/schema"
	"github.com/exec-ext/exec-ext/rpc"
)

// Both is the value of Options.Framing for checks in both framings.
const Both = "both"

// Options of a run.
type Options struct {
	Command  []string      // the extension and its arguments
	Level    string        // the highest level looked at; "" = all
	Case     string        // ids that match, as in path.Match; several parted by commas; "" = all
	Framing  string        // ndjson, content-length or both; "" = both where framing matters, else ndjson
	Jobs     int           // processes at a time; 0 = 2
	KeepWire string        // folder for the bytes of every connection; "" = none
	Timeout  time.Duration // of one check that names none; 0 = 30 s
}

// ErrUsage is wrapped by errors about the options; ErrNoStart by those about the command.
var (
	ErrUsage   = errors.New("usage")
	ErrNoStart = errors.New("the command does not start")
)

// A kit is one run.
type kit struct {
	Options
	schemas *schema.Validator
}

// A job is one check to do.
type job struct {
	vector  *vector
	check   report.Check
	framing rpc.Framing
}

// Run does the checks and gives their report, in the order of their ids. An error wraps ErrUsage or ErrNoStart, or
// that of ctx, or says what is wrong with the kit.
func Run(ctx context.Context, o Options) (*report.Report, error) {
	if o.Jobs < 1 {
		o.Jobs = 2
	}
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	if len(o.Command) == 0 {
		return nil, fmt.Errorf("%w: no command", ErrUsage)
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
	out := &report.Report{Suite: "extension", Command: o.Command, Results: k.all(ctx, jobs)}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("the run was interrupted: %w", ctx.Err())
	}
	out.Sort()
	return out, nil
}

// all does the jobs, Jobs at a time.
func (k *kit) all(ctx context.Context, jobs []job) []report.Result {
	queue := make(chan job)
	results := make(chan report.Result)
	ends := make(chan []string, k.Jobs)
	var workers sync.WaitGroup
	for range k.Jobs {
		workers.Go(func() {
			w := newWorker(k)
			for j := range queue {
				results <- w.do(ctx, j)
			}
			w.end(ctx)
			ends <- w.problems
		})
	}
	go func() {
		defer close(queue)
		for _, j := range jobs {
			select {
			case queue <- j:
			case <-ctx.Done():
				return
			}
		}
	}()
	go func() {
		workers.Wait()
		close(results)
	}()
	var out []report.Result
	for r := range results {
		out = append(out, r)
	}
	return append(out, goodbyes(ends, k.Jobs))
}

// goodbyesID is the id of the one check that is no vector.
const goodbyesID = "ext.lifecycle.goodbyes"

// goodbyes is the check that the processes which checks have shared end in order.
func goodbyes(ends <-chan []string, workers int) report.Result {
	r := report.Result{Outcome: report.Pass, Check: report.Check{
		ID: goodbyesID, Level: conformance.Levels()[0], Scenarios: []string{"N9"},
		Title: "processes that have served many checks end with exit code 0 and leave nothing behind",
	}}
	var problems []string
	for range workers {
		problems = append(problems, <-ends...)
	}
	if len(problems) > 0 {
		r.Outcome, r.Detail = report.Fail, strings.Join(problems, "\n")
	}
	return r
}

// jobs are the vectors that the options choose, in their framings.
func (k *kit) jobs() ([]job, error) {
	all, err := conformance.Load()
	if err != nil {
		return nil, err
	}
	top := slices.Index(conformance.Levels(), k.Level)
	if k.Level == "" {
		top = len(conformance.Levels()) - 1
	}
	if top < 0 {
		return nil, fmt.Errorf("%w: level %q is none of %s", ErrUsage, k.Level, strings.Join(conformance.Levels(), ", "))
	}
	var out []job
	for _, v := range all {
		if !strings.HasPrefix(v.ID, "ext.") || slices.Index(conformance.Levels(), v.Level) > top {
			continue
		}
		chosen, err := k.chosen(v.ID)
		if err != nil {
			return nil, err
		}
		if !chosen {
			continue
		}
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
		return nil, fmt.Errorf("%w: no check is called %q", ErrUsage, k.Case)
	}
	return out, nil
}

func (k *kit) chosen(id string) (bool, error) {
	if k.Case == "" {
		return true, nil
	}
	for pattern := range strings.SplitSeq(k.Case, ",") {
		ok, err := path.Match(pattern, id)
		if err != nil {
			return false, fmt.Errorf("%w: case %q: %w", ErrUsage, pattern, err)
		}
		if ok {
			return true, nil
		}
	}
	return false, nil
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
		return nil, fmt.Errorf("%w: framing %q is none of ndjson, content-length, both", ErrUsage, k.Framing)
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
	defer c.peer.process.kill()
	if err := c.initialize(); err != nil {
		return fmt.Errorf("%w: %s\n%s", ErrNoStart, strings.Join(c.problems, "; "), c.peer.process.stderr)
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
