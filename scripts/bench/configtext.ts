/**
 * `bun run bench:configtext`: deltas, differences and remediation of a large configuration, and searches over 10,000 of
 * 10 KB in processes, as JSON. CPU time counts the processes too; the longest turn is how long the main thread answered nothing.
 */

import process from "node:process";
import { iosRunning } from "../../plugins/platforms/family/running.ts";
import { ServiceError } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import { createDeadline } from "../../src/base/time/deadline.ts";
import { applyDelta, makeDelta } from "../../src/configtext/delta.ts";
import { countChanges, unified } from "../../src/configtext/diff.ts";
import type { SearchQuery } from "../../src/configtext/search.ts";
import { sideBySide } from "../../src/configtext/side.ts";
import { apply } from "../../src/configtree/apply.ts";
import { compareTrees } from "../../src/configtree/compare.ts";
import { remediate } from "../../src/configtree/remediate.ts";
import { createTextSearch } from "../../src/history/reading/text-search.ts";
import { type RunOptions, searchShards } from "../../src/pool/port.ts";
import { createTemplatePool, withSearches } from "../../src/pool/template-pool.ts";
import { templateProcessFlag } from "../../src/protocol/message-port.ts";
import type { Task, TaskValues, TemplateTask } from "../../src/protocol/task.ts";
import { spawnChild } from "../../src/runtime/child.ts";
import { packText } from "../../src/runtime/text-pack.ts";
import { configurationOf } from "./configtext/texts.ts";

const devices = Number(process.argv[2] ?? 10_000);
const chars = 10_000;

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

/** Two configurations of 15,000 lines as trees, and the lines from one to the other: the first time, and warm. */
function remediation() {
  const from = configurationOf(1, 367_000);
  const to = from
    .split("\n")
    .map((line, at) => (at % 100 === 0 && line.startsWith(" description") ? `${line} new` : line))
    .join("\n");
  const before = cpuMs();
  const { lines } = remediate(from, to, iosRunning);
  const first = round(cpuMs() - before);
  return {
    ...{ lines: from.split("\n").length, remediation_lines: lines.length, remediate_first_ms: first },
    remediate_ms: costOf(() => remediate(from, to, iosRunning)),
    apply_ms: costOf(() => apply(from, lines, iosRunning)),
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
  const bodies = Array.from({ length: devices }, (_, device) => ({
    ...{ id: String(device), base: null },
    body: packText(configurationOf(device, chars)),
  }));
  const versions = bodies.map(({ id }, device) => ({ device, n: device, textId: id, bytes: chars }));
  const history = { bodies: async (ids: readonly string[]) => ids.flatMap((id) => bodies[Number(id)] ?? []) };
  let childMs = 0;
  const pools = Array.from({ length: searchShards }, () =>
    createTemplatePool({
      spawn: () => spawnChild("src/main.ts", [templateProcessFlag]),
      processes: 1,
      settings: { ...workerSettings, keptTextBytes: 128 * 1024 * 1024 },
      log: silentLog,
      limitMs: 5_000,
      memoryBytes: 512 * 1024 * 1024,
    }),
  );
  const [first] = pools;
  if (first === undefined) throw new Error("there is no pool");
  const templates = withSearches(first, pools);
  const run = <T extends Task>(task: T, options: RunOptions): Promise<TaskValues[T["kind"]]> =>
    templates.run(task as T & TemplateTask, { ...options, onSpent: (ms) => (childMs += ms) });
  const textSearch = createTextSearch({ run }, { history });
  const deadline = createDeadline(600_000, () => new ServiceError("JobTimeout", "The bench took too long."));
  async function* all() {
    yield versions;
  }
  const search = async (query: SearchQuery) => {
    let [texts, lines] = [0, 0];
    const options = { deadline, key: "bench", maxHits: 1_000, maxFound: devices };
    for await (const { total } of textSearch.newest(query, all(), options)) {
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
  const bytes = bodies.reduce((sum, { body }) => sum + body.length, 0);
  return { devices, packed_mb: round(bytes / 1e6), processes: searchShards, searches: results };
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

const figures = { remediation: remediation(), large: largeText(), search: await searchAll() };
console.log(JSON.stringify({ bench: "configtext", ...figures }, null, 2));
process.exit(0);
