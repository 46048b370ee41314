/** Records keyed by names from devices. */

/** The entry of a name, created if missing. Names such as `constructor` are safe. */
export function slot<T>(record: Record<string, T>, name: string, make: () => NoInfer<T>): T {
  const existing = Object.hasOwn(record, name) ? record[name] : undefined;
  if (existing !== undefined) return existing;
  const created = make();
  record[name] = created;
  return created;
}
