/** How much an import or a sync changed, in words. */
type Count = number | null;

interface Counts {
  readonly added: Count;
  readonly changed: Count;
  readonly removed: Count;
  readonly unchanged: Count;
}

const names = ["added", "changed", "removed", "unchanged"] as const;

/** What is not known, such as of a source that did not answer, is left out. */
export function countsOf(counts: Counts): string {
  const known = names.filter((name) => counts[name] !== null);
  return known.map((name) => `${counts[name]} ${name}`).join(", ");
}
