/** Formats the number of changes of an import or a sync. */
type Count = number | null;

interface Counts {
  readonly added: Count;
  readonly changed: Count;
  readonly removed: Count;
  readonly unchanged: Count;
}

const names = ["added", "changed", "removed", "unchanged"] as const;

/** Unknown counts, such as of a source that did not answer, are left out. */
export function countsOf(counts: Counts): string {
  const counted = names.filter((name) => counts[name] !== null);
  return counted.map((name) => `${counts[name]} ${name}`).join(", ");
}
