/** Kills a node that reads configurations which change: each version is stored exactly once, and Git has the same ids. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { builtins } from "../../plugins/index.ts";
import { versionRecord } from "../../src/api/history.ts";
import { pause } from "../../src/base/time/deadline.ts";
import { createRegistry } from "../../src/registry/registry.ts";
import { type Simulator, startSimulator } from "../../src/testkit/simulator/simulator.ts";
import { ask, must } from "./ask.ts";
import { apiKey, type ChaosNode, createNode } from "./node.ts";
import { createRandom, type Random } from "./random.ts";

export interface TakesOptions {
  readonly devices: number;
  /** Each during a take of all devices. */
  readonly kills: number;
  readonly seed: number;
  /** Path of the compiled binary; default: the source. */
  readonly binary?: string | undefined;
}

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

interface Watched {
  readonly name: string;
  readonly simulator: Simulator;
  /** Marks of the texts that it has shown, oldest first, each once. */
  readonly journal: readonly string[];
}

const login = { username: "chaos", password: "chaos-password-1", secret: "chaos-enable-1" };
const platform = "arista_eos";
const limitMs = 300_000;
/** A kill comes when some devices have been read, at most this long after. */
const killWithinMs = 80;
const readWithinMs = 60_000;

const bulk = v.object({ bulk_id: v.string() });
const progress = v.object({ ended_at: v.nullable(v.string()), total: v.number(), counts: v.looseObject({}) });
const job = v.object({ id: v.string(), device: v.optional(v.string()), status: v.string() });
const taken = v.object({
  result: v.object({ retval: v.object({ running: v.object({ sha256: v.string() }) }) }),
});

