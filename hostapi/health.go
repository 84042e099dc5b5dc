package hostapi

// HealthParams may ask for a self-test.
type HealthParams struct {
	SelfTest bool `json:"selfTest,omitempty"`
}

// HealthResult is the state of the process.
type HealthResult struct {
	Version   string           `json:"version"`
	UptimeMs  int64            `json:"uptimeMs"`
	Runs      RunCounts        `json:"runs"`
	Counters  map[string]int64 `json:"counters"`
	Workers   WorkerCounts     `json:"workers"`
	Isolation Isolation        `json:"isolation"`
	Checks    []Check          `json:"checks"`
}

// RunCounts counts runs now.
type RunCounts struct {
	Live   int `json:"live"`
	Queued int `json:"queued"`
}

// WorkerCounts counts worker processes.
type WorkerCounts struct {
	Spare int `json:"spare"`
	Live  int `json:"live"`
}

// Check is one self-test.
type Check struct {
	ID     string `json:"id"`
	Pass   bool   `json:"pass"`
	Detail string `json:"detail,omitempty"`
}
