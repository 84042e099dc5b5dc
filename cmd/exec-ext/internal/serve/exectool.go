package serve

import (
	"encoding/json"

	"github.com/exec-ext/exec-ext/hostapi"
)

// execAnnotations: a script can call any tool, so nothing is promised.
const execAnnotations = `{"title":"Exec","readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true}`

// execTool is the declaration of Exec: constant.
func execTool() hostapi.ExecTool {
	return hostapi.ExecTool{
		Name: "Exec", Description: execDescription,
		InputSchema: json.RawMessage(execInputSchema), Annotations: json.RawMessage(execAnnotations),
	}
}
