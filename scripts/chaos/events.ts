/** Kills nodes with SIGKILL under listeners: a listener that reconnects must receive every change in the store. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pause } from "../../src/base/time/deadline.ts";
import { startCrowd } from "./listeners.ts";
import { apiKey, type ChaosNode, createNode } from "./node.ts";
import { type ChaosServer, createServer, type ServerKind } from "./server.ts";

export interface EventsOptions {
  readonly jobs: number;
  readonly listeners: number;
  readonly kills: number;
  /** Default: libSQL server. */
  readonly store?: ServerKind | undefined;
}

export interface EventsReport {
  /** Changes in the store; each listener must receive each one once and in order. */
  readonly changes: number;
  readonly resumed: number;
  readonly killed: number;
  /** Deviations, at most a few of each kind. */
  readonly breaches: readonly string[];
}

/** Its jobs take long enough to be killed midway. */
const driver = `import { defineDriver } from "patchbay/plugin";
const any = { "~standard": { version: 1, vendor: "chaos", validate: (value) => ({ value }) } };
export default defineDriver({
  name: "steady", connection: any, query: any, strategy: "fifo", repeatable: () => true,
  target: ({ host }) => ({ host, port: 22 }),
  open: async () => ({ query: () => new Promise((done) => setTimeout(done, 60, "ok")) }),
});
`;
const nodeNames = ["n1", "n2", "n3"];
const env = (plugins: string) => ({ PATCHBAY_PLUGINS: plugins, PATCHBAY_SLOTS: "8" });

export async function runEvents({ jobs, listeners, kills, store }: EventsOptions): Promise<EventsReport> {
  const folder = mkdtempSync(join(tmpdir(), "patchbay-chaos-events-"));
  mkdirSync(join(folder, "plugins"));
  writeFileSync(join(folder, "plugins", "steady.mjs"), driver);
  const server = await createServer(folder, store);
  const nodes: ChaosNode[] = [];
  try {
    for (const name of nodeNames) {
      const node = await createNode({
        name,
        folder,
        databaseUrl: server.url,
        env: env(join(folder, "plugins")),
      });
      nodes.push(node);
      // One at a time, because the first node creates the tables.
      await start(node);
    }
    const crowd = startCrowd(listeners, nodes);
    await crowd.listening;
    const load = submit(jobs, nodes);
    for (let kill = 0; kill < kills; kill++) {
      await happened(server, Math.floor((jobs * 3 * (kill + 1)) / (kills + 2)));
      const node = nodes[kill % nodes.length];
      await node?.kill();
      if (node) await start(node);
    }
    await load;
    await allEnded(server);
    const changes = await changesIn(server);
    // Wait for listeners that have not received the last change yet.
    await until(() => crowd.heard.every((one) => one.length >= changes.length || crowd.gaps() > 0));
    crowd.stop();
    return {
      changes: changes.length,
      resumed: crowd.resumed(),
      killed: kills,
      breaches: judge(crowd, changes),
    };
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Retries as a supervisor does: a busy store may not answer a starting node, which then exits. */
async function start(node: ChaosNode): Promise<void> {
  for (let tries = 1; ; tries++) {
    node.spawn();
    try {
      return await node.up();
    } catch (error) {
      if (node.running() || tries >= 10) throw error;
    }
    await pause(500);
  }
}

function judge(crowd: ReturnType<typeof startCrowd>, changes: readonly string[]): string[] {
  const breaches = crowd.gaps() > 0 ? [`${crowd.gaps()} streams were told of a gap`] : [];
  for (const [at, heard] of crowd.heard.entries()) {
    const first = changes.findIndex((change, index) => heard[index] !== change);
    if (first < 0 && heard.length === changes.length) continue;
    const where = first < 0 ? changes.length : first;
    breaches.push(
      `listener ${at}, event ${where + 1}: ${heard[where]} where the store has ${changes[where]}`,
    );
  }
  return breaches.slice(0, 10);
}

/** Submits bulks of 20, each to the next node that accepts it: what is accepted must be in the store. */
async function submit(jobs: number, nodes: readonly ChaosNode[]): Promise<void> {
  for (let sent = 0, turn = 0; sent < jobs; turn++) {
    const node = nodes[turn % nodes.length];
    const count = Math.min(20, jobs - sent);
    const devices = Array.from({ length: count }, (_, at) => ({ host: `h${sent + at}` }));
    const accepted = await fetch(`${node?.url}/device/bulk`, {
      method: "POST",
      headers: { "X-API-KEY": apiKey, "Content-Type": "application/json" },
      body: JSON.stringify({ driver: "steady", connection_args: {}, devices, command: "x" }),
    }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (accepted) sent += count;
    else await pause(20);
  }
}

/** The changes in the format of the listeners. */
async function changesIn(server: ChaosServer): Promise<string[]> {
  const rows = await server.rows("select n, job_id, status from events order by n");
  return rows.map(([n, id, status]) => `${n} ${String(id).slice(-8)} ${status}`);
}

const happened = (server: ChaosServer, changes: number) =>
  until(async () => Number((await server.rows("select coalesce(max(n), 0) from events"))[0]?.[0]) >= changes);

const allEnded = (server: ChaosServer) =>
  until(async () => {
    const rows = await server.rows("select count(*) from jobs where status in ('queued', 'running')");
    return Number(rows[0]?.[0]) === 0;
  });

async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await what())) await pause(50);
}