export async function runTakes({ devices, kills, seed, binary }: TakesOptions): Promise<TakesReport> {
  const folder = mkdtempSync(join(tmpdir(), "patchbay-takes-"));
  const random = createRandom(seed);
  const watched = await Promise.all(
    Array.from({ length: devices }, (_, at) => startWatched(`sw-${at}`, random)),
  );
  const env = { PATCHBAY_RATE_PER_KEY: "100000", PATCHBAY_HISTORY_AFTER_PUSH: "false" };
  const node = await createNode({ name: "n1", folder, binary, env });
  try {
    node.spawn();
    await node.up();
    await fill(node, watched);
    const bulks: string[] = [];
    for (let round = 0; round < kills; round++)
      bulks.push(await takeAndKill(node, `take-${round}`, killMoment(watched, random)));
    return { killed: kills, ...(await judge(node, folder, watched, bulks)) };
  } finally {
    await node.kill();
    await Promise.all(watched.map(({ simulator }) => simulator.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A device whose configuration changes each second time or so that it shows it. */
async function startWatched(name: string, random: Random): Promise<Watched> {
  const registry = createRegistry();
  for (const plugin of builtins) registry.add(plugin, "builtin");
  const simulator = await startSimulator({
    platform: registry.require("platform", platform),
    hostname: name,
    latencyMs: 5 + random.below(60),
    ...login,
  });
  const { configuration } = simulator.device;
  const lines = configuration.lines;
  const journal: string[] = [];
  const change = () => {
    const mark = `revision-${name}-${journal.length}-end`;
    configuration.add([], `no snmp-server location`);
    configuration.add([], `snmp-server location ${mark}`);
    journal.push(mark);
  };
  change();
  configuration.lines = () => {
    if (random.chance(0.6)) change();
    return lines();
  };
  return { name, simulator, journal };
}

async function fill(node: ChaosNode, watched: readonly Watched[]): Promise<void> {
  await must(node, "PUT", "/credential/lab", login);
  const list = watched.map(({ name, simulator }) => ({
    ...{ name, host: "127.0.0.1", port: simulator.port, driver: "netmiko", platform },
    ...{ tags: ["lab"], credential: { name: "file", ref: "lab" } },
  }));
  await must(node, "POST", "/inventory/device", { devices: list });
}

/** Resolves when a random number of devices have been asked, and a random time later. */
function killMoment(watched: readonly Watched[], random: Random): () => Promise<void> {
  const count = () => watched.reduce((sum, device) => sum + readingsOf(device), 0);
  const wanted = count() + random.below(watched.length);
  return async () => {
    const from = performance.now();
    while (count() < wanted && performance.now() - from < readWithinMs) await pause(2);
    await pause(random.below(killWithinMs));
  };
}

const isReading = (line: string) => line.trim().startsWith("show running-config");
const readingsOf = ({ simulator }: Watched) => simulator.entered.filter(({ line }) => isReading(line)).length;

/** @returns the id of the bulk, all jobs of which have ended */
async function takeAndKill(node: ChaosNode, key: string, moment: () => Promise<void>): Promise<string> {
  const submit = () =>
    ask(node, "POST", "/history/take", { select: "tag:lab", parts: ["running"] }, { "Idempotency-Key": key });
  const first = submit();
  // An export that is killed with the node must not change what a later one writes.
  const exporting = ask(node, "GET", "/history/export.bundle");
  await moment();
  await node.kill();
  await Promise.all([first, exporting]);
  node.spawn();
  await node.up();
  const from = performance.now();
  for (;;) {
    const { status, data } = await submit();
    if (status === 201 || status === 200) {
      const { bulk_id } = v.parse(bulk, data);
      await untilEnded(node, bulk_id);
      return bulk_id;
    }
    if (performance.now() - from > limitMs) throw new Error(`${key} is not accepted: ${status}`);
    await pause(100);
  }
}

async function untilEnded(node: ChaosNode, id: string): Promise<void> {
  const from = performance.now();
  while (performance.now() - from < limitMs) {
    const { status, data } = await ask(node, "GET", `/bulk/${id}`);
    if (status === 200 && v.parse(progress, data).ended_at !== null) return;
    await pause(100);
  }
  throw new Error(`the bulk ${id} has not ended after ${limitMs / 1000} s`);
}

async function judge(
  node: ChaosNode,
  folder: string,
  watched: readonly Watched[],
  bulks: readonly string[],
): Promise<Omit<TakesReport, "killed">> {
  const breaches: string[] = [];
  const finished = new Map<string, string>();
  let jobs = 0;
  for (const id of bulks) {
    const all = v.parse(v.array(job), (await must(node, "GET", `/job?bulk_id=${id}&limit=500`)).data);
    jobs += all.length;
    if (all.length !== watched.length) breaches.push(`the bulk ${id} has ${all.length} jobs`);
    for (const { id, device, status } of all) {
      if (status === "finished") finished.set(id, device ?? "");
      else breaches.push(`the take ${id} of ${device} has ended as ${status}`);
    }
  }
  let versions = 0;
  const latest = new Map<string, string>();
  for (const device of watched) {
    const stored = (await versionsOf(node, device.name)).toReversed();
    versions += stored.length;
    breaches.push(...faultsIn(device.name, stored, finished));
    let before = -1;
    for (const { version } of stored) {
      const text = await textOf(node, device.name, String(version));
      const at = device.journal.indexOf(/revision-\S+-end/.exec(text)?.[0] ?? "");
      if (at <= before) breaches.push(`${device.name} version ${version} is revision ${at} after ${before}`);
      before = at;
      latest.set(device.name, text);
    }
    const hashes = new Set(stored.map(({ sha256 }) => sha256));
    for (const [id] of [...finished].filter(([, name]) => name === device.name)) {
      const [read] = v.parse(v.array(taken), (await must(node, "GET", `/job?id=${id}`)).data);
      if (!hashes.has(read?.result.retval.running.sha256 ?? ""))
        breaches.push(`what ${id} has read of ${device.name} is not stored`);
    }
  }
  const { head, faults } = await exportAgain(node, folder, versions, latest);
  const readings = watched.reduce((sum, device) => sum + readingsOf(device), 0);
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
