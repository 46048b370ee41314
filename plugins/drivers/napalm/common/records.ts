/** Records by names that devices give. */

/** What stands under a name; made where nothing does. A name such as `constructor` is one like any other. */
export function slot<T>(record: Record<string, T>, name: string, make: () => NoInfer<T>): T {
  const known = Object.hasOwn(record, name) ? record[name] : undefined;
  if (known !== undefined) return known;
  const made = make();
  record[name] = made;
  return made;
}
