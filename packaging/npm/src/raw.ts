/**
 * rawMember gives the text of the member at `path` in a JSON text that JSON.parse has accepted, byte for byte, or
 * undefined. JSON.parse moves integer-like keys to the front and rounds large numbers; this does neither. Of a
 * repeated key the last one counts, as for JSON.parse.
 */
export function rawMember(text: string, path: string[]): string | undefined {
  let [from, to] = [0, text.length];
  for (const key of path) {
    const span = memberSpan(text, skipSpace(text, from), key);
    if (!span) return undefined;
    [from, to] = span;
  }
  return text.slice(from, to);
}

function memberSpan(text: string, at: number, key: string): [number, number] | undefined {
  if (text[at] !== '{') return undefined;
  let found: [number, number] | undefined;
  at = skipSpace(text, at + 1);
  while (text[at] === '"') {
    const end = skipValue(text, at);
    const name = JSON.parse(text.slice(at, end));
    const from = skipSpace(text, skipSpace(text, end) + 1);
    const to = skipValue(text, from);
    if (name === key) found = [from, to];
    at = skipSpace(text, to);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return found;
}

function skipSpace(text: string, at: number): number {
  while (at < text.length && ' \t\n\r'.includes(text[at]!)) at++;
  return at;
}

// The text is known to be valid, so that counting brackets outside strings is enough.
function skipValue(text: string, at: number): number {
  if (text[at] === '"') return skipString(text, at);
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    const c = text[i]!;
    if (c === '"') i = skipString(text, i) - 1;
    else if (c === '{' || c === '[') depth++;
    else if ((c === '}' || c === ']') && --depth <= 0) return depth < 0 ? i : i + 1;
    else if (depth === 0 && ', \t\n\r'.includes(c)) return i;
  }
  return text.length;
}

function skipString(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"') return i + 1;
  }
  return text.length;
}
