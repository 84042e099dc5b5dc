// Package hostkit drives any host, through an adapter that its author writes, as a hostile extension, and holds it
// against the vectors. HOST-ADAPTER.md says what an adapter is.
package hostkit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/exec-ext/exec-ext/conformance"
	"github.com/exec-ext/exec-ext/conformance/report"
	"github.com/exec-ext/exec-ext/conformance/schema"
	"github.com/exec-ext/exec-ext/conformance/suite"
)

// Options of a run. Command is the adapter.
type Options struct {
	suite.Options
	Fake []string // a command that calls [Fake] with the socket appended to it
}

// ErrNoStart is wrapped by errors about the adapter.
var ErrNoStart = errors.New("the adapter does not start")

type kit struct {
	Options
	schemas *schema.Validator
}

// Run does the checks and gives their report, in the order of their ids. An error wraps suite.ErrUsage or ErrNoStart, or
// that of ctx, or says what is wrong with the kit.
func Run(ctx context.Context, o Options) (*report.Report, error) {
	if err := o.Complete(time.Minute); err != nil {
		return nil, err
	}
	schemas, err := schema.New()
	if err != nil {
		return nil, err
	}
	k := &kit{o, schemas}
	vectors, err := k.vectors()
	if err != nil {
		return nil, err
	}
	if err := k.probe(ctx); err != nil {
		return nil, err
	}
	results, err := suite.Run(ctx, o.Options, vectors, func() suite.Worker[*vector] { return suite.Worker[*vector]{Do: k.do} })
	if err != nil {
		return nil, err
	}
	out := &report.Report{Suite: "host", Command: o.Command, Results: results}
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

// vectors are those that the options choose.
func (k *kit) vectors() ([]*vector, error) {
	chosen, err := k.Choose("host.")
	if err != nil {
		return nil, err
	}
	var out []*vector
	for _, v := range chosen {
		decoded, err := decode(v)
		if err != nil {
			return nil, err
		}
		out = append(out, decoded)
	}
	return out, nil
}
