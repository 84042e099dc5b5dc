package sandbox

// parentLayers lists what this side does for every worker.
func parentLayers() []Layer {
	return []Layer{
		{ID: "process", Active: true, Proven: true, Detail: "one process for each script"},
		{ID: "kill", Active: true, Proven: true, Detail: "SIGKILL at either budget, on cancel and on hostile frames"},
		{ID: "memory_watch", Active: true, Proven: true, Detail: "anonymous memory read every 5 ms"},
		{ID: "empty_env", Active: true, Proven: true},
		{ID: "parent_death_signal", Active: true, Proven: true},
	}
}
