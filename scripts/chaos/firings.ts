/** Kills nodes that run schedules: every schedule must fire exactly once, whichever node dies. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { pause } from "../../src/base/time/deadline.ts";
import { apiKey, type ChaosNode, createNode } from "./node.ts";
import { createServer, type ServerKind } from "./server.ts";

export interface FiringsOptions {
  /** Number of schedules, each of which fires once. */
  readonly firings: number;
  readonly kills: number;
  /** Default: libSQL server. */
  readonly store?: ServerKind | undefined;
}

export interface FiringsReport {
  readonly fired: number;
  readonly killed: number;
  /** Delay of the latest firing. */
  readonly latestMs: number;
  readonly breaches: readonly string[];
}

/** Schedules are created this long before they are due, many for the same moment. */
const aheadMs = 20_000;
const momentMs = 5_000;
const limitMs = 900_000;
const maxStarts = 5;

const firing = v.object({
  due_at: v.string(),
  fired_at: v.nullable(v.string()),
  status: v.string(),
  bulk_id: v.optional(v.string()),
  reason: v.optional(v.string()),
});
const schedules = v.array(v.object({ id: v.string(), name: v.string(), last: v.nullable(firing) }));
const bulks = v.array(v.object({ id: v.string(), label: v.optional(v.string()), total: v.number() }));
const envelope = v.object({ code: v.number(), data: v.unknown() });
type Listed = v.InferOutput<typeof schedules>[number];

export async function runFirings({ firings, kills, store }: FiringsOptions): Promise<FiringsReport> {
  const folder = mkdtempSync(join(tmpdir(), "patchbay-firings-"));
  const server = await createServer(folder, store);
  const env = { PATCHBAY_RATE_PER_KEY: "10000" };
  const nodes = await Promise.all(
    ["n1", "n2", "n3"].map((name) => createNode({ name, folder, databaseUrl: server.url, env })),
  );
  try {
    // One at a time, because the first node creates the tables and the key.
    for (const node of nodes) await startAgain(node);
    const stop = new AbortController();
    const killing = killAll(nodes, kills, stop.signal);
    for (let at = 0; at < firings; at++) await addSchedule(nodes, at);
    const killed = await killing;
    const all = await untilFired(nodes, firings);
    stop.abort();
    return { ...(await judge(nodes, all)), killed };
  } finally {
    await Promise.all(nodes.map((node) => node.kill()));
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Kills one node at a time, at any moment, while two others run. */
async function killAll(nodes: readonly ChaosNode[], kills: number, signal: AbortSignal): Promise<number> {
  await pause(aheadMs, signal);
  let killed = 0;
  for (; killed < kills && !signal.aborted; killed++) {
    await pause(Math.random() * 2_000, signal);
    const node = nodes[Math.floor(Math.random() * nodes.length)];
    await node?.kill();
    if (node) await startAgain(node);
  }
  return killed;
}

/** Retries as a supervisor does: a node exits if the store is too busy at start-up. */
async function startAgain(node: ChaosNode): Promise<void> {
  for (let tries = 1; ; tries++) {
    node.spawn();
    try {
      return await node.up();
    } catch (error) {
      if (tries === maxStarts || node.running()) throw error;
    }
  }
}

async function addSchedule(nodes: readonly ChaosNode[], at: number): Promise<void> {
  const name = `firing-${at}`;
  for (;;) {
    const moment = Math.ceil((Date.now() + aheadMs) / momentMs) * momentMs;
    const { status } = await ask(nodes, "/schedule", {
      name,
      at: new Date(moment).toISOString(),
      label: name,
      // A slow node start must not skip a firing.
      missed: { policy: "once" },
      what: {
        kind: "query",
        request: {
          driver: "netmiko",
          connection_args: { device_type: "cisco_ios", username: "chaos", port: 9 },
          command: "show version",
          devices: [{ host: `127.0.2.${(at % 250) + 1}` }],
        },
      },
    });
    // Refused on retry: the schedule was created, but the response was lost.
    if (status === 201 || status === 422) return;
    await pause(200);
  }
}

async function untilFired(nodes: readonly ChaosNode[], firings: number): Promise<Listed[]> {
  const from = performance.now();
  for (;;) {
    const all = await listAll(nodes, "/schedule", schedules);
    const open = all.filter(({ last }) => last === null || ["waiting", "submitting"].includes(last.status));
    if ((all.length >= firings && open.length === 0) || performance.now() - from > limitMs) return all;
    await pause(1_000);
  }
}

async function judge(nodes: readonly ChaosNode[], all: readonly Listed[]) {
  const breaches: string[] = [];
  const byLabel = Map.groupBy(await listAll(nodes, "/bulk", bulks), ({ label }) => label);
  let latestMs = 0;
  for (const { name, last } of all) {
    const made = byLabel.get(name) ?? [];
    if (last?.status !== "submitted")
      breaches.push(`${name} ended as ${last?.status}: ${last?.reason ?? ""}`);
    if (made.length !== 1) breaches.push(`${name} has made ${made.length} bulks`);
    else if (made[0]?.id !== last?.bulk_id) breaches.push(`${name} names another bulk than it has made`);
    if (last?.fired_at) latestMs = Math.max(latestMs, Date.parse(last.fired_at) - Date.parse(last.due_at));
  }
  return { fired: all.length, latestMs, breaches };
}

async function listAll<T>(
  nodes: readonly ChaosNode[],
  path: string,
  shape: v.GenericSchema<unknown, T[]>,
): Promise<T[]> {
  const all: T[] = [];
  for (let cursor: string | undefined; ; ) {
    const { status, data, next } = await ask(nodes, `${path}?limit=500${cursor ? `&cursor=${cursor}` : ""}`);
    if (status !== 200) {
      await pause(200);
      continue;
    }
    all.push(...v.parse(shape, data));
    if (next === undefined) return all;
    cursor = next;
  }
}

/** Asks any node that answers; status 0: none did. */
async function ask(nodes: readonly ChaosNode[], path: string, body?: object) {
  const node = nodes[Math.floor(Math.random() * nodes.length)];
  try {
    const answer = await fetch(`${node?.url}${path}`, {
      method: body ? "POST" : "GET",
      headers: { "X-API-KEY": apiKey, "Content-Type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(30_000),
    });
    const { data } = v.parse(envelope, await answer.json());
    return { status: answer.status, data, next: answer.headers.get("X-Next-Cursor") ?? undefined };
  } catch {
    return { status: 0, data: undefined, next: undefined };
  }
}
