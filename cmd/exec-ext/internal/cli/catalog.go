package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/exec-ext/exec-ext/catalog"
	"github.com/exec-ext/exec-ext/hostapi"
	"github.com/exec-ext/exec-ext/hostapi/refhost"
)

type catalogVerb struct {
	serverFlags `embed:""`
	Pool        string `xor:"servers" placeholder:"FILE" help:"Use the tools of a file instead of servers: a pool snapshot, or an array of tools with flat names."`
	Budget      *int   `placeholder:"N" help:"Token budget (characters / 4)."`
	Search      string `xor:"view" placeholder:"QUERY" help:"Search the whole pool, as a script can."`
	Tool        string `xor:"view" placeholder:"NAME" help:"Print one tool, whole."`
	Stats       bool   `xor:"view" help:"Print what each server costs in tokens, in the catalog and declared one by one."`
}

func (v *catalogVerb) run(ctx context.Context, p *Program) (int, error) {
	ctx, cancel := p.untilInterrupt(ctx)
	defer cancel()
	code, err := v.print(ctx, p)
	if err != nil && code == ExitOK {
		code = codeOf(err)
	}
	return code, err
}

func (v *catalogVerb) print(ctx context.Context, p *Program) (int, error) {
	if v.Pool == "" {
		if err := v.chosen(); err != nil {
			return 0, err
		}
	}
	pool, err := v.snapshot(ctx, p, v.Pool)
	if err != nil {
		return 0, err
	}
	s, err := v.open(ctx, p, &refhost.Host{Gate: refhost.NewGate(refhost.GateOptions{})}, nil)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	listed, warnings := catalog.NewPool(catalog.Snapshot{Tools: pool.Tools, Deny: pool.Deny})
	for _, w := range warnings {
		fmt.Fprintf(p.Stderr, "exec-ext: %s\n", printable(w))
	}
	out := newScreen(p.out, p.Lookup)
	switch {
	case v.Stats:
		printStats(listed, s.Hello.EffectiveConfig.Catalog, v.Budget, out)
		return ExitOK, nil
	case v.Tool != "":
		return v.printTool(ctx, s, pool, listed, out)
	case v.Search != "":
		return ExitOK, v.printHits(ctx, s, pool, out)
	}
	listing, err := s.CatalogRender(ctx, hostapi.CatalogRenderParams{SessionID: session, Pool: pool, BudgetTokens: v.Budget})
	if err != nil {
		return 0, err
	}
	out.catalog(listing.Text)
	return ExitOK, nil
}

// readPool reads a pool snapshot or a bare array of tools.
func readPool(path string) (*hostapi.PoolSnapshot, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the pool: %w", err)
	}
	pool := hostapi.PoolSnapshot{Status: "ok"}
	if err := json.Unmarshal(data, &pool.Tools); err == nil {
		return &pool, nil
	}
	if err := json.Unmarshal(data, new(json.RawMessage)); err != nil { // no JSON at all
		return nil, fmt.Errorf("the pool %s: %w", path, err)
	}
	if err := hostapi.Decode(data, &pool); err != nil {
		return nil, fmt.Errorf("the pool %s: %w", path, err)
	}
	if pool.Tools == nil {
		return nil, fmt.Errorf(`the pool %s: no member "tools"`, path)
	}
	return &pool, nil
}

func (v *catalogVerb) search(ctx context.Context, s *refhost.Session, pool *hostapi.PoolSnapshot, query string) ([]hostapi.SearchItem, error) {
	input, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		return nil, err
	}
	found, err := s.CatalogSearch(ctx, hostapi.CatalogSearchParams{SessionID: session, Pool: pool, Input: input})
	return found.Items, err
}

func (v *catalogVerb) printHits(ctx context.Context, s *refhost.Session, pool *hostapi.PoolSnapshot, out screen) error {
	items, err := v.search(ctx, s, pool, v.Search)
	if err != nil {
		return err
	}
	for i, item := range items {
		if i > 0 {
			fmt.Fprintln(out.w)
		}
		printItem(item, out)
	}
	if len(items) == 0 {
		out.text("No tool matches.")
	}
	return nil
}

func (v *catalogVerb) printTool(ctx context.Context, s *refhost.Session, pool *hostapi.PoolSnapshot, listed *catalog.Pool, out screen) (int, error) {
	items, err := v.search(ctx, s, pool, v.Tool)
	if err != nil {
		return 0, err
	}
	for _, item := range items {
		if item.Name == v.Tool {
			printItem(item, out)
			return ExitOK, nil
		}
	}
	nearest := ""
	if near := listed.Nearest(v.Tool, 1); len(near) > 0 {
		nearest = " (the nearest name is " + near[0] + ")"
	}
	return ExitFailed, fmt.Errorf("there is no tool %s%s; --search finds names", v.Tool, nearest)
}

func printItem(item hostapi.SearchItem, out screen) {
	fmt.Fprintln(out.w, out.style(styleBold, printable(item.Name)))
	if item.Description != "" {
		out.text(item.Description)
	}
	out.catalog(item.Signature)
}
