package sandbox

import (
	"sync"
	"time"
)

// A clock measures one run and rings once when either of its two budgets is used up. The wall clock always
// runs; the active clock stands still while a host call is in flight.
type clock struct {
	limits Limits
	ring   func(*Failure)

	mu       sync.Mutex
	start    time.Time
	since    time.Time     // when the active clock last began to run
	used     time.Duration // active time before that
	inFlight int
	stopped  time.Time     // zero while the clock runs
	shown    time.Duration // the active time at stopped
	wall     *time.Timer
	active   *time.Timer
}

// newClock makes a clock that stands still until run.
func newClock(l Limits, ring func(*Failure)) *clock { return &clock{limits: l, ring: ring} }

func (c *clock) run() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.start = time.Now()
	c.since = c.start
	c.wall = time.AfterFunc(c.limits.Wall, func() { c.ring(wallFailure()) })
	c.active = time.AfterFunc(c.limits.Active, c.checkActive)
}

// checkActive rings if the active budget is really used up: the timer may fire while a call begins.
func (c *clock) checkActive() {
	c.mu.Lock()
	over := c.inFlight == 0 && c.stopped.IsZero() && c.activeTime(time.Now()) >= c.limits.Active
	c.mu.Unlock()
	if over {
		c.ring(activeFailure())
	}
}

func (c *clock) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inFlight == 0 {
		c.used = c.activeTime(time.Now())
		c.active.Stop()
	}
	c.inFlight++
}

func (c *clock) reply() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inFlight--; c.inFlight == 0 && c.stopped.IsZero() {
		c.since = time.Now()
		c.active.Reset(c.limits.Active - c.used)
	}
}

// activeTime is the active time used up to now. c.mu is held.
func (c *clock) activeTime(now time.Time) time.Duration {
	if c.inFlight > 0 {
		return c.used
	}
	return c.used + now.Sub(c.since)
}

// stop ends both clocks, the first time it is called, and gives what they show.
func (c *clock) stop() (wall, active time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped.IsZero() {
		c.wall.Stop()
		c.active.Stop()
		c.stopped = time.Now()
		c.shown = c.activeTime(c.stopped)
	}
	return c.stopped.Sub(c.start), c.shown
}
