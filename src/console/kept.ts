/**
 * What this browser keeps between visits. Its storage may be full, or forbidden to the page: then it is kept as long as
 * the page is open.
 */
const ofThisPage = new Map<string, string | undefined>();

export function kept(name: string): string | undefined {
  if (ofThisPage.has(name)) return ofThisPage.get(name);
  try {
    return localStorage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** @param value undefined: forgotten */
export function keep(name: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
    ofThisPage.delete(name);
  } catch {
    ofThisPage.set(name, value);
  }
}
