// Stands in for a model: answers request after request with canned turns, in Anthropic's format, without a network.
// It is strict where a real API is: a tool that is not declared cannot be called, every tool_use needs its result.

/** Makes a model of turns: a text, or the input of an Exec call. */
export function scriptedModel(turns) {
  let next = 0;
  return async ({ tools, messages }) => {
    const open = new Set(messages.flatMap((m) => blocks(m, 'tool_use')).map((b) => b.id));
    for (const result of messages.flatMap((m) => blocks(m, 'tool_result'))) open.delete(result.tool_use_id);
    if (open.size > 0) throw new Error(`no result for ${[...open]}`);
    const turn = turns[next++];
    if (turn === undefined) throw new Error('the script of the model is at its end');
    if (typeof turn === 'string') return { stop_reason: 'end_turn', content: [{ type: 'text', text: turn }] };
    if (!tools.some((t) => t.name === 'Exec')) throw new Error('Exec is not declared');
    return { stop_reason: 'tool_use', content: [{ type: 'tool_use', id: `toolu_${next}`, name: 'Exec', input: turn }] };
  };
}

const blocks = (message, type) => (Array.isArray(message.content) ? message.content.filter((b) => b.type === type) : []);
