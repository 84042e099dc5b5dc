package hostapi

import "encoding/json"

// Config is what a host may set; every member is optional on the way in. The effective config has all of them.
type Config struct {
	EnableExec      EnableExec `json:"enableExec"`
	DisallowedTools []string   `json:"disallowedTools"`
	Profile         string     `json:"profile" jsonschema:"enum=mcp,enum=all"`
	Limits          Limits     `json:"limits"`
	Catalog         Catalog    `json:"catalog"`
	Sandbox         Sandbox    `json:"sandbox"`
	ResultFormat    string     `json:"resultFormat" jsonschema:"enum=text,enum=structured"`
	OverlongResult  string     `json:"overlongResult" jsonschema:"enum=cut,enum=fail"`
}

// EnableExec has two layers: remote beats local beats true.
type EnableExec struct {
	Local  *bool `json:"local,omitempty"`
	Remote *bool `json:"remote,omitempty"`
}

// On is the effective switch.
func (e EnableExec) On() bool {
	switch {
	case e.Remote != nil:
		return *e.Remote
	case e.Local != nil:
		return *e.Local
	}
	return true
}

// Limits of a run, in the units of their names.
type Limits struct {
	WallMs          int64 `json:"wallMs"`
	ActiveMs        int64 `json:"activeMs"` // counts only while no host call is in flight
	ToolCalls       int64 `json:"toolCalls"`
	ConcurrentCalls int64 `json:"concurrentCalls"`
	CodeBytes       int64 `json:"codeBytes"`
	LogChars        int64 `json:"logChars"`
	ResultChars     int64 `json:"resultChars"`
	Images          int64 `json:"images"`
	ImageBytes      int64 `json:"imageBytes"`
	MemoryBytes     int64 `json:"memoryBytes"`
	ConcurrentRuns  int64 `json:"concurrentRuns"`
	WarmWorkers     int64 `json:"warmWorkers"`
}

// Catalog settings.
type Catalog struct {
	BudgetTokens     int64 `json:"budgetTokens"`
	Depth            int64 `json:"depth"`
	DescriptionChars int64 `json:"descriptionChars"` // with the three dots of a cut
}

// Sandbox settings.
type Sandbox struct {
	WebGlobals bool `json:"webGlobals"`
}

// Ceilings are the highest values of limits and catalog settings.
type Ceilings struct {
	Limits  Limits  `json:"limits"`
	Catalog Catalog `json:"catalog"`
}

// ConfigUpdateParams carries a JSON merge patch of Config.
type ConfigUpdateParams struct {
	Patch json.RawMessage `json:"patch"`
}

// ConfigUpdateResult is what holds now.
type ConfigUpdateResult struct {
	EffectiveConfig Config   `json:"effectiveConfig"`
	Changed         []string `json:"changed"` // dotted paths of effective members
	Clamped         []Clamp  `json:"clamped"`
}

// Clamp is one value that was brought within its bounds.
type Clamp struct {
	Path      string `json:"path"`
	Requested int64  `json:"requested"`
	Effective int64  `json:"effective"`
}
