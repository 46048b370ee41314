/** Records keyed by names from devices. */

/** The entry of a name, created if missing. Names such as `constructor` are safe. */
export function slot<T>(record: Record<string, T>, name: string, make: () => NoInfer<T>): T {
  const known = Object.hasOwn(record, name) ? record[name] : undefined;
  if (known !== undefined) return known;
  const made = make();
  record[name] = made;
  return made;
}
