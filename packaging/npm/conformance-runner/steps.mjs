// The form `steps`, played through the client's methods.
import { differences, fill, fits, short } from './patterns.mjs';
import { Failed } from './world.mjs';

const STEP_MS = 20_000;

/** Plays the steps of a vector. */
export async function playSteps(vector, world) {
  const state = { world, host: world.host, vars: new Map(), started: new Map() };
  for (const [i, step] of vector.steps.entries()) {
    try {
      await play(step, state);
    } catch (thrown) {
      throw new Failed(`step ${i + 1}: ${thrown instanceof Failed ? thrown.message : thrown.stack}`);
    }
  }
}

async function play(step, state) {
  const { host, vars } = state;
  if (step.call || step.start) {
    const began = Date.now();
    const asked = ask(step.call ?? step.start, fill(step.params ?? {}, vars), state);
    asked.catch(() => {});
    if (step.call) return finish(step, asked, began, vars);
    state.started.set(step.as, { asked, began });
    return undefined;
  }
  if (step.finish) {
    const { asked, began } = state.started.get(step.finish);
    return finish(step, asked, began, vars);
  }
  if (step.notify) {
    const { sessionId, runId, reason } = fill(step.params, vars);
    return state.world.exec.cancel(sessionId, runId, reason);
  }
  if (step.send) return host.answer(fill(step.send, vars));
  if (step.calls) return same(host.calls, step.calls, 'the calls that reached the host');
  if (step.pauseMs) return new Promise((resolve) => setTimeout(resolve, step.pauseMs));
  return watch(step, state);
}

/** The steps about messages of the extension, as far as they show in callbacks. */
async function watch(step, { host, vars }) {
  for (const pattern of step.several ?? (step.expect ? [step.expect] : [])) {
    if (await host.take((m) => fits(pattern, m, vars), STEP_MS)) continue;
    throw new Failed(`no message fits ${short(pattern)}; there are ${short(host.inbox)}`);
  }
  if (step.none) {
    const came = await host.take((m) => fits(step.none, m, vars), step.withinMs);
    if (came) throw new Failed(`this must not come: ${short(came)}`);
  }
  if (step.maybe) await host.take((m) => fits(step.maybe, m, vars), 0);
}

/** A request by the client's method for it: a promise of its result, which rejects with an ExecExtError. */
async function ask(method, params, { world, host }) {
  const { exec } = world;
  const { sessionId, pool, ...rest } = params;
  if (method === 'exec/run') return exec.run(params);
  if (pool) host.next.set(sessionId, pool);
  switch (method) {
    case 'turn/prepare': {
      const { tools: _, failure, ...plan } = await exec.prepare({ sessionId, ...rest });
      if (failure) throw failure;
      return plan;
    }
    case 'catalog/render':
      return exec.renderCatalog(sessionId, rest.budgetTokens);
    case 'catalog/search':
      return exec.search(sessionId, rest.input);
    case 'config/update':
      return exec.updateConfig(params.patch);
    case 'extension/health':
      return exec.health(params.selfTest);
    default:
      throw new Error(`the client has no method for ${method}`);
  }
}

async function finish(step, asked, began, vars) {
  let result, error;
  try {
    result = await asked;
  } catch (thrown) {
    error = rpcError(thrown);
  }
  const took = Date.now() - began;
  if (step.withinMs && took > step.withinMs) throw new Failed(`the answer took ${took} ms, more than ${step.withinMs}`);
  if (step.error) return same(error, step.error, 'error', vars);
  if (error) throw new Failed(`want a result, got the error ${short(error)}`);
  return step.result === undefined ? undefined : same(result, step.result, 'result', vars);
}

/** The JSON-RPC error that an ExecExtError tells of. */
export function rpcError(thrown) {
  if (!thrown?.detail?.rpc) throw thrown;
  return { ...thrown.detail.rpc, message: thrown.detail.cause.message };
}

function same(got, pattern, what, vars) {
  const found = differences(pattern, got, vars);
  if (found.length > 0) throw new Failed(`${what}: ${found.join('\n  ')}`);
}
