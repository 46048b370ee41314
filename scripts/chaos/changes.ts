/** Kills nodes while changes are planned, voted on, rolled out, paused, stopped and returned; then judges them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { pause } from "../../src/base/time/deadline.ts";
import type { Simulator } from "../../src/testkit/simulator/simulator.ts";
import { must } from "./ask.ts";
import { type ChangesVerdict, judgeChanges } from "./changes-judge.ts";
import { changeWork, type Spoken } from "./changes-work.ts";
import { bulk, fill, type KillOptions, nameAt, startSimulators, untilEnded } from "./kills.ts";
import { type ChaosNode, createNode } from "./node.ts";
import { placePersons } from "./persons.ts";
import { createRandom, type Random } from "./random.ts";
import { createServer } from "./server.ts";

/** One node on a file, or two on a server. */
export const changeStores = ["file", "sqld"] as const;
export type ChangeStore = (typeof changeStores)[number];

export interface ChangesOptions extends KillOptions {
  readonly store: ChangeStore;
}

export interface ChangesReport extends ChangesVerdict {
  readonly killed: number;
  /** What was said to changes, and accepted. */
  readonly said: Spoken;
  /** Folder with the logs of the nodes, if something was breached. */
  readonly folder?: string;
}

const platform = "cisco_ios";
/** Each makes one change after the other. */
const authors = 3;
/** A fifth of the devices refuses a line of some changes, or does not keep it, so that a check fails. */
const refuses = (at: number) => at % 10 === 4;
const forgets = (at: number) => at % 10 === 9;
/** A kill comes when the devices were sent some lines more, or at any time after a start. */
const mostLines = 80;
const linesWithinMs = 20_000;
const lifeMs = 4_000;
/** After the last of those lines. */
const afterMs = 150;
const personNames = ["bert", "carl", "dora"];

export async function runChanges(options: ChangesOptions): Promise<ChangesReport> {
  const folder = mkdtempSync(join(tmpdir(), "patchbay-changes-"));
  const closers: (() => Promise<unknown>)[] = [];
  try {
    const report = await run(options, folder, (close) => void closers.unshift(close));
    if (report.breaches.length > 0) return { ...report, folder };
    closers.push(async () => rmSync(folder, { recursive: true, force: true }));
    return report;
  } finally {
    for (const close of closers) await close();
  }
}

async function run(
  { devices, kills, seed, binary, store }: ChangesOptions,
  folder: string,
  atEnd: (close: () => Promise<unknown>) => void,
): Promise<ChangesReport> {
  const random = createRandom(seed);
  const simulators = await startSimulators(devices, platform, random);
  atEnd(() => Promise.all(simulators.map((simulator) => simulator.stop())));
  for (const [at, simulator] of simulators.entries()) if (forgets(at)) forgetful(simulator);
  const server = store === "file" ? undefined : await createServer(folder);
  if (server) atEnd(server.stop);
  const env = { PATCHBAY_RATE_PER_KEY: "100000", PATCHBAY_HISTORY_AFTER_PUSH: "false" };
  const nodes = await Promise.all(
    (server ? ["n1", "n2"] : ["n1"]).map((name) =>
      createNode({ name, folder, databaseUrl: server?.url, binary, env }),
    ),
  );
  const persons = await placePersons(join(folder, "n1"), personNames, server?.url);
  for (const node of nodes) {
    atEnd(node.kill);
    node.spawn();
    // One at a time, because the first node creates the tables and the shared key.
    await node.up();
  }
  const [first] = nodes;
  if (first === undefined) throw new Error("there is no node");
  await must(first, "PUT", "/role/approvers", {
    ...{ scope: "operate", groups: ["approvers"], rights: ["approve"] },
  });
  await fill(first, simulators, platform, (at) => ({ vars: { refuses: refuses(at) ? "yes" : "no" } }));
  await readAll(first);
  const work = changeWork({ nodes, persons, random: createRandom(seed + 1) });
  const working = Array.from({ length: authors }, (_, at) => work.author(devicesOf(at, devices)));
  const ended = Promise.all(working.map((author) => author.ended));
  const killed = await Promise.race([
    ended.then(() => 0),
    killNodes(nodes, kills, momentOf(simulators, random), random),
  ]);
  for (const author of working) author.stop();
  await ended;
  return { killed, said: work.said, ...(await judgeChanges(first, simulators, work.drafted)) };
}

/** Does not keep the servers of changes that break. */
function forgetful({ device: { configuration } }: Simulator): void {
  const { add } = configuration;
  configuration.add = (path, line) => {
    if (!line.includes("ntp server 10.66.")) add(path, line);
  };
}

/** Those of one author; few are also of another. */
function devicesOf(author: number, devices: number): string[] {
  const own = Array.from({ length: devices }, (_, at) => at).filter((at) => at % authors === author);
  return [...own, (own[0] ?? 0) + 1].map(nameAt);
}

/** Without a known configuration nothing can be returned. */
async function readAll(node: ChaosNode): Promise<void> {
  const { data } = await must(node, "POST", "/history/take", { select: "tag:lab" });
  await untilEnded(node, v.parse(bulk, data).bulk_id);
}

function momentOf(simulators: readonly Simulator[], random: Random): () => Promise<void> {
  const lines = () => simulators.reduce((sum, { entered }) => sum + entered.length, 0);
  return async () => {
    if (random.chance(0.2)) return pause(random.next() * lifeMs);
    const wanted = lines() + random.below(mostLines);
    const from = performance.now();
    while (lines() < wanted && performance.now() - from < linesWithinMs) await pause(5);
    return pause(random.next() * afterMs);
  };
}

/** One node after the other, sometimes all of them, sometimes again while it starts. */
async function killNodes(
  nodes: readonly ChaosNode[],
  wanted: number,
  moment: () => Promise<void>,
  random: Random,
): Promise<number> {
  let killed = 0;
  while (killed < wanted) {
    await moment();
    const victims = random.chance(0.2) ? nodes : [random.pick(nodes)];
    await Promise.all(
      victims.map(async (node) => {
        await node.kill();
        node.spawn();
      }),
    );
    killed += victims.length;
    const [victim] = victims;
    if (victim !== undefined && killed < wanted && random.chance(0.15)) {
      await pause(random.next() * 600);
      await victim.kill();
      victim.spawn();
      killed++;
    }
    await Promise.all(victims.map((node) => node.up()));
  }
  return killed;
}
