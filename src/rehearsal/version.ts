/**
 * The major version in the words of a device: `15` of `15.2(7)E3`. Below 5 the second number counts too, as those systems
 * count so: `4.28` of `4.28.1F`. Undefined: there is none.
 */
export function majorOf(version: string | undefined): string | undefined {
  const [, first, second] = /(?<![\d.])(\d{1,4})(?:\.(\d{1,4}))?/.exec(version ?? "") ?? [];
  if (first === undefined) return undefined;
  return Number(first) < 5 && second !== undefined
    ? `${Number(first)}.${Number(second)}`
    : String(Number(first));
}
