package serve

import (
	"context"

	"github.com/exec-ext/exec-ext/catalog"
	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/rpc"
)

func renderOptions(c hostapi.Config) catalog.Options {
	return catalog.Options{
		BudgetTokens: int(c.Catalog.BudgetTokens), Depth: int(c.Catalog.Depth), DescriptionChars: int(c.Catalog.DescriptionChars),
	}
}

func (s *server) catalogRender(p hostapi.CatalogRenderParams) (rpc.Job, error) {
	q, err := s.query(p.SessionID, p.Pool, purposeCatalog)
	if err != nil {
		return nil, err
	}
	options := renderOptions(s.config)
	if p.BudgetTokens != nil {
		if *p.BudgetTokens < 0 {
			return nil, invalidParams(&hostapi.ShapeError{Path: "$.budgetTokens", Expected: "an integer from 0"})
		}
		options.BudgetTokens = *p.BudgetTokens
	}
	return func(ctx context.Context) (any, error) {
		live := s.pools.get(ctx, q)
		if live.pool == nil {
			return nil, unavailablePool(ctx, live)
		}
		l := live.pool.Render(options)
		servers := make([]hostapi.ServerCount, len(l.Servers))
		for i, c := range l.Servers {
			servers[i] = hostapi.ServerCount(c)
		}
		return hostapi.CatalogRenderResult{
			Text: l.Text, Digest: l.Digest, Truncated: l.Truncated, Shown: l.Shown, Total: l.Total,
			Servers: servers, EstimatedTokens: l.EstimatedTokens,
		}, nil
	}, nil
}

func (s *server) catalogSearch(p hostapi.CatalogSearchParams) (rpc.Job, error) {
	q, err := s.query(p.SessionID, p.Pool, purposeSearch)
	if err != nil {
		return nil, err
	}
	options := renderOptions(s.config)
	return func(ctx context.Context) (any, error) {
		live := s.pools.get(ctx, q)
		if live.pool == nil {
			return nil, unavailablePool(ctx, live)
		}
		hits, _, err := live.pool.Search(p.Input, options)
		if err != nil {
			return nil, &rpc.Error{Code: codeInvalidParams, Message: err.Error(),
				Data: errorData{Kind: "invalid_params", Path: "$.input", Expected: "{query?: string, server?: string, limit?: integer >= 1}"}}
		}
		items := make([]hostapi.SearchItem, len(hits))
		for i, h := range hits {
			items[i] = hostapi.SearchItem(h)
		}
		return hostapi.CatalogSearchResult{Items: items}, nil
	}, nil
}

// unavailablePool is the error of catalog/*; a request that was cancelled meanwhile says so instead.
func unavailablePool(ctx context.Context, live livePool) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return wireError(codePoolUnavailable, "pool_unavailable", poolUnavailableText(live.reason), true)
}
