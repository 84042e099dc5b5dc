package cli

import (
	"fmt"
	"text/tabwriter"

	"github.com/exec-ext/exec-ext/catalog"
	"github.com/exec-ext/exec-ext/hostapi"
)

// printStats compares what the catalog costs with what the same tools would cost declared one by one.
func printStats(p *catalog.Pool, settings hostapi.Catalog, budget *int, out screen) {
	o := catalog.Options{
		BudgetTokens: int(settings.BudgetTokens), Depth: int(settings.Depth), DescriptionChars: int(settings.DescriptionChars),
	}
	if budget != nil {
		o.BudgetTokens = *budget
	}
	servers, total := p.Stats(o)
	total.Name = "total"
	table := tabwriter.NewWriter(out.w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "server\tentries\tshown\ttokens\tshown tokens\tflat tokens\tratio\t")
	for _, s := range append(servers, total) {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t%.2f\t\n",
			printable(s.Name), s.Entries, s.Shown, s.Tokens, s.ShownTokens, s.FlatTokens, s.Ratio())
	}
	_ = table.Flush() // Main tells of writes that failed
}
