// Vectors about well-formed frames: what an extension must understand, the client's own reader must too.
import { PassThrough } from 'node:stream';
import { StreamMessageReader } from 'vscode-jsonrpc/node';
import { decoder } from '../dist/esm/codec.js';
import { short } from './patterns.mjs';
import { Failed } from './world.mjs';

const OURS = 'content-length';
const WAIT_MS = 5000;

/** Whether a vector does nothing but write messages that are accepted, in a framing of this client's. */
export function isAboutFrames(vector) {
  if (vector.open === false || !vector.steps || ![undefined, OURS].includes(vector.framing)) return false;
  const pieces = vector.steps.flatMap((step) => step.write ?? []);
  if (pieces.length === 0 || pieces.some((piece) => /(^|[^\r])\n/.test(piece))) return false; // no extension ends headers so
  return vector.steps.every((step) => step.write || expected([step]).length > 0);
}

/** Feeds the bytes of a vector to the client's reader; each message that is answered with a result must come out. */
export async function playFrames(vector) {
  const want = expected(vector.steps);
  const pipe = new PassThrough();
  const reader = new StreamMessageReader(pipe, { contentTypeDecoder: decoder });
  const got = await new Promise((resolve, reject) => {
    const messages = [];
    const late = setTimeout(() => reject(new Failed(`not all came: want ids ${short(want)}, got ${short(messages)}`)), WAIT_MS);
    reader.onError(reject);
    reader.listen((message) => {
      if (messages.push(message) < want.length) return;
      clearTimeout(late);
      resolve(messages);
    });
    for (const step of vector.steps) if (step.write) feed(pipe, Buffer.concat(step.write.map(bytesOf)), step.every);
  }).finally(() => reader.dispose());
  const texts = vector.steps.flatMap((step) => step.write ?? []).map((piece) => textOf(piece.frame)).filter(Boolean);
  for (const [i, text] of texts.entries()) {
    if (JSON.stringify(got[i]) !== JSON.stringify(JSON.parse(text))) throw new Failed(`want ${text}, got ${short(got[i])}`);
  }
  const ids = got.map((message) => message.id);
  if (JSON.stringify(ids) !== JSON.stringify(want)) throw new Failed(`want ids ${short(want)}, got ${short(ids)}`);
}

/** The ids of the answers that steps wait for, if they are all results. */
function expected(steps) {
  const patterns = steps.flatMap((step) => step.several ?? (step.expect ? [step.expect] : []));
  return patterns.every((pattern) => pattern.result && pattern.id != null) ? patterns.map((pattern) => pattern.id) : [];
}

function feed(pipe, bytes, size = bytes.length) {
  for (let at = 0; at < bytes.length; at += size) pipe.write(bytes.subarray(at, at + size));
}

function textOf(text) {
  return Array.isArray(text) ? text.join('\n') : text;
}

function bytesOf(piece) {
  if (typeof piece === 'string') return Buffer.from(piece);
  const { text = '', hex, frame, times = 1 } = piece;
  const body = Buffer.from(textOf(frame) ?? text);
  const bytes = hex ? Buffer.from(hex.replaceAll(' ', ''), 'hex') : body;
  const framed = frame === undefined ? bytes : Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
  return Buffer.concat(Array.from({ length: times }, () => framed));
}
