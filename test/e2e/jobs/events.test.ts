/**
 * GET /events and /bulk/{id}/events on running services: counts, states, an end, a key's hosts, and two nodes
 * on one store.
 */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSqld } from "../../../scripts/testbed/sqld.ts";
import { programOf, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { type JobEvent, said, statuses, watch, watchPath } from "./events.ts";

const [program, ...begin] = programOf();

const folder = tempFolder();
const gate = join(folder, "gate");

/** Produces output at once, and ends when the gate is open. */
const driver = `
import { readFileSync } from "node:fs";
import { defineDriver, secret, v } from "patchbay/plugin";
export default defineDriver({
  name: "gated", strategy: "fifo", target: ({ host }) => ({ host, port: 1 }),
  connection: v.object({ host: v.string(), password: secret(v.string()) }),
  query: v.object({}), repeatable: () => true,
  open: async ({ connection }) => ({
    async query(command, _args, ctx) {
      ctx.output(command + " with " + connection.password.reveal() + "\\r\\n");
      while (readFileSync(${JSON.stringify(gate)}, "utf8") !== "open") {
        ctx.signal.throwIfAborted();
        await new Promise((done) => setTimeout(done, 20));
      }
      return "done";
    },
  }),
});`;
writeFileSync(join(folder, "gated.mjs"), driver);
const shut = () => writeFileSync(gate, "shut");
const open = () => writeFileSync(gate, "open");

async function bulkOf(service: Service, ...hosts: string[]): Promise<string> {
  const { body } = await service.call<{ bulk_id: string }>("POST", "/device/bulk", {
    driver: "gated",
    connection_args: { password: "canary-of-events" },
    devices: hosts.map((host) => ({ host })),
    command: "talk",
  });
  return body.data.bulk_id;
}

function keyFor(service: Service, name: string, hosts: string): string {
  const made = spawnSync(program, [...begin, "key", "add", name, "--scope", "read", "--hosts", hosts], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, PATCHBAY_DATA_DIR: service.dataDir },
  });
  return made.stdout.trim();
}

const kinds = (events: readonly JobEvent[]) => events.map(({ event }) => event);
const hostsIn = (events: readonly JobEvent[]) => [...new Set(events.flatMap(({ data }) => data.host ?? []))];

