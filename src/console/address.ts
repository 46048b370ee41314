/** Addresses of pages: `#/job/1`. */

/** A URL of the console, for `href`. */
export function to(
  steps: readonly string[],
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) search.set(name, value);
  const text = search.toString();
  return `#/${steps.map(encodeURIComponent).join("/")}${text === "" ? "" : `?${text}`}`;
}
