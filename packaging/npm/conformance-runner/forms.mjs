// The forms `run`, `render`, `search` and `turns`, played through the client's methods.
import { createHash } from 'node:crypto';
import { snapshotOf } from './host.mjs';
import { differences, short } from './patterns.mjs';
import { rpcError } from './steps.mjs';
import { Failed } from './world.mjs';

const textOf = (text) => (Array.isArray(text) ? text.join('\n') : text);

/** Holds values against patterns by name; a pattern that is not given is not looked at. */
function hold(...checks) {
  const found = checks.flatMap(([what, pattern, got]) =>
    pattern === undefined ? [] : differences(pattern, got).map((d) => `${what}: ${d}`));
  if (found.length > 0) throw new Failed(found.join('\n'));
}

export async function playRun(vector, world, form = vector.run) {
  const { codeTimes, limits, exec } = form;
  const code = (codeTimes ? codeTimes.piece.repeat(codeTimes.times) : '') + (textOf(form.code) ?? '');
  const turn = new AbortController();
  const running = world.exec.run({
    sessionId: vector.id,
    runId: 'run',
    input: form.input !== undefined || form.code === undefined ? form.input : { code },
    signal: turn.signal,
    ...(limits && { limits }),
    ...(exec && { exec }),
    ...(form.noPool && { pool: { status: 'unavailable', reason: 'no manager in this session' } }),
  });
  if (form.cancelRun !== undefined) turn.abort(new Error(form.cancelRun));
  const result = await running;
  agrees(result);
  const status = form.status ?? (form.kind ? 'any' : 'completed');
  try {
    hold(
      ['status', status === 'any' ? undefined : status, result.status],
      ['errorKind', form.kind, result.errorKind],
      ['returnValue', form.value, result.returnValue],
      ['returnValue', form.valueText && { $json: form.valueText }, result.returnValue],
      ['text', form.text, result.content[0].text],
      ['logs', form.logs, result.logs.text],
      ['error', result.error && form.error, result.error?.message],
      ['warnings', form.warnings, result.warnings ?? []],
      ['ExecResult', form.result, result],
      ['calls', form.calls, world.host.calls],
      ['calls in flight', form.mostInFlight, world.host.mostInFlight],
      ['wallMs', form.withinMs && { $atMost: form.withinMs }, result.stats.wallMs],
    );
  } catch (thrown) {
    throw new Failed(`${thrown.message}\nthe model read: ${short(result.content[0].text)}`);
  }
}

/** What must be so of every result, whatever the script. */
function agrees(result) {
  const failed = result.status !== 'completed';
  hold(
    ['isError', failed, result.isError],
    ['errorKind', failed ? { $type: 'string' } : { $absent: true }, result.errorKind],
    ['error', failed ? { message: { $match: '.' } } : { $absent: true }, result.error],
    ['summary', { state: failed ? 'failed' : 'done' }, result.summary],
    ['content', { type: 'text', text: { $match: '(?s).' } }, result.content[0]],
    ['images', { $each: { type: 'image', data: { $type: 'string' } } }, result.content.slice(1)],
  );
}

export async function playRender(vector, world) {
  const { budgetTokens, text, has, result } = vector.render;
  const render = (tools) => {
    world.host.pools = [snapshotOf(tools, vector.deny)];
    return world.exec.renderCatalog(vector.id, budgetTokens);
  };
  const first = await render(vector.tools);
  const sum = (member) => first.servers.reduce((n, server) => n + server[member], 0);
  hold(
    ['text', textOf(text), first.text],
    ['text', has, first.text],
    ['result', result, first],
    ['digest', createHash('sha256').update(first.text).digest('hex'), first.digest],
    ['counts', [sum('shown'), sum('total'), sum('shown') < sum('total')], [first.shown, first.total, first.truncated]],
  );
  hold(['text with the tools in reverse order', first.text, (await render((vector.tools ?? []).toReversed())).text]);
}

export async function playSearch(vector, world) {
  const { input, items, error } = vector.search;
  const call = `tools["$codemode"].search(${input === undefined ? '' : JSON.stringify(input)})`;
  if (error === undefined) {
    const found = await world.exec.search(vector.id, input);
    hold(['items', items, found.items]);
    return playRun(vector, world, { code: `return await ${call}`, valueText: JSON.stringify(found.items) });
  }
  let refused;
  try {
    await world.exec.search(vector.id, input);
  } catch (thrown) {
    refused = rpcError(thrown);
  }
  hold(['error', { code: -32602, message: error, data: { path: '$.input' } }, refused]);
  return playRun(vector, world, { code: `try { await ${call} } catch (e) { return e.message }`, value: error });
}

/** Plays a conversation with whole messages kept in the history, then with their marker lines alone. */
export async function playTurns(vector, world) {
  for (const markers of [false, true]) {
    if (markers && vector.turns.some((turn) => turn.config || turn.restart)) await world.restart();
    const talk = { markers, history: [], tools: [], sessionId: `${vector.id}-${markers}` };
    for (const [i, turn] of vector.turns.entries()) {
      try {
        await playTurn(turn, talk, world);
      } catch (thrown) {
        const kept = markers ? 'marker lines' : 'whole messages';
        throw new Failed(`turn ${i + 1}, with ${kept} in the history: ${thrown.message}`);
      }
    }
  }
}

async function playTurn(turn, talk, world) {
  if (turn.restart) await world.restart();
  if (turn.config) await world.exec.updateConfig(turn.config);
  forget(turn.forget, talk);
  talk.history.push(...(turn.say ?? []).map((text) => ({ text })));
  talk.tools = turn.tools ?? talk.tools;
  const pool = snapshotOf(talk.tools, turn.deny);
  world.host.next.set(talk.sessionId, turn.noPool ? { status: 'unavailable', reason: 'not ready' } : pool);
  const { channel, exec } = turn;
  const { tools: _, failure, ...plan } = await world.exec.prepare({
    sessionId: talk.sessionId,
    ...(channel !== 'absent' && { history: talk.history.map((entry) => entry.text) }),
    ...(channel && { channel }),
    ...(exec && { exec }),
  });
  if (failure) throw failure;
  hold(['result', turn.expect, plan]);
  const { action, message, marker } = plan.announcement;
  hold(['message', action === 'append', message !== undefined], ['marker', action === 'append', marker !== undefined]);
  if (!message) return;
  const [, body, line] = /^(.*)\n(<!-- mcp-catalog {[^<>]*} -->)$/s.exec(message.text) ?? [];
  if (!line) throw new Failed(`the last line is no marker: ${short(message.text)}`);
  hold(['marker line', marker, JSON.parse(line.slice('<!-- mcp-catalog '.length, -' -->'.length))], ['text', turn.text, body]);
  talk.history.push({ text: talk.markers ? line : message.text, ours: true });
}

// Takes messages of ours out of the history, as compaction or rewinding does.
function forget(which, talk) {
  if (which === undefined) return;
  const ours = talk.history.filter((entry) => entry.ours);
  const gone = which === 'all' ? ours : which.map((n) => ours[n]);
  talk.history = talk.history.filter((entry) => !gone.includes(entry));
}
