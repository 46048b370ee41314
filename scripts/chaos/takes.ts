/** Kills a node that reads configurations which change: each version is stored exactly once, and Git has the same ids. */
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { versionRecord } from "../../src/api/history/history.ts";
import type { Simulator } from "../../src/testkit/simulator/simulator.ts";
import { must } from "./ask.ts";
import { type KillOptions, type KillOutcome, nameAt, runKills } from "./kills.ts";
import { apiKey, type ChaosNode } from "./node.ts";
import type { Random } from "./random.ts";

export interface TakesReport {
  readonly killed: number;
  readonly jobs: number;
  /** Readings that a kill has cut off, or lost before they were stored. */
  readonly interrupted: number;
  readonly versions: number;
  /** The newest commit of all versions. */
  readonly head: string;
  readonly breaches: readonly string[];
}

const job = v.object({ id: v.string(), device: v.optional(v.string()), status: v.string() });
const taken = v.object({
  result: v.object({ retval: v.object({ running: v.object({ sha256: v.string() }) }) }),
});

const isReading = (line: string) => line.trim().startsWith("show running-config");

export function runTakes(options: KillOptions): Promise<TakesReport> {
  const journals = new Map<Simulator, readonly string[]>();
  return runKills(options, {
    name: "takes",
    platform: "arista_eos",
    started: (simulator, random) => void journals.set(simulator, changing(simulator, random)),
    request: () => ({
      path: "/history/take",
      body: { select: "tag:lab", parts: ["running"] },
      // An export that is killed with the node must not change what a later one writes.
      beside: "/history/export.bundle",
    }),
    isOfBulk: isReading,
    judge: (outcome) => judge(outcome, journals),
  });
}

/**
 * Changes the configuration each second time or so that the device shows it.
 * @returns marks of the texts that it has shown, oldest first, each once
 */
function changing({ device: { configuration, hostname } }: Simulator, random: Random): readonly string[] {
  const lines = configuration.lines;
  const journal: string[] = [];
  const change = () => {
    const mark = `revision-${hostname}-${journal.length}-end`;
    configuration.add([], `no snmp-server location`);
    configuration.add([], `snmp-server location ${mark}`);
    journal.push(mark);
  };
  change();
  configuration.lines = () => {
    if (random.chance(0.6)) change();
    return lines();
  };
  return journal;
}

async function judge(
  { node, folder, simulators, bulks }: KillOutcome,
  journals: ReadonlyMap<Simulator, readonly string[]>,
): Promise<Omit<TakesReport, "killed">> {
  const breaches: string[] = [];
  const finished = new Map<string, string>();
  let jobs = 0;
  for (const id of bulks) {
    const all = v.parse(v.array(job), (await must(node, "GET", `/job?bulk_id=${id}&limit=500`)).data);
    jobs += all.length;
    if (all.length !== simulators.length) breaches.push(`the bulk ${id} has ${all.length} jobs`);
    for (const { id, device, status } of all) {
      if (status === "finished") finished.set(id, device ?? "");
      else breaches.push(`the take ${id} of ${device} has ended as ${status}`);
    }
  }
  let versions = 0;
  const latest = new Map<string, string>();
  for (const [place, simulator] of simulators.entries()) {
    const name = nameAt(place);
    const stored = (await versionsOf(node, name)).toReversed();
    versions += stored.length;
    breaches.push(...faultsIn(name, stored, finished));
    let before = -1;
    for (const { version } of stored) {
      const text = await textOf(node, name, String(version));
      const at = journals.get(simulator)?.indexOf(/revision-\S+-end/.exec(text)?.[0] ?? "") ?? -1;
      if (at <= before) breaches.push(`${name} version ${version} is revision ${at} after ${before}`);
      before = at;
      latest.set(name, text);
    }
    const hashes = new Set(stored.map(({ sha256 }) => sha256));
    for (const [id] of [...finished].filter(([, device]) => device === name)) {
      const [read] = v.parse(v.array(taken), (await must(node, "GET", `/job?id=${id}`)).data);
      if (!hashes.has(read?.result.retval.running.sha256 ?? ""))
        breaches.push(`what ${id} has read of ${name} is not stored`);
    }
  }
  const { head, faults } = await exportAgain(node, folder, versions, latest);
  const readings = simulators.flatMap(({ entered }) => entered.filter(({ line }) => isReading(line))).length;
  const interrupted = readings - finished.size;
  return { jobs, interrupted, versions, head, breaches: [...breaches, ...faults] };
}

/** Versions without gaps, none doubled, each of a take that has finished. */
function faultsIn(
  name: string,
  stored: readonly v.InferOutput<typeof versionRecord>[],
  finished: ReadonlyMap<string, string>,
): string[] {
  const faults: string[] = [];
  for (const [at, { version, state, job_id }] of stored.entries()) {
    if (version !== at + 1) faults.push(`${name} has version ${version} in place of ${at + 1}`);
    if (state !== "good") faults.push(`${name} version ${version} is ${state}`);
    if (finished.get(job_id ?? "") !== name)
      faults.push(`${name} version ${version} is of ${job_id}, which has not finished`);
  }
  for (const column of ["sha256", "job_id"] as const)
    if (new Set(stored.map((version) => version[column])).size !== stored.length)
      faults.push(`${name} has two versions of one ${column}`);
  return faults;
}

/** The repository that the kills left, and one made of the store alone: equal, and equal to the store. */
async function exportAgain(
  node: ChaosNode,
  folder: string,
  versions: number,
  latest: ReadonlyMap<string, string>,
): Promise<{ head: string; faults: string[] }> {
  const kept = await cloneOf(node, join(folder, "kept"));
  await node.stop();
  rmSync(join(folder, node.name, "history"), { recursive: true });
  node.spawn();
  await node.up();
  const made = await cloneOf(node, join(folder, "made"));
  const faults: string[] = [];
  if (kept.head !== made.head) faults.push(`the export made again has ${made.head} for ${kept.head}`);
  if (made.commits !== versions) faults.push(`${made.commits} commits of ${versions} versions`);
  for (const [name, text] of latest)
    if (made.read(`default/${name}`) !== text) faults.push(`Git has another text of ${name}`);
  return { head: made.head, faults };
}

async function cloneOf(node: ChaosNode, path: string) {
  const answer = await fetch(`${node.url}/history/export.bundle`, { headers: { "X-API-KEY": apiKey } });
  if (!answer.ok) throw new Error(`GET /history/export.bundle: ${answer.status} ${await answer.text()}`);
  writeFileSync(`${path}.bundle`, new Uint8Array(await answer.arrayBuffer()));
  const git = (...args: string[]) => execFileSync("git", args, { encoding: "utf8", stdio: "pipe" });
  git("clone", "--quiet", "--bare", `${path}.bundle`, path);
  return {
    head: git("-C", path, "rev-parse", "main").trim(),
    commits: Number(git("-C", path, "rev-list", "--count", "main")),
    read: (file: string) => git("-C", path, "show", `main:${file}`),
  };
}

async function versionsOf(node: ChaosNode, name: string) {
  const { data } = await must(node, "GET", `/history/device/${name}?limit=500`);
  return v.parse(v.array(versionRecord), data);
}

async function textOf(node: ChaosNode, name: string, version: string): Promise<string> {
  const { data } = await must(node, "GET", `/history/device/${name}/${version}`);
  return v.parse(v.object({ text: v.string() }), data).text;
}