describe("one node", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ plugins: [folder] });
  });
  afterAll(() => service.stop());

  test("a bulk streams its counts, job states and output without secrets until its end", async () => {
    shut();
    const id = await bulkOf(service, "a.test", "b.test", "c.test");
    const events = await watchPath(service, `/bulk/${id}/events?output=true`, (seen) => {
      if (said(seen).match(/talk with \[secret\]/g)?.length === 3) open();
      return false;
    });
    expect(kinds(events).at(0)).toBe("bulk");
    expect(kinds(events).slice(-2)).toEqual(["bulk", "end"]);
    expect(statuses(events.filter(({ event }) => event === "state")).slice(-3)).toEqual(
      Array(3).fill("finished"),
    );
    expect(events.at(-2)?.data).toMatchObject({ id, status: "ended", counts: { finished: 3, running: 0 } });
    expect(JSON.stringify(events)).not.toContain("canary-of-events");
    // Reconnects after the end, as a browser would.
    const last = events.at(-1)?.id ?? "";
    const again = await fetch(`${service.url}/bulk/${id}/events`, {
      headers: { "X-API-KEY": service.key, "Last-Event-ID": last },
    });
    expect([again.status, await again.text()]).toEqual([204, ""]);
  });

  test("counts alone take few events, however many jobs there are", async () => {
    open();
    const id = await bulkOf(service, ...Array.from({ length: 200 }, (_, at) => `d${at}.test`));
    const events = await watchPath(service, `/bulk/${id}/events?states=false`);
    expect(new Set(kinds(events))).toEqual(new Set(["bulk", "end"]));
    expect(events.at(-2)?.data).toMatchObject({ counts: { finished: 200 } });
  });

  test("resumes the stream of all jobs where it was interrupted", async () => {
    open();
    const start = watchPath(service, "/events", (seen) => statuses(seen).includes("running"));
    // The stream does not contain what was submitted before it started.
    let stop = false;
    const submitting = (async () => {
      while (!stop) await service.call("POST", "/device/execute", body("again.test"));
    })();
    const before = await start;
    stop = true;
    await submitting;
    const last = before.at(-1)?.id ?? "";
    const marker = await service.call<{ id: string }>("POST", "/device/execute", body("last.test"));
    const isLast = ({ data }: JobEvent) => data.id === marker.body.data.id && data.status === "finished";
    const after = await watchPath(service, "/events", (seen) => seen.some(isLast), { "Last-Event-ID": last });
    const numbers = [...before, ...after].map(({ id = "" }) => Number(id.split(".")[0]));
    const [first = 0] = numbers;
    // Events of one chunk arrive together, so the first stream may have read beyond its last one.
    expect(numbers).toEqual(numbers.map((_, at) => first + at));
  });

  const body = (host: string) => ({
    driver: "gated",
    connection_args: { host, password: "x" },
    command: "talk",
  });

  test("shows a limited key only its own hosts and no bulks of others", async () => {
    open();
    const key = keyFor(service, "only-mine", "mine.test");
    const headers = { "X-API-KEY": key };
    const others = await bulkOf(service, "other.test");
    const refused = await service.call("GET", `/bulk/${others}/events`, undefined, headers);
    expect(refused.status).toBe(404);
    shut();
    const both = await bulkOf(service, "mine.test", "other.test");
    const all = watchPath(service, "/events", (seen) => statuses(seen).includes("finished"), headers);
    const events = await watchPath(
      service,
      `/bulk/${both}/events?output=true`,
      (seen) => {
        if (said(seen) !== "") open();
        return false;
      },
      headers,
    );
    expect(hostsIn(events)).toEqual(["mine.test"]);
    expect(said(events)).toBe("talk with [secret]\n");
    expect(events.at(-2)?.data).toMatchObject({ counts: { finished: 1 } });
    expect(hostsIn(await all)).toEqual(["mine.test"]);
  });
});

test("two nodes on one store: streams the states of the other node's jobs and names that node", async () => {
  const server = await startSqld();
  const env = { PATCHBAY_DATABASE_URL: server.url, PATCHBAY_MASTER_KEY: "e5".repeat(32) };
  const nodes: Service[] = [];
  try {
    for (const name of ["n1", "n2"])
      nodes.push(await startService({ env: { ...env, PATCHBAY_NODE: name }, plugins: [folder] }));
    const [first, second] = nodes;
    if (!first || !second) throw new Error("two were started");
    shut();
    const { body } = await first.call<{ id: string }>("POST", "/device/execute", {
      ...{ driver: "gated", connection_args: { host: "h.test", password: "x" }, command: "talk" },
      options: { queue_strategy: "pinned" },
    });
    const { id } = body.data;
    await expect.poll(async () => (await first.job(id)).status, { timeout: 100_000 }).toBe("running");
    const runsOn = (await first.job(id)).worker?.startsWith("n1.") ? first : second;
    const other = runsOn === first ? second : first;
    const there = await watch(other, id, (seen) => kinds(seen).includes("elsewhere"));
    expect(there.map(({ event, data }) => [event, data.status ?? data.node])).toEqual([
      ["state", "running"],
      ["elsewhere", runsOn === first ? "n1" : "n2"],
    ]);
    open();
    const last = there.at(0)?.id ?? "";
    const rest = await watch(other, id, undefined, { "Last-Event-ID": last });
    expect(statuses(rest)).toEqual(["finished"]);
    // The same position on the node that ran it.
    const same = await watch(runsOn, id, undefined, { "Last-Event-ID": last });
    expect(statuses(same)).toEqual(["finished"]);
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
    await server.stop();
  }
});
