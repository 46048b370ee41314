/**
 * `bun run bench:configtext`: deltas and differences of a large configuration, and searches over 10,000 of 10 KB in
 * processes, as JSON. CPU time counts the processes too; the longest turn is how long the main thread answered nothing.
 */

import { cpus } from "node:os";
import process from "node:process";
import { ServiceError } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import { createDeadline } from "../../src/base/time/deadline.ts";
import { applyDelta, makeDelta } from "../../src/configtext/delta.ts";
import { countChanges, unified } from "../../src/configtext/diff.ts";
import type { SearchQuery } from "../../src/configtext/search.ts";
import { sideBySide } from "../../src/configtext/side.ts";
import { compareTrees } from "../../src/configtext/structured.ts";
import { createTextWork, type SearchedText } from "../../src/history/text-work.ts";
import type { RunOptions } from "../../src/pool/port.ts";
import { createTemplatePool } from "../../src/pool/template-pool.ts";
import { templateProcessFlag } from "../../src/protocol/message-port.ts";
import type { Task, TaskValues, TemplateTask } from "../../src/protocol/task.ts";
import { spawnChild } from "../../src/runtime/child.ts";
import { packText } from "../../src/runtime/text-pack.ts";
import { configurationOf } from "./configtext/texts.ts";

const devices = Number(process.argv[2] ?? 10_000);
const chars = 10_000;
const maxBytes = 16 * 1024 * 1024;
/** As the service: one process less than it has cores, but two at least. */
const processes = Math.max(2, cpus().length - 1);

const searches: readonly (readonly [name: string, query: SearchQuery])[] = [
  ["substring, no device has it", { q: "10.20.30.4000" }],
  ["substring, a few devices have it", { q: "floor 11 x" }],
  ["substring of any case, every device has it", { q: "Router BGP" }],
  ["^ip route 10\\., every device has 8", { regex: "^ip route 10\\.", caseSensitive: true }],
  ["^ip route 10\\.1\\., one device in 30", { regex: "^ip route 10\\.1\\." }],
  ["no literal: \\d+-99 floor|[5-9]{5}$", { regex: "\\d+-99 floor|[5-9]{5}$" }],
  ["(a+)+$", { regex: "(a+)+$" }],
  ["in a section", { q: "permit tcp host 10.1.", section: "^ip access-list extended" }],
];

const round = (ms: number) => Math.round(ms * 100) / 100;

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** CPU milliseconds of one call, the median of some. */
function costOf(work: () => unknown): number {
  for (let warm = 0; warm < 5; warm++) work();
  const each = Array.from({ length: 15 }, () => {
    const before = cpuMs();
    work();
    return cpuMs() - before;
  });
  return round(each.toSorted((a, b) => a - b)[7] ?? 0);
}

/** Of a configuration of 10,000 lines with seven changed ones. */
function largeText() {
  const large = configurationOf(1, 290_000);
  const lines = large.split("\n");
  for (const at of [9, 2_000, 4_321, 6_000, 9_000]) lines[at] = ` description changed ${at}`;
  lines.splice(7_000, 1);
  lines.splice(8_000, 0, " description new");
  const changed = lines.join("\n");
  const delta = makeDelta(large, changed) ?? "";
  return {
    lines: lines.length,
    chars: large.length,
    delta_chars: delta.length,
    make_delta_ms: costOf(() => makeDelta(large, changed)),
    apply_delta_ms: costOf(() => applyDelta(large, delta)),
    count_ms: costOf(() => countChanges(large, changed)),
    unified_ms: costOf(() => unified(large, changed, { from: "a", to: "b" })),
    side_ms: costOf(() => sideBySide(large, changed)),
    structured_ms: costOf(() => compareTrees(large, changed)),
  };
}

/** Longest time between two timers of a millisecond. */
function watchTurns(): () => number {
  let [longest, last, isOver] = [0, performance.now(), false];
  const turn = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setTimeout(turn, 1);
  };
  turn();
  return () => {
    isOver = true;
    return longest;
  };
}

async function searchAll() {
  const stored: SearchedText<number>[] = Array.from({ length: devices }, (_, of) => ({
    of,
    body: packText(configurationOf(of, chars)),
  }));
  let childMs = 0;
  const templates = createTemplatePool({
    spawn: () => spawnChild("src/main.ts", [templateProcessFlag]),
    processes,
    settings: workerSettings,
    log: silentLog,
    limitMs: 5_000,
    memoryBytes: 512 * 1024 * 1024,
  });
  const run = <T extends Task>(task: T, options: RunOptions): Promise<TaskValues[T["kind"]]> =>
    templates.run(task as T & TemplateTask, { ...options, onSpent: (ms) => (childMs += ms) });
  const work = createTextWork({ run }, maxBytes);
  const deadline = createDeadline(600_000, () => new ServiceError("JobTimeout", "The bench took too long."));
  const search = async (query: SearchQuery) => {
    let [texts, lines] = [0, 0];
    for await (const { total } of work.search(query, stored, { deadline, maxHits: 1_000 })) {
      texts++;
      lines += total;
    }
    return { texts, lines };
  };
  const results = [];
  for (const [name, query] of searches) {
    // The first one starts the processes and compiles.
    await search(query);
    childMs = 0;
    const [startedAt, before, longestTurn] = [performance.now(), cpuMs(), watchTurns()];
    const found = await search(query);
    const wallMs = performance.now() - startedAt;
    const mainMs = cpuMs() - before;
    results.push({
      search: name,
      ...found,
      wall_ms: round(wallMs),
      cpu_ms: round(mainMs + childMs),
      processes_cpu_ms: round(childMs),
      longest_turn_ms: round(longestTurn()),
    });
  }
  deadline.dispose();
  templates.close();
  const bytes = stored.reduce((sum, { body }) => sum + body.length, 0);
  return { devices, packed_mb: round(bytes / 1e6), processes, searches: results };
}

const workerSettings = {
  plugins: [],
  templateRoots: [],
  transferRoots: [],
  keyRoots: [],
  knownHosts: [],
  libraryRoot: "",
  urlAllow: [],
  urlDeny: [],
  sessionIdleMs: 60_000,
  sessionAgeMs: 60_000,
  maxSessions: 0,
  logLevel: "silent",
};

console.log(JSON.stringify({ bench: "configtext", large: largeText(), search: await searchAll() }, null, 2));
process.exit(0);
