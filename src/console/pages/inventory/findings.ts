/** Findings of a discovery: which devices to poll next, and what can be saved. */

import type { Entry } from "../../shapes/inventory.ts";
import type { JobRow } from "../../shapes/shapes.ts";

/** The findings about a device, and how often they were polled. */
export interface Finding {
  readonly entry: Entry | undefined;
  readonly asked: number;
}
export type Findings = ReadonlyMap<string, Finding>;

/** Results are stored a moment after the job: after this many polls there is none. */
const maxAsked = 60;
/** Characters of a selector, whose limit is 4,096; values, whose limit is 500. */
const limits = { chars: 3_500, names: 200 };

/** Devices whose job has finished and that have no result since; least polled first. */
export function openNames(rows: readonly JobRow[], findings: Findings): string[] {
  const open = rows.flatMap((row) => {
    if (row.status !== "finished" || row.device === undefined) return [];
    const { entry, asked } = findings.get(row.device) ?? { entry: undefined, asked: 0 };
    return asked >= maxAsked || isOf(row, entry) ? [] : [{ name: row.device, asked }];
  });
  return open.sort((a, b) => a.asked - b.asked).map(({ name }) => name);
}

/** Whether the result is from that job, not from before. */
function isOf({ created_at }: JobRow, entry: Entry | undefined): boolean {
  const at = entry?.facts?.discovered_at;
  return typeof at === "string" && Date.parse(at) >= Date.parse(created_at);
}

/** As many devices as fit in one selector; includes disabled ones. */
export function selectorOf(names: readonly string[]): { readonly names: readonly string[]; select: string } {
  const chosen: string[] = [];
  let chars = 0;
  for (const name of names.slice(0, limits.names)) {
    chars += name.length + 3;
    if (chars > limits.chars) break;
    chosen.push(name);
  }
  const values = chosen.map((name) => `"${name}"`).join(",");
  return { names: chosen, select: `name:${values} enabled:*` };
}

/** Names are case-insensitive. */
export function withAnswers(before: Findings, names: readonly string[], entries: readonly Entry[]): Findings {
  const byName = new Map(entries.map((entry) => [entry.name.toLowerCase(), entry]));
  const after = new Map(before);
  for (const name of names) {
    const entry = byName.get(name.toLowerCase()) ?? before.get(name)?.entry;
    after.set(name, { entry, asked: (before.get(name)?.asked ?? 0) + 1 });
  }
  return after;
}

/** The detected platform, if none is set. */
export function proposedPlatform({ platform, facts }: Entry): string | undefined {
  const platformFact = facts?.platform;
  const isOpen = !platform || /^autodetect/i.test(platform);
  return isOpen && typeof platformFact === "string" ? platformFact : undefined;
}
