/** Tables of VLANs: the recorded one, with the VLANs that were configured since. Pure. */

const heading = /^VLAN +Name +Status/m;
const most = 4_094;

/** @param lines of the running configuration */
export function withVlans(text: string, lines: readonly string[]): string {
  if (!heading.test(text)) return text;
  const known = new Set([...text.matchAll(/^(\d+) /gm)].map(([, id]) => Number(id)));
  const rows = [...vlansIn(lines)]
    .filter(([id]) => !known.has(id))
    .sort(([a], [b]) => a - b)
    .map(([id, name]) => `${String(id).padEnd(4)} ${name.slice(0, 32).padEnd(32)} active`);
  return [text.trimEnd(), ...rows].join("\n");
}

/** Names by number: `vlan 20`, or `vlan 20,30-32`, and the `name` below it. */
function vlansIn(lines: readonly string[]): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  let ids: readonly number[] = [];
  for (const line of lines) {
    const [, list] = /^vlan ([\d,-]+)$/.exec(line) ?? [];
    const [, name] = /^\s+name (\S+)/.exec(line) ?? [];
    if (list !== undefined) {
      ids = idsOf(list);
      for (const id of ids) if (!found.has(id)) found.set(id, `VLAN${String(id).padStart(4, "0")}`);
    } else if (name !== undefined) for (const id of ids) found.set(id, name);
    else if (!/^\s/.test(line)) ids = [];
  }
  return found;
}

function idsOf(list: string): number[] {
  return list.split(",").flatMap((part) => {
    const [first = 0, last = first] = part.split("-").map(Number);
    const end = Math.min(last, most);
    return Array.from({ length: Math.max(0, end - first + 1) }, (_, at) => first + at);
  });
}
