/** Kills a node in the middle of bulks for simulated devices: the loop, and its command line. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import * as v from "valibot";
import { pause } from "../../src/base/time/deadline.ts";
import { type Simulator, startSimulator } from "../../src/testkit/simulator/simulator.ts";
import { ask, must } from "./ask.ts";
import { login, platformOf } from "./fleet.ts";
import { type ChaosNode, createNode } from "./node.ts";
import { createRandom, type Random } from "./random.ts";

export interface KillOptions {
  readonly devices: number;
  /** Each during a bulk for all devices. */
  readonly kills: number;
  readonly seed: number;
  /** Path of the compiled binary; default: the source. */
  readonly binary?: string | undefined;
}

/** What the node is killed in. */
export interface KilledWork<R> {
  readonly name: string;
  readonly platform: string;
  /** A device has started that the bulks are for. */
  started?(simulator: Simulator, random: Random): void;
  /** The bulk of a round, sent again after the kill; `beside` is asked at the same time, and its answer is of no use. */
  request(round: number): { readonly path: string; readonly body: object; readonly beside?: string };
  /** Whether a line that a device received is one of a bulk. */
  isOfBulk(line: string): boolean;
  judge(outcome: KillOutcome): Promise<R>;
}

export interface KillOutcome {
  readonly node: ChaosNode;
  readonly folder: string;
  readonly simulators: readonly Simulator[];
  /** Ids of the bulks by round, all jobs of which have ended. */
  readonly bulks: readonly string[];
}

const limitMs = 300_000;
/** A kill comes when some devices were sent lines of the bulk, at most this long after. */
const killWithinMs = 80;
const sendWithinMs = 60_000;

export const bulk = v.object({ bulk_id: v.string() });
const progress = v.object({ ended_at: v.nullable(v.string()) });

export const nameAt = (at: number) => `sw-${at}`;

export async function runKills<R>(
  { devices, kills, seed, binary }: KillOptions,
  work: KilledWork<R>,
): Promise<R & { readonly killed: number }> {
  const folder = mkdtempSync(join(tmpdir(), `patchbay-${work.name}-`));
  const random = createRandom(seed);
  const simulators = await startSimulators(devices, work.platform, random);
  for (const simulator of simulators) work.started?.(simulator, random);
  const env = { PATCHBAY_RATE_PER_KEY: "100000", PATCHBAY_HISTORY_AFTER_PUSH: "false" };
  const node = await createNode({ name: "n1", folder, binary, env });
  try {
    node.spawn();
    await node.up();
    await fill(node, simulators, work.platform);
    const bulks: string[] = [];
    for (let round = 0; round < kills; round++)
      bulks.push(await sendAndKill(node, work, round, killMoment(simulators, work, random)));
    return { killed: kills, ...(await work.judge({ node, folder, simulators, bulks })) };
  } finally {
    await node.kill();
    await Promise.all(simulators.map((simulator) => simulator.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

export function startSimulators(count: number, platform: string, random: Random): Promise<Simulator[]> {
  return Promise.all(
    Array.from({ length: count }, (_, at) =>
      startSimulator({
        ...{ platform: platformOf(platform), hostname: nameAt(at), latencyMs: 5 + random.below(60) },
        ...login,
      }),
    ),
  );
}

/** Puts the devices into the inventory. @param more fields of the device at a position */
export async function fill(
  node: ChaosNode,
  simulators: readonly Simulator[],
  platform: string,
  more: (at: number) => object = () => ({}),
): Promise<void> {
  await must(node, "PUT", "/credential/lab", login);
  const devices = simulators.map(({ port }, at) => ({
    ...{ name: nameAt(at), host: "127.0.0.1", port, driver: "netmiko", platform },
    ...{ tags: ["lab"], credential: { name: "file", ref: "lab" }, ...more(at) },
  }));
  await must(node, "POST", "/inventory/device", { devices });
}

/** Resolves when a random number of devices were sent lines of the bulk, and a random time later. */
function killMoment<R>(
  simulators: readonly Simulator[],
  { isOfBulk }: KilledWork<R>,
  random: Random,
): () => Promise<void> {
  const count = () =>
    simulators.reduce((sum, { entered }) => sum + entered.filter(({ line }) => isOfBulk(line)).length, 0);
  const wanted = count() + random.below(simulators.length);
  return async () => {
    const from = performance.now();
    while (count() < wanted && performance.now() - from < sendWithinMs) await pause(2);
    await pause(random.below(killWithinMs));
  };
}

/** @returns the id of the bulk, all jobs of which have ended */
async function sendAndKill<R>(
  node: ChaosNode,
  { name, request }: KilledWork<R>,
  round: number,
  moment: () => Promise<void>,
): Promise<string> {
  const key = `${name}-${round}`;
  const { path, body, beside } = request(round);
  const submit = () => ask(node, "POST", path, body, { "Idempotency-Key": key });
  const asked = [submit(), ...(beside === undefined ? [] : [ask(node, "GET", beside)])];
  await moment();
  await node.kill();
  await Promise.all(asked);
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

export async function untilEnded(node: ChaosNode, id: string): Promise<void> {
  const from = performance.now();
  while (performance.now() - from < limitMs) {
    const { status, data } = await ask(node, "GET", `/bulk/${id}`);
    if (status === 200 && v.parse(progress, data).ended_at !== null) return;
    await pause(100);
  }
  throw new Error(`the bulk ${id} has not ended after ${limitMs / 1000} s`);
}

/** Runs with the options of the command line, prints the report, and exits with 1 if something was breached. */
export async function runFromCommandLine(
  chaos: string,
  devices: number,
  run: (options: KillOptions) => Promise<{ readonly breaches: readonly string[] }>,
): Promise<never> {
  const { values: flags } = parseArgs({
    options: {
      devices: { type: "string", default: String(devices) },
      kills: { type: "string", default: "50" },
      seed: { type: "string", default: String(1 + Math.floor(Math.random() * 1_000_000)) },
      binary: { type: "string" },
    },
  });
  const { kills, seed, binary } = flags;
  const numbers = { devices: Number(flags.devices), kills: Number(kills), seed: Number(seed) };
  const report = await run({ ...numbers, binary });
  console.log(JSON.stringify({ chaos, ...flags, ...report }, null, 2));
  process.exit(report.breaches.length > 0 ? 1 : 0);
}
