package soak

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/exec-ext/exec-ext/hostapi"
)

// A plan is one run to do.
type plan struct {
	kind    kind
	session string
	number  int
	cancel  time.Duration // after which it is cancelled, but not before it was sent; 0 = never
	request bool          // cancelled by giving up the request, so that its result is not looked at
}

// plan draws one run.
func (s *soak) plan(random *rand.Rand, session string, n int) plan {
	all := kinds()
	p := plan{kind: all[random.IntN(len(all))], session: session, number: n}
	if p.kind.hangs || random.IntN(6) == 0 {
		p.cancel = time.Duration(1+random.IntN(120)) * time.Millisecond
		p.request = random.IntN(4) == 0
	}
	return p
}

// run does one run and holds its result against its kind; a cancelled one may also have ended by itself before.
func (s *soak) run(p plan) {
	ctx, giveUp := context.WithTimeout(context.Background(), s.Patience)
	defer giveUp()
	input, err := json.Marshal(map[string]string{"code": p.fill(p.kind.code)})
	if err != nil {
		panic(err)
	}
	params := hostapi.ExecRunParams{SessionID: p.session, RunID: fmt.Sprintf("run-%d", p.number), Input: input}
	if p.kind.limits != "" {
		params.Limits = json.RawMessage(p.kind.limits)
	}
	if p.cancel > 0 {
		sent, forget := s.wire.watch(p.session, params.RunID)
		defer forget()
		defer time.AfterFunc(p.cancel, func() { s.cancel(ctx, giveUp, p, params.RunID, sent) }).Stop()
	}
	r, err := s.ext.ExecRun(ctx, params)
	end := r.Status
	switch difference := p.kind.ended(r, p.fill(p.kind.value)); {
	case err != nil && p.request && ctx.Err() != nil:
		end = "given up"
	case err != nil:
		end = "no result"
		s.blame("%s, %s %s: %v", p.kind.name, p.session, params.RunID, err)
	case r.RunID != params.RunID:
		s.blame("%s: the result of %s came for %s", p.kind.name, r.RunID, params.RunID)
	case p.cancel > 0 && r.Status == hostapi.StatusCancelled:
	case difference != "":
		s.blame("%s, %s %s: %s; %s", p.kind.name, p.session, params.RunID, difference, textOf(r))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kinds[p.kind.name]++
	s.ends[end]++
}

// cancel ends a run: by giving up its request, or by exec/cancel. That one goes out behind the run's request, however
// late a busy machine gets round to it: a cancel of a run that the extension does not know yet is rightly without effect.
func (s *soak) cancel(ctx context.Context, giveUp func(), p plan, run string, sent <-chan struct{}) {
	if p.request {
		giveUp()
		return
	}
	select {
	case <-sent:
		s.ext.ExecCancel(hostapi.ExecCancelParams{SessionID: p.session, RunID: run, Reason: "soak"})
	case <-ctx.Done():
	}
}

// fill puts the run's number in the place of N, and its double and triple.
func (p plan) fill(text string) string {
	return strings.NewReplacer("N2", fmt.Sprint(2*p.number), "N3", fmt.Sprint(3*p.number), "N", fmt.Sprint(p.number)).Replace(text)
}

func textOf(r hostapi.ExecResult) string {
	if r.Error != nil {
		return fmt.Sprintf("%.200s", r.Error.Message)
	}
	return ""
}
