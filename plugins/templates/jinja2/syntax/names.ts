/** Builds lookup tables from text to space-separated names. */
export function byName(namesByText: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(namesByText).flatMap(([text, names]) =>
      names.split(" ").map((name) => [name, text] as const),
    ),
  );
}
