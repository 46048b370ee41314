/** Aggregates the profiles written by recorder.ts: CPU time by process, part and function. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";

/** Maps files to parts of a job's path; the first match wins. */
interface Part {
  readonly name: string;
  readonly files: RegExp;
}

export const parts: readonly Part[] = [
  {
    name: "answer",
    files: /src\/(http\/(send-answer|respond|export-)|jobs\/(record|query|bulk\/bulk-query))/,
  },
  { name: "HTTP and keys", files: /src\/(http|auth|runtime\/net\/serve|limits\/admission)/ },
  { name: "seal", files: /src\/store\/(cipher|libsql\/database\/seals)/ },
  { name: "insert", files: /src\/store\/libsql\/(.*\/)?insert/ },
  {
    name: "claim",
    files:
      /src\/(store\/libsql\/(.*\/)?(claims|home)|dispatch\/(dispatcher|lanes|node\/peers)|limits\/share-tree)/,
  },
  {
    name: "settle",
    files: /src\/(store\/libsql\/(.*\/)?(settlements|kept)|dispatch\/(finish|result|outcome))/,
  },
  { name: "store", files: /src\/store/ },
  { name: "checks of a request", files: /src\/(jobs|api|registry|inventory|limits|checks)/ },
  { name: "attempt", files: /src\/dispatch/ },
  { name: "thread hop", files: /src\/(pool|protocol|runtime)/ },
  { name: "SSH", files: /src\/device\/ssh/ },
  { name: "terminal", files: /src\/device\/cli/ },
  { name: "task", files: /src\/executor/ },
  { name: "driver", files: /plugins\/(drivers|platforms)/ },
  { name: "templates", files: /plugins\/templates/ },
  { name: "events, schedules, metrics", files: /src\/(events|schedules|metrics|tracing)/ },
  { name: "simulated device", files: /src\/testkit\/simulator/ },
  { name: "the profiler", files: /scripts\/profile/ },
  { name: "bench itself", files: /scripts\// },
  { name: "what all rooms use", files: /src\/base/ },
  { name: "other code", files: /\/(src|plugins|migrations)\// },
];

function partOf(url: string): string | undefined {
  return parts.find(({ files }) => files.test(url))?.name;
}

const frame = v.object({ functionName: v.string(), url: v.string(), lineNumber: v.number() });
const node = v.object({ id: v.number(), callFrame: frame, children: v.optional(v.array(v.number())) });
const profile = v.object({
  nodes: v.array(node),
  samples: v.array(v.number()),
  timeDeltas: v.array(v.number()),
});
const piece = v.object({
  title: v.string(),
  args: v.string(),
  made: v.record(v.string(), v.number()),
  profile: v.optional(profile),
});
export type Piece = v.InferOutput<typeof piece>;
type Node = v.InferOutput<typeof node>;

export interface ProcessTable {
  readonly process: string;
  /** Milliseconds of JavaScript, including native code called from it. */
  readonly ms: number;
  readonly parts: Readonly<Record<string, number>>;
  readonly functions: Readonly<Record<string, number>>;
  /** Objects by type, fewer than were allocated: those collected within a second are not seen. */
  readonly objects: Readonly<Record<string, number>>;
}

/** Waiting threads are not sampled, so a longer gap is idle time. */
const maxSampleUs = 5_000;
const shown = 25;

/** @returns a table for each kind of process and thread, the busiest first */
export function readProfiles(folder: string): ProcessTable[] {
  const pieces = readdirSync(folder).map((file) =>
    v.parse(piece, JSON.parse(readFileSync(join(folder, file), "utf8"))),
  );
  return tables(pieces);
}

export function tables(pieces: readonly Piece[]): ProcessTable[] {
  const kinds = Map.groupBy(pieces, ({ title, args }) => kindOf(title, args));
  return [...kinds].map(([process, own]) => table(process, own)).sort((a, b) => b.ms - a.ms);
}

function kindOf(title: string, args: string): string {
  if (title === "thread") return "device threads";
  if (title === "main.ts")
    return args.startsWith("serve") ? "service, main thread" : `service, ${args.split(" ")[0]}`;
  return title;
}

function table(process: string, pieces: readonly Piece[]): ProcessTable {
  const parts = new Map<string, number>();
  const functions = new Map<string, number>();
  const objects = new Map<string, number>();
  let ms = 0;
  for (const { profile, made } of pieces) {
    for (const [type, count] of Object.entries(made)) add(objects, type, count);
    if (profile === undefined) continue;
    const where = placesOf(profile.nodes);
    profile.samples.forEach((id, at) => {
      const took = Math.min(profile.timeDeltas[at] ?? 0, maxSampleUs) / 1000;
      const place = where.get(id);
      if (place === undefined) return;
      ms += took;
      add(parts, place.part, took);
      add(functions, place.function, took);
    });
  }
  return {
    process,
    ms: Math.round(ms),
    parts: most(parts),
    functions: most(functions),
    objects: most(objects),
  };
}

/** Time in libraries and the runtime counts for the part that called them. */
function placesOf(nodes: readonly Node[]): Map<number, { part: string; function: string }> {
  const parents = new Map<number, Node>();
  for (const parent of nodes) for (const child of parent.children ?? []) parents.set(child, parent);
  const partFrom = (from: Node): string => {
    for (let at: Node | undefined = from; at !== undefined; at = parents.get(at.id)) {
      const own = at.callFrame.url.includes("node_modules") ? undefined : partOf(at.callFrame.url);
      if (own !== undefined) return own;
    }
    return "runtime";
  };
  return new Map(nodes.map((one) => [one.id, { part: partFrom(one), function: nameOf(one) }]));
}

function nameOf({ callFrame: { functionName, url, lineNumber } }: Node): string {
  const file = url.replace(/^.*\/(?=(?:src|plugins|scripts|node_modules)\/)/, "");
  return file === ""
    ? functionName || "(native)"
    : `${functionName || "(anonymous)"} ${file}:${lineNumber + 1}`;
}

function add(counts: Map<string, number>, name: string, more: number): void {
  counts.set(name, (counts.get(name) ?? 0) + more);
}

function most(counts: ReadonlyMap<string, number>): Record<string, number> {
  const sorted = [...counts].sort(([, a], [, b]) => b - a).slice(0, shown);
  return Object.fromEntries(sorted.map(([name, count]) => [name, Math.round(count * 10) / 10]));
}
