package catalog

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// inParallel does n pieces of work on all processors, so many at a time as batch says. Each goroutine gets a worker of its own, which may remember
// things from piece to piece. A panic of a worker is the caller's. Which worker does what must not show in the result.
func inParallel(n, batch int, worker func() func(i int)) {
	hands := min(runtime.GOMAXPROCS(0), n/batch)
	if hands < 2 {
		work := worker()
		for i := range n {
			work(i)
		}
		return
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	panics := make(chan any, hands)
	for range hands {
		wait.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					panics <- v
				}
			}()
			work := worker()
			for from := int(next.Add(int64(batch))) - batch; from < n; from = int(next.Add(int64(batch))) - batch {
				for i := from; i < min(from+batch, n); i++ {
					work(i)
				}
			}
		})
	}
	wait.Wait()
	select {
	case v := <-panics:
		panic(v)
	default:
	}
}
