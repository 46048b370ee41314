/** The vault paths that requests may name. */

/** @param patterns `*` matches one path segment, `**` any number of them */
export function isAllowed(path: string, patterns: readonly string[]): boolean {
  const steps = path.split("/");
  return patterns.some((pattern) => fits(steps, pattern.split("/")));
}

function fits(steps: readonly string[], pattern: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return steps.length === 0;
  if (first === "**") return rest.length === 0 || steps.some((_, at) => fits(steps.slice(at), rest));
  return steps.length > 0 && (first === "*" || first === steps[0]) && fits(steps.slice(1), rest);
}
