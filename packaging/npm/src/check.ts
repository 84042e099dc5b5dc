import { readSnapshot } from './answers.js';
import type { FlatCallParams, PrepareParams, RunParams } from './exec-ext.js';
import { nearest } from './names.js';
import type { ExecExtOptions } from './options.js';

// What a host's author may get wrong: names and types of what the methods are given, before anything is done with it.
// A misspelt `permission` must not become "all is allowed".

interface Kind {
  what: string;
  fits(value: unknown): boolean;
  required?: true;
}

const MAX_TIMER_MS = 2 ** 31 - 1;

const isString = (v: unknown): v is string => typeof v === 'string' && v !== '';
const isObject = (v: unknown): v is Record<string, unknown> => typeof v === 'object' && v !== null && !Array.isArray(v);
const isList = (v: unknown): v is string[] => Array.isArray(v) && v.every((s) => typeof s === 'string');

function isJson(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
}

const text: Kind = { what: 'a string that is not empty', fits: isString };
const strings: Kind = { what: 'a list of strings', fits: isList };
const object: Kind = { what: 'an object', fits: isObject };
const callback: Kind = { what: 'a function', fits: (v) => typeof v === 'function' };
const ms: Kind = { what: 'a number of milliseconds above 0', fits: (v) => typeof v === 'number' && v > 0 && v <= MAX_TIMER_MS };
const signal: Kind = { what: 'an AbortSignal', fits: (v) => isObject(v) && typeof v.addEventListener === 'function' };
const pauses: Kind = { what: '{firstMs, maxMs}', fits: (v) => isObject(v) && ms.fits(v.firstMs) && ms.fits(v.maxMs) };
const client: Kind = { what: '{name, version}', fits: (v) => isObject(v) && isString(v.name) && isString(v.version) };
const pool: Kind = { what: 'a pool snapshot', fits: (v) => isObject(v) && v.status !== 'unchanged' && !('fault' in readSnapshot(v)) };
const required = (kind: Kind): Kind => ({ ...kind, required: true });
const oneOf = (...values: string[]): Kind => ({ what: values.join(' or '), fits: (v) => values.includes(v as string) });

const execState = oneOf('on', 'not_registered', 'denied', 'excluded');

const OPTIONS: Record<keyof ExecExtOptions, Kind> = {
  pool: required(callback),
  callTool: required(callback),
  permission: callback,
  binary: text,
  serveArgs: strings,
  env: object,
  clientInfo: client,
  config: object,
  permissionMode: oneOf('inFunnel', 'separate'),
  startTimeoutMs: ms,
  poolTimeoutMs: ms,
  callTimeoutMs: ms,
  livenessMs: ms,
  backoff: pauses,
  onLog: callback,
  onProgress: callback,
  onExit: callback,
  onWarning: callback,
};

const PREPARE: Record<keyof PrepareParams, Kind> = {
  sessionId: required(text),
  exec: execState,
  history: strings,
  channel: oneOf('available', 'absent'),
};

const RUN: Record<keyof RunParams, Kind> = {
  sessionId: required(text),
  input: { what: 'what JSON can hold', fits: isJson },
  runId: text,
  signal,
  limits: object,
  exec: execState,
  pool,
  parentRunId: text,
  onProgress: callback,
};

const CALL: Record<keyof FlatCallParams, Kind> = {
  sessionId: required(text),
  callId: text,
  argumentsText: { what: 'a string', fits: (v) => typeof v === 'string' },
  signal,
};

/** Throws a TypeError for options that are not ExecExtOptions. */
export function checkOptions(options: unknown): void {
  check('ExecExt', options, OPTIONS);
}

/** Throws a TypeError for what is not PrepareParams. */
export function checkPrepare(params: unknown): void {
  check('prepare', params, PREPARE);
}

/** Throws a TypeError for what is not RunParams. */
export function checkRun(params: unknown): void {
  check('run', params, RUN);
}

/** Throws a TypeError for what are not the arguments of `call`. */
export function checkCall(name: unknown, args: unknown, params: unknown): void {
  if (!isString(name)) throw new TypeError(`call: the name must be ${text.what}, not ${kindOf(name)}`);
  if (!isObject(args)) throw new TypeError(`call: the arguments must be ${object.what}, not ${kindOf(args)}`);
  check('call', params, CALL);
}

function check(where: string, given: unknown, kinds: Record<string, Kind>): void {
  if (!isObject(given)) throw new TypeError(`${where} takes an object with ${Object.keys(kinds).join(', ')}, not ${kindOf(given)}`);
  const known = Object.keys(kinds);
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(kinds, name)) continue;
    const meant = nearest(name, known);
    throw new TypeError(`${where} has no member "${name}"; ${meant ? `did you mean "${meant}"?` : `it has ${known.join(', ')}`}`);
  }
  for (const [name, kind] of Object.entries(kinds)) {
    const value = given[name];
    if (value === undefined ? kind.required : !kind.fits(value)) {
      throw new TypeError(`${where}: ${name} must be ${kind.what}, not ${kindOf(value)}`);
    }
  }
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null || value === '') return value === '' ? 'an empty string' : String(value);
  if (typeof value === 'string' || typeof value === 'number') return JSON.stringify(value).slice(0, 100);
  return Array.isArray(value) ? 'a list of something else' : typeof value === 'object' ? 'an object without the right members' : `a ${typeof value}`;
}
