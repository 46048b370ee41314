/** OpenSSH pattern lists, as in known_hosts and after `Host` in ssh_config. */

/** `*` matches any text, `?` any character; if a pattern negated with `!` matches, the whole list does not. */
export function fitsPatterns(text: string, patterns: readonly string[]): boolean {
  let fits = false;
  for (const pattern of patterns) {
    const isNegated = pattern.startsWith("!");
    if (!fitsPattern(text, isNegated ? pattern.slice(1) : pattern)) continue;
    if (isNegated) return false;
    fits = true;
  }
  return fits;
}

/** Backtracks to the last star only: at most the product of both lengths. */
function fitsPattern(text: string, pattern: string): boolean {
  let at = 0;
  let inPattern = 0;
  let star = -1;
  let starredTo = 0;
  while (at < text.length) {
    const expected = pattern[inPattern];
    if (expected === "*") {
      star = inPattern++;
      starredTo = at;
    } else if (expected === "?" || expected === text[at]) {
      inPattern++;
      at++;
    } else if (star >= 0) {
      inPattern = star + 1;
      at = ++starredTo;
    } else return false;
  }
  while (pattern[inPattern] === "*") inPattern++;
  return inPattern === pattern.length;
}
