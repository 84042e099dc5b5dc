/** Whether a list of exact names and prefixes ending in `*` hits the name. */
export function excluded(name: string, patterns: string[]): boolean {
  return patterns.some((p) => (p.endsWith('*') ? name.startsWith(p.slice(0, -1)) : p === name));
}
