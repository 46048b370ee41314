/** Where a browser goes after a sign-in. */

const maxLength = 2_000;

/**
 * A place of the console: `/`, or `/#/…` in printable ASCII. Its fragment is all that may be chosen, so no spelling leads
 * to another host. Anything else becomes `/`.
 */
export function returnPathOf(asked: string | null): string {
  return asked !== null && asked.length <= maxLength && /^\/#\/[\x21-\x7e]*$/.test(asked) ? asked : "/";
}
