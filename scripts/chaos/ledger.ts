/** Kills a node that pushes: each push that was sent has exactly one entry in the ledger, and the chain is whole. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { builtins } from "../../plugins/index.ts";
import { ledgerRecord, ledgerVerdict } from "../../src/api/ledger.ts";
import { pause } from "../../src/base/time/deadline.ts";
import { checkExport } from "../../src/ledger/export-check.ts";
import { createRegistry } from "../../src/registry/registry.ts";
import { type Simulator, startSimulator } from "../../src/testkit/simulator/simulator.ts";
import { ask, must } from "./ask.ts";
import { apiKey, type ChaosNode, createNode } from "./node.ts";
import { createRandom, type Random } from "./random.ts";

export interface LedgerChaosOptions {
  readonly devices: number;
  /** Each during a push to all devices. */
  readonly kills: number;
  readonly seed: number;
  /** Path of the compiled binary; default: the source. */
  readonly binary?: string | undefined;
}

export interface LedgerChaosReport {
  readonly killed: number;
  readonly jobs: number;
  /** Entries of pushes, by how they ended. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly entries: number;
  readonly breaches: readonly string[];
}

const login = { username: "chaos", password: "chaos-password-1", secret: "chaos-enable-1" };
const limitMs = 300_000;
/** A kill comes when some devices were sent lines, at most this long after. */
const killWithinMs = 80;
const sendWithinMs = 60_000;

const bulk = v.object({ bulk_id: v.string() });
const progress = v.object({ ended_at: v.nullable(v.string()) });
const job = v.object({
  id: v.string(),
  status: v.string(),
  result: v.nullable(
    v.looseObject({ error: v.nullable(v.looseObject({ outcome: v.optional(v.string()) })) }),
  ),
});

export async function runLedger(options: LedgerChaosOptions): Promise<LedgerChaosReport> {
  const { devices, kills, seed, binary } = options;
  const folder = mkdtempSync(join(tmpdir(), "patchbay-ledger-"));
  const random = createRandom(seed);
  const simulators = await Promise.all(
    Array.from({ length: devices }, (_, at) => started(`sw-${at}`, random)),
  );
  const env = { PATCHBAY_RATE_PER_KEY: "100000", PATCHBAY_HISTORY_AFTER_PUSH: "false" };
  const node = await createNode({ name: "n1", folder, binary, env });
  try {
    node.spawn();
    await node.up();
    await fill(node, simulators);
    const bulks: string[] = [];
    for (let round = 0; round < kills; round++)
      bulks.push(await pushAndKill(node, round, killMoment(simulators, random)));
    return { killed: kills, ...(await judge(node, simulators, bulks)) };
  } finally {
    await node.kill();
    await Promise.all(simulators.map((simulator) => simulator.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

function started(hostname: string, random: Random): Promise<Simulator> {
  const registry = createRegistry();
  for (const plugin of builtins) registry.add(plugin, "builtin");
  const platform = registry.require("platform", "cisco_ios");
  return startSimulator({ platform, hostname, latencyMs: 5 + random.below(60), ...login });
}

async function fill(node: ChaosNode, simulators: readonly Simulator[]): Promise<void> {
  await must(node, "PUT", "/credential/lab", login);
  const devices = simulators.map(({ port }, at) => ({
    ...{ name: `sw-${at}`, host: "127.0.0.1", port, driver: "netmiko", platform: "cisco_ios" },
    ...{ tags: ["lab"], credential: { name: "file", ref: "lab" } },
  }));
  await must(node, "POST", "/inventory/device", { devices });
}

const markOf = (line: string) => /description (push-\d+)$/.exec(line.trim())?.[1];
const sentTo = ({ entered }: Simulator) => entered.flatMap(({ line }) => markOf(line) ?? []);

/** Resolves when a random number of devices were sent their line, and a random time later. */
function killMoment(simulators: readonly Simulator[], random: Random): () => Promise<void> {
  const count = () => simulators.reduce((sum, simulator) => sum + sentTo(simulator).length, 0);
  const wanted = count() + random.below(simulators.length);
  return async () => {
    const from = performance.now();
    while (count() < wanted && performance.now() - from < sendWithinMs) await pause(2);
    await pause(random.below(killWithinMs));
  };
}

/** @returns the id of the bulk, all jobs of which have ended */
async function pushAndKill(node: ChaosNode, round: number, moment: () => Promise<void>): Promise<string> {
  const body = {
    select: "tag:lab",
    config: ["interface Loopback1", `description push-${round}`],
    options: { ticket: `CHG-${round}` },
  };
  const submit = () => ask(node, "POST", "/device/bulk", body, { "Idempotency-Key": `push-${round}` });
  const first = submit();
  await moment();
  await node.kill();
  await first;
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
    if (performance.now() - from > limitMs) throw new Error(`push ${round} is not accepted: ${status}`);
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
  simulators: readonly Simulator[],
  bulks: readonly string[],
): Promise<Omit<LedgerChaosReport, "killed">> {
  const breaches: string[] = [];
  const outcomes: Record<string, number> = {};
  const seen = new Map<string, number>();
  for (const mark of simulators.flatMap(sentTo)) seen.set(mark, (seen.get(mark) ?? 0) + 1);
  let jobs = 0;
  let lines = 0;
  for (const [round, id] of bulks.entries()) {
    const all = v.parse(v.array(job), (await must(node, "GET", `/job?bulk_id=${id}&limit=500`)).data);
    const query = `/ledger?ticket=CHG-${round}&limit=500`;
    const records = v.parse(v.array(ledgerRecord), (await must(node, "GET", query)).data);
    jobs += all.length;
    for (const { id, status, result } of all) {
      const [record, ...others] = records.filter(({ entry }) => entry.job === id);
      if (others.length > 0) breaches.push(`the push ${id} has ${1 + others.length} entries`);
      const outcome = result?.error?.outcome === "unknown" ? "unknown" : status;
      if (record === undefined) {
        if (outcome !== "failed") breaches.push(`the push ${id} (${outcome}) has no entry`);
        continue;
      }
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      if (record.entry.outcome !== outcome)
        breaches.push(`the push ${id} ended as ${outcome}, its entry says ${record.entry.outcome}`);
    }
    // The line may have reached the device without its end being seen, but never twice, nor without an entry.
    const sent = seen.get(`push-${round}`) ?? 0;
    lines += sent;
    if (sent > records.length) breaches.push(`round ${round}: ${sent} lines, ${records.length} entries`);
  }
  const { entries, faults } = await verified(node);
  if (lines === 0) breaches.push("nothing was sent");
  return { jobs, outcomes, entries, breaches: [...breaches, ...faults] };
}

/** By the service, and from an export. */
async function verified(node: ChaosNode): Promise<{ entries: number; faults: string[] }> {
  const faults: string[] = [];
  let entries = 0;
  for (let next: string | null | undefined; next !== null; ) {
    const answer = await must(node, "POST", "/ledger/verify", { next });
    const piece = v.parse(ledgerVerdict, answer.data);
    entries += piece.entries;
    faults.push(...piece.breaks.map(({ seq, message }) => `${seq}: ${message}`));
    faults.push(...piece.missing.map((id) => `the push ${id} is missing`));
    next = piece.next;
  }
  await must(node, "POST", "/ledger/checkpoint");
  const response = await fetch(`${node.url}/ledger/export`, { headers: { "X-API-KEY": apiKey } });
  const result = await checkExport(linesOf(await response.text()), { checkpoints: [] });
  faults.push(...result.breaks.map(({ seq, message }) => `export, ${seq}: ${message}`));
  if (result.entries !== entries || result.covered !== entries)
    faults.push(`of ${entries} entries ${result.entries} are exported and ${result.covered} signed`);
  return { entries, faults };
}

async function* linesOf(text: string): AsyncGenerator<string> {
  yield* text.trimEnd().split("\n");
}
