/** The order of names: `sw2` before `sw10`. */
const collator = new Intl.Collator("en", { numeric: true });

export const byName = (a: string, b: string): number => collator.compare(a, b);
