package gateway

import (
	"context"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/exec-ext/exec-ext/hostapi/refhost"
)

// Ask puts a question to the client's user as an elicitation. A client that cannot do that has nobody to ask.
func (g *Gateway) Ask(ctx context.Context, q refhost.Question) (refhost.Answer, error) {
	g.mu.Lock()
	client, ok := g.client.(mcpserver.SessionWithClientInfo)
	g.mu.Unlock()
	if !ok || client.GetClientCapabilities().Elicitation == nil {
		return refhost.AnswerNo, fmt.Errorf("%w: %s", refhost.ErrNobody, textNoElicitation)
	}
	answers := []string{answerOnce, answerRun, answerNo}
	always := fmt.Sprintf(answerAlways, q.Save)
	if q.Save != "" {
		answers = []string{answerOnce, answerRun, always, answerNo}
	}
	result, err := g.server.RequestElicitation(g.server.WithContext(ctx, client), mcp.ElicitationRequest{
		Params: mcp.ElicitationParams{
			Message: fmt.Sprintf(textQuestion, q.Name, q.Arguments),
			RequestedSchema: map[string]any{
				"type":       "object",
				"properties": map[string]any{"answer": map[string]any{"type": "string", "enum": answers}},
				"required":   []string{"answer"},
			},
		},
	})
	switch {
	case ctx.Err() != nil:
		return refhost.AnswerNo, ctx.Err()
	case err != nil:
		return refhost.AnswerNo, refhost.ErrNobody
	case result.Action != mcp.ElicitationResponseActionAccept:
		return refhost.AnswerNo, nil
	}
	content, _ := result.Content.(map[string]any)
	switch content["answer"] {
	case answerOnce:
		return refhost.AnswerOnce, nil
	case answerRun:
		return refhost.AnswerRun, nil
	case always:
		return refhost.AnswerAlways, nil
	}
	return refhost.AnswerNo, nil
}
