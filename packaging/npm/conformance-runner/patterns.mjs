// Patterns of the vectors: conformance/INTERPRETING.md says what each holds for.

/** Gives the differences between a value and a pattern, none if it fits; `undefined` is a value that is not there. */
export function differences(pattern, got, vars = new Map(), path = '$') {
  const found = [];
  const differ = (want) => found.push(`${path}: want ${short(want)}, got ${short(got)}`);
  if (isOperators(pattern)) {
    for (const [name, arg] of Object.entries(pattern)) found.push(...operator(name, arg, got, vars, path));
  } else if (Array.isArray(pattern)) {
    if (!Array.isArray(got) || got.length !== pattern.length) differ(pattern);
    else pattern.forEach((p, i) => found.push(...differences(p, got[i], vars, `${path}[${i}]`)));
  } else if (isObject(pattern)) {
    if (!isObject(got)) differ(pattern);
    else for (const [name, p] of Object.entries(pattern)) found.push(...differences(p, got[name], vars, `${path}.${name}`));
  } else if (pattern !== got) differ(pattern);
  return found;
}

/** Puts bound values in the place of `{"$ref": name}`, however deep. */
export function fill(value, vars) {
  if (Array.isArray(value)) return value.map((v) => fill(v, vars));
  if (!isObject(value)) return value;
  if (Object.keys(value).length === 1 && vars.has(value.$ref)) return vars.get(value.$ref);
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, fill(v, vars)]));
}

/** Whether a JSON text comes back the same when it is read and written; a host in this language cannot give it else. */
export function keepsSpelling(text) {
  try {
    return JSON.stringify(JSON.parse(text)) === text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');
  } catch (thrown) {
    if (thrown instanceof RangeError) return false; // nested deeper than JSON.stringify goes
    throw thrown;
  }
}

export function short(value) {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 600 ? `${text.slice(0, 600)}... (${text.length} characters)` : text;
}

export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isOperators(pattern) {
  return isObject(pattern) && Object.keys(pattern).length > 0 && Object.keys(pattern).every((name) => name.startsWith('$'));
}

function operator(name, arg, got, vars, path) {
  const differ = (holds) => (holds ? [] : [`${path}: ${name} ${short(arg)} does not hold for ${short(got)}`]);
  if (name === '$absent') return differ(got === undefined);
  if (got === undefined) return differ(false);
  switch (name) {
    case '$any':
      return [];
    case '$type':
      return differ(kindsOf(got).includes(arg));
    case '$contains':
      return differ(arg.every((part) => holds(part, got, vars)));
    case '$lacks':
      return differ(!arg.some((part) => holds(part, got, vars)));
    case '$match':
      return differ(typeof got === 'string' && expression(arg).test(got));
    case '$json':
      return differ(JSON.stringify(JSON.parse(arg)) === JSON.stringify(got));
    case '$atLeast':
      return differ(typeof got === 'number' && got >= arg);
    case '$atMost':
      return differ(typeof got === 'number' && got <= arg);
    case '$length':
      return differences(arg, isObject(got) ? Object.keys(got).length : got.length, vars, `${path}.length`);
    case '$oneOf':
      return differ(arg.some((choice) => fits(choice, got, vars)));
    case '$all':
      return arg.flatMap((part) => differences(part, got, vars, path));
    case '$only':
      return [...differences(arg, got, vars, path), ...differ(isObject(got) && Object.keys(got).every((k) => k in arg))];
    case '$each':
      return Array.isArray(got) ? got.flatMap((e, i) => differences(arg, e, vars, `${path}[${i}]`)) : differ(false);
    case '$bind':
      vars.set(arg, got);
      return [];
    case '$ref':
      if (!vars.has(arg)) throw new Error(`the pattern at ${path} is wrong: nothing is bound to ${arg}`);
      return differ(JSON.stringify(vars.get(arg)) === JSON.stringify(got));
    default:
      throw new Error(`the pattern at ${path} is wrong: no operator is called ${name}`);
  }
}

function kindsOf(value) {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  if (typeof value === 'number') return Number.isInteger(value) ? ['number', 'integer'] : ['number'];
  return [typeof value];
}

function holds(part, got, vars) {
  if (typeof got === 'string') return typeof part === 'string' && got.includes(part);
  return Array.isArray(got) && got.some((e) => fits(part, e, vars));
}

/** Whether a value fits; names are bound only if it does. */
export function fits(pattern, got, vars) {
  const trial = new Map(vars);
  if (differences(pattern, got, trial).length > 0) return false;
  for (const [k, v] of trial) vars.set(k, v);
  return true;
}

function expression(source) {
  return source.startsWith('(?s)') ? new RegExp(source.slice(4), 'su') : new RegExp(source, 'u');
}
