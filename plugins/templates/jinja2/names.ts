/** Tables that say something of many names: what is said, and the names with blanks between them. */
export function byName(said: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(said).flatMap(([text, names]) => names.split(" ").map((name) => [name, text] as const)),
  );
}
