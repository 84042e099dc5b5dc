package suite

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/exec-ext/exec-ext/conformance/report"
)

// A Worker does one job after the other, and comes to its end when there are no more.
type Worker[J any] struct {
	Do  func(context.Context, J) report.Result
	End func(context.Context) // nil = nothing
}

// lifeSign is how long a run may say nothing.
const lifeSign = 5 * time.Second

// Run does the jobs, as many workers at a time as the options say, and gives their results in no order. While it goes on
// Progress gets a line now and then. When ctx ends no job is begun any more, and Run gives an error that wraps that of ctx.
func Run[J any](ctx context.Context, o Options, jobs []J, worker func() Worker[J]) ([]report.Result, error) {
	queue := make(chan J)
	results := make(chan report.Result)
	var workers sync.WaitGroup
	for range o.Jobs {
		workers.Go(func() {
			w := worker()
			for j := range queue {
				results <- w.Do(ctx, j)
			}
			if w.End != nil {
				w.End(ctx)
			}
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
	out := o.gather(results, len(jobs))
	if ctx.Err() != nil {
		return nil, fmt.Errorf("the run was interrupted: %w", ctx.Err())
	}
	return out, nil
}

// gather takes the results and says how far they are.
func (o *Options) gather(results <-chan report.Result, jobs int) []report.Result {
	began := time.Now()
	tick := time.NewTicker(lifeSign)
	defer tick.Stop()
	fmt.Fprintf(o.Progress, "checks to do: %d, %d at a time\n", jobs, o.Jobs)
	r := report.Report{}
	for {
		select {
		case result, more := <-results:
			if !more {
				return r.Results
			}
			r.Results = append(r.Results, result)
		case <-tick.C:
			fmt.Fprintf(o.Progress, "%6.1f s  %d of %d checks done, %d failed\n", time.Since(began).Seconds(), len(r.Results), jobs, r.Count(report.Fail))
		}
	}
}
