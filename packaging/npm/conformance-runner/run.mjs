// Plays the conformance vectors with the client as the host, in front of a real extension.
//
//     npm run build && node conformance-runner/run.mjs BINARY VECTORS_FOLDER [PART_OF_ID]
//
// It writes a line for each vector, as TAP does, and ends with 1 if one failed. What a client cannot play is left out,
// with the reason; `exec-ext conformance extension` plays everything.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { playRender, playRun, playSearch, playTurns } from './forms.mjs';
import { isAboutFrames, playFrames } from './frames.mjs';
import { formOf, leftOut } from './played.mjs';
import { playSteps } from './steps.mjs';
import { Failed, sharesProcess, World } from './world.mjs';

const PLAY = { run: playRun, render: playRender, search: playSearch, turns: playTurns, steps: playSteps, frames: playFrames };
const TIMEOUT_MS = 60_000;
const WORLDS = 2;

const [binary, folder, part = ''] = process.argv.slice(2);
const vectors = readdirSync(folder)
  .filter((name) => name.endsWith('.json') && name !== 'coverage.json')
  .flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).vectors)
  .filter((vector) => vector.id.startsWith('ext.') && vector.id.includes(part));

const counts = { ok: 0, failed: 0, skipped: 0 };
const queue = [];
for (const vector of vectors) {
  const known = formOf(vector);
  const form = isAboutFrames(vector) ? 'frames' : known;
  const why = form === 'frames' ? undefined : leftOut(vector);
  if (why) {
    counts.skipped++;
    console.log(`ok - ${vector.id} # SKIP ${why}`);
  } else {
    queue.push({ vector, form });
  }
}
await Promise.all(Array.from({ length: WORLDS }, work));
console.log(`# passed ${counts.ok}, failed ${counts.failed}, left out ${counts.skipped}`);
process.exitCode = counts.failed > 0 || counts.ok === 0 ? 1 : 0;

/** Plays vectors of the queue, those that can in one process. */
async function work() {
  const common = new World(binary);
  for (let next = queue.shift(); next; next = queue.shift()) {
    const shared = sharesProcess(next.vector);
    const world = shared ? common : new World(binary);
    const failure = await outcomeOf(next, world, shared);
    if (!shared || failure) await world.close();
    counts[failure ? 'failed' : 'ok']++;
    console.log(`${failure ? 'not ok' : 'ok'} - ${next.vector.id}${failure ? `\n# ${failure.replaceAll('\n', '\n#   ')}` : ''}`);
  }
  await common.close();
}

/** Why a vector failed; undefined if it did not. */
async function outcomeOf({ vector, form }, world, shared) {
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error('it takes too long')), TIMEOUT_MS)));
  const played = (async () => {
    await world.play(vector, shared);
    await PLAY[form](vector, world);
  })();
  try {
    await Promise.race([played, late]);
    return world.host.faults.join('\n') || undefined;
  } catch (thrown) {
    return thrown instanceof Failed ? thrown.message : thrown.stack;
  } finally {
    clearTimeout(timer);
    played.catch(() => {});
  }
}
