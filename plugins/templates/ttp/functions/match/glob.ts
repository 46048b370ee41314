/** Shell patterns as in Python's fnmatch. */

export function globMatches(text: string, pattern: string): boolean {
  return globRegExp(pattern).test(text);
}

function globRegExp(pattern: string): RegExp {
  let source = "";
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at] ?? "";
    if (char === "*") source += source.endsWith("[^]*") ? "" : "[^]*";
    else if (char === "?") source += "[^]";
    else if (char === "[") {
      const end = closing(pattern, at + 1);
      if (end < 0) source += "\\[";
      else {
        source += classOf(pattern.slice(at + 1, end));
        at = end;
      }
    } else source += char.replace(/[\\^$.|+(){}\]/-]/, "\\$&");
  }
  return new RegExp(`^(?:${source})$`);
}

function closing(pattern: string, from: number): number {
  let at = from;
  if (pattern[at] === "!") at++;
  if (pattern[at] === "]") at++;
  return pattern.indexOf("]", at);
}

function classOf(body: string): string {
  const negated = body.startsWith("!");
  const inside = (negated ? body.slice(1) : body).replace(/[\\\][^]/g, "\\$&");
  if (
    /(.)-(.)/.test(inside) &&
    inside
      .replace(/\\/g, "")
      .match(/(.)-(.)/g)
      ?.some((range) => (range[0] ?? "") > (range[2] ?? ""))
  )
    return "(?!)";
  return `[${negated ? "^" : ""}${inside}]`;
}
