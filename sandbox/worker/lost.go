package worker

import "github.com/dop251/goja"

// rejections are the promises that were rejected and that nobody has handled, oldest first; nil for one that was
// handled afterwards.
type rejections struct {
	open []*goja.Promise
	at   map[*goja.Promise]int
}

func (r *rejections) track(p *goja.Promise, op goja.PromiseRejectionOperation) {
	if op == goja.PromiseRejectionReject {
		if r.at == nil {
			r.at = map[*goja.Promise]int{}
		}
		r.at[p] = len(r.open)
		r.open = append(r.open, p)
		return
	}
	if i, ok := r.at[p]; ok {
		r.open[i] = nil
		delete(r.at, p)
	}
}

// namedRejections bounds the lost errors named one by one.
const namedRejections = 5

// warnLost names the errors nobody caught, but for the one that ends the script.
func (e *engine) warnLost(outcome *goja.Promise) {
	n := 0
	for _, p := range e.lost.open {
		if p == nil || p == outcome || outcome.State() == goja.PromiseStateRejected && p.Result() == outcome.Result() {
			continue
		}
		if n++; n <= namedRejections {
			f := e.thrown(p.Result())
			e.warn(textLostError(f.Name, f.Message, f.Line))
		}
	}
	if n > namedRejections {
		e.warn(textMoreLostErrors(n - namedRejections))
	}
}
