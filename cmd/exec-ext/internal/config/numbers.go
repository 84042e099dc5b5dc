package config

import "github.com/exec-ext/exec-ext/hostapi"

const (
	kib = 1 << 10
	mib = 1 << 20
)

// A number is one integer setting: where it stands, its default and the bounds it is clamped to.
type number struct {
	path          string
	value         *int64
	def, min, max int64
}

// numbers lists every integer setting of c. The upper bounds of time, calls, memory, runs and workers are the
// contract's. The others have none there; theirs keep a slip (milliseconds for bytes) from eating the machine, and
// texts and images of that size still fit into one message.
//
// Zero is kept where it means something: no nested call, no log, no image, no spare worker, no more catalog than the
// one entry that is always shown. Elsewhere the least that can work is the lower bound.
func numbers(c *hostapi.Config) []number {
	l, k := &c.Limits, &c.Catalog
	return []number{
		{"limits.wallMs", &l.WallMs, 600_000, 1, 3_600_000},
		{"limits.activeMs", &l.ActiveMs, 60_000, 1, 600_000},
		{"limits.toolCalls", &l.ToolCalls, 50, 0, 500},
		{"limits.concurrentCalls", &l.ConcurrentCalls, 8, 1, 64},
		{"limits.codeBytes", &l.CodeBytes, 128 * kib, 1, 16 * mib},
		{"limits.logChars", &l.LogChars, 16_000, 0, 4 * mib},
		{"limits.resultChars", &l.ResultChars, 100_000, 1, 4 * mib},
		{"limits.images", &l.Images, 8, 0, 256},
		{"limits.imageBytes", &l.ImageBytes, 20 * mib, 0, 48 * mib},
		{"limits.memoryBytes", &l.MemoryBytes, 256 * mib, 16 * mib, 1024 * mib},
		{"limits.concurrentRuns", &l.ConcurrentRuns, 32, 1, 256},
		{"limits.warmWorkers", &l.WarmWorkers, 1, 0, 32},
		{"catalog.budgetTokens", &k.BudgetTokens, 2000, 0, 1_000_000},
		{"catalog.depth", &k.Depth, 8, 1, 32},
		{"catalog.descriptionChars", &k.DescriptionChars, 120, 4, 10_000},
	}
}

// Defaults is the config of a host that sets nothing.
func Defaults() hostapi.Config {
	c := hostapi.Config{DisallowedTools: []string{}, Profile: "mcp", ResultFormat: "text", OverlongResult: "cut"}
	for _, n := range numbers(&c) {
		*n.value = n.def
	}
	return c
}

// Ceilings is the highest value of every integer setting.
func Ceilings() hostapi.Ceilings {
	var c hostapi.Config
	for _, n := range numbers(&c) {
		*n.value = n.max
	}
	return hostapi.Ceilings{Limits: c.Limits, Catalog: c.Catalog}
}
