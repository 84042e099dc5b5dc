/** Whether a list of exact names and prefixes ending in `*` hits the name. */
export function excluded(name: string, patterns: string[]): boolean {
  return patterns.some((p) => (p.endsWith('*') ? name.startsWith(p.slice(0, -1)) : p === name));
}

/**
 * The known name that a misspelt one most likely means: letter case aside, about a third of its characters may be
 * missing, added, wrong or swapped with their neighbour, or it may be the beginning of the name. undefined if none is
 * near.
 */
export function nearest(name: string, known: string[]): string | undefined {
  const given = name.toLowerCase();
  let best: string | undefined;
  let fewest = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const k of known) {
    const short = given.length >= 3 && k.toLowerCase().startsWith(given);
    const n = short ? 1 : edits(given, k.toLowerCase());
    if (n < fewest) [best, fewest] = [k, n];
  }
  return best;
}

function edits(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 0; i < a.length; i++) {
    const row = [i + 1];
    for (let j = 0; j < b.length; j++) {
      let n = Math.min(last[j]! + (a[i] === b[j] ? 0 : 1), last[j + 1]! + 1, row[j]! + 1);
      if (i > 0 && a[i] === b[j - 1] && a[i - 1] === b[j]) n = Math.min(n, before[j - 1]! + 1);
      row.push(n);
    }
    [before, last] = [last, row];
  }
  return last[b.length]!;
}
