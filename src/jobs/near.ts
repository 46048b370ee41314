/** Names that a mistyped one may have meant. */

const shown = 5;

export function nearNames(wanted: string, names: readonly string[]): string[] {
  const word = wanted.toLowerCase().slice(0, 64);
  const limit = Math.max(2, Math.floor(word.length / 3));
  return names
    .map((name) => ({ name, far: related(word, name) ? 1 : distance(word, name.toLowerCase()) }))
    .filter(({ far }) => far <= limit)
    .sort((a, b) => a.far - b.far || a.name.localeCompare(b.name))
    .slice(0, shown)
    .map(({ name }) => name);
}

function related(word: string, name: string): boolean {
  return word.length >= 3 && (name.startsWith(word) || word.startsWith(name));
}

/** Letters to insert, remove or replace. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

export function suggestion(wanted: string, names: readonly string[]): string {
  const near = nearNames(wanted, names);
  if (near.length > 0) return ` Did you mean ${near.join(", ")}?`;
  return names.length > 0 && names.length <= 12 ? ` Known: ${names.join(", ")}.` : "";
}
