// Package hostkit drives any host, through an adapter that its author writes, as a hostile extension, and holds it
// against the vectors. HOST-ADAPTER.md says what an adapter is.
package hostkit

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
	"github.com/exec-ext/exec-ext/conformance/report"
	"github.com/exec-ext/exec-ext/conformance/schema"
)

// Options of a run.
type Options struct {
	Command  []string      // the adapter and its arguments
	Fake     []string      // a command that calls [Fake] with the socket appended to it
	Level    string        // the highest level looked at; "" = all
	Case     string        // ids that match, as in path.Match; several parted by commas; "" = all
	Jobs     int           // adapters at a time; 0 = 2
	KeepWire string        // folder for what passes in every check; "" = none
	Timeout  time.Duration // of one check that names none; 0 = 60 s
}

// ErrUsage is wrapped by errors about the options; ErrNoStart by those about the adapter.
var (
	ErrUsage   = errors.New("usage")
	ErrNoStart = errors.New("the adapter does not start")
)

type kit struct {
	Options
	schemas *schema.Validator
}

// A job is one check to do.
type job struct {
	vector *vector
	check  report.Check
}

// Run does the checks and gives their report, in the order of their ids. An error wraps ErrUsage or ErrNoStart, or says
// what is wrong with the kit.
func Run(ctx context.Context, o Options) (*report.Report, error) {
	if o.Jobs < 1 {
		o.Jobs = 2
	}
	if o.Timeout == 0 {
		o.Timeout = time.Minute
	}
	if len(o.Command) == 0 {
		return nil, fmt.Errorf("%w: no adapter", ErrUsage)
	}
	schemas, err := schema.New()
	if err != nil {
		return nil, err
	}
	k := &kit{o, schemas}
	jobs, err := k.jobs()
	if err != nil {
		return nil, err
	}
	if err := k.probe(ctx); err != nil {
		return nil, err
	}
	out := &report.Report{Suite: "host", Command: o.Command, Results: k.all(ctx, jobs)}
	out.Sort()
	return out, nil
}

// probe starts the adapter once: if it does not take the order start, no check means anything.
func (k *kit) probe(ctx context.Context) error {
	c, err := k.open(ctx, &vector{Header: conformance.Header{ID: "host.probe"}})
	if err != nil {
		return err
	}
	defer c.close()
	if err := c.start(); err != nil {
		return fmt.Errorf("%w: %w\n%s", ErrNoStart, err, c.detail())
	}
	return nil
}

// all does the jobs, Jobs at a time.
func (k *kit) all(ctx context.Context, jobs []job) []report.Result {
	queue := make(chan job, len(jobs))
	for _, j := range jobs {
		queue <- j
	}
	close(queue)
	var mu sync.Mutex
	var out []report.Result
	var workers sync.WaitGroup
	for range k.Jobs {
		workers.Go(func() {
			for j := range queue {
				r := k.do(ctx, j.vector, j.check)
				mu.Lock()
				out = append(out, r)
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	return out
}

// jobs are the vectors that the options choose.
func (k *kit) jobs() ([]job, error) {
	all, err := conformance.Load()
	if err != nil {
		return nil, err
	}
	levels := conformance.Levels()
	top := slices.Index(levels, k.Level)
	if k.Level == "" {
		top = len(levels) - 1
	}
	if top < 0 {
		return nil, fmt.Errorf("%w: level %q is none of %s", ErrUsage, k.Level, strings.Join(levels, ", "))
	}
	var out []job
	for _, v := range all {
		if !strings.HasPrefix(v.ID, "host.") || slices.Index(levels, v.Level) > top {
			continue
		}
		chosen, err := k.chosen(v.ID)
		if err != nil {
			return nil, err
		}
		if !chosen {
			continue
		}
		decoded, err := decode(v)
		if err != nil {
			return nil, err
		}
		out = append(out, job{decoded, report.Check{ID: v.ID, Level: v.Level, Scenarios: v.Scenarios, Title: v.Title}})
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
