/** The first line of a request as people read it in lists. */

/** What clients of Netmiko send for the version query of a platform. */
const factsMarker = "__FACTS__";
const maxChars = 200;

/** @param line as in a record; a template context is JSON there, cut at 200 characters */
export function requestLine(line: string): string {
  if (line === factsMarker) return "device facts (the platform's version command)";
  if (!/^\{\s*"/.test(line)) return line;
  const members = membersOf(line);
  return `template with ${members === undefined ? `variables ${line}` : members || "no variables"}`;
}

/** `id=7, name=users`; undefined if it was cut. */
function membersOf(json: string): string | undefined {
  try {
    const value: unknown = JSON.parse(json);
    const entries = Object.entries(typeof value === "object" && value !== null ? value : {});
    const text = entries.map(([name, member]) => `${name}=${plain(member)}`).join(", ");
    return text.length > maxChars ? `${text.slice(0, maxChars)}…` : text;
  } catch {
    return undefined;
  }
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
