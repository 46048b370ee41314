/**
 * Two nodes as processes on one libSQL server: each configuration is taken once and read everywhere, and a change goes on,
 * whichever is killed.
 */
import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Sqld, sqldProgram, startSqld } from "../../../scripts/testbed/sqld.ts";
import type { ChangeDetail, ChangeTarget } from "../../../src/api/changes/change.ts";
import type { SearchResult, VersionRecord } from "../../../src/api/history/history.ts";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import type { FiringRecord, ScheduleRecord } from "../../../src/api/schedules/schedule.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { type Switch, startSwitch } from "../../drivers/pyeapi/switch.ts";
import { type Kept, keptBy } from "./history-places.ts";

const password = "canary-login-9";
/** Until the claims of a node that was killed are free again, on a busy machine. */
const lostMs = 120_000;
/** It takes seconds: asking sooner takes the time of those who work. */
const patiently = { timeout: lostMs, interval: 400 };

describe.skipIf(sqldProgram() === undefined)("two nodes", () => {
  let server: Sqld;
  let nodes: [Service, Service];
  let kept: [Kept, Kept];
  const switches: Switch[] = [];
  const names = ["leaf-0", "leaf-1", "leaf-2", "leaf-3"];

  const start = (name: string) =>
    startService({
      env: {
        PATCHBAY_DATABASE_URL: server.url,
        PATCHBAY_MASTER_KEY: "a7".repeat(32),
        PATCHBAY_NODE: name,
        PATCHBAY_URL_ALLOW: "127.0.0.1",
      },
    });
  beforeAll(async () => {
    server = await startSqld();
    nodes = [await start("n1"), await start("n2")];
    kept = [keptBy(nodes[0]), keptBy(nodes[1])];
    for (const name of names) {
      const device = await startSwitch({ password });
      switches.push(device);
      const login = { host: "127.0.0.1", port: device.port, user: "admin", password };
      await kept[0].add(name, login, {
        ...{ driver: "pyeapi", connection: { transport: "http" }, tags: ["lab"] },
      });
    }
  }, 120_000);
  afterAll(async () => {
    await Promise.all(nodes?.map((node) => node.close()) ?? []);
    for (const device of switches) device.close();
    await server?.stop();
  });

  const change = (line: string) => {
    for (const [at, device] of switches.entries())
      device.running.splice(0, device.running.length, `hostname leaf-${at}`, `snmp-server location ${line}`);
  };
  /** Numbers of the versions, newest first, the same on both nodes. */
  async function numbers(name: string): Promise<number[]> {
    const [one, other] = await Promise.all(kept.map((of) => of.versions(name)));
    expect(other).toEqual(one);
    return (one ?? []).map(({ version }) => version);
  }

  test("a version that one has taken is read, compared and searched on the other at once", async () => {
    change("first");
    for (const name of names) await kept[0].taken(name);
    change("second");
    for (const name of names) {
      const version = await kept[1].taken(name);
      expect(await kept[0].text(name)).toBe(await kept[1].text(name, version.version));
      expect(await kept[0].changed(name)).toEqual([
        "-snmp-server location first",
        "+snmp-server location second",
      ]);
      expect(await numbers(name)).toEqual([2, 1]);
    }
    for (const node of nodes) {
      const { body } = await node.call<SearchResult[]>("GET", "/history/search?q=location%20second");
      expect(body.data.map(({ version }) => version?.device).sort()).toEqual(names);
      const gone = await node.call<SearchResult[]>("GET", "/history/search?q=location%20first");
      expect(gone.body.data).toEqual([]);
    }
  });

  test("takes of one device on both at the same time are one version", async () => {
    for (const round of [3, 4, 5]) {
      change(`round ${round}`);
      await Promise.all(names.flatMap((name) => kept.map((of) => of.taken(name))));
      for (const name of names)
        expect(await numbers(name)).toEqual(Array.from({ length: round }, (_, at) => round - at));
    }
  });

  test("a schedule takes each time once, whichever node begins it", async () => {
    change("scheduled");
    const made = await nodes[0].call<ScheduleRecord>("POST", "/schedule", {
      ...{ name: "often", every: "10s", what: { kind: "history", history: { select: "tag:lab" } } },
    });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const [one, other] = nodes;
    const list = async <T>(node: Service, path: string) => (await node.call<T[]>("GET", path)).body.data;
    const firings = () => list<FiringRecord>(other, "/schedule/often/firing");
    const begun = async () => (await firings()).filter(({ bulk_id }) => bulk_id !== undefined).length;
    await expect.poll(begun, patiently).toBeGreaterThan(1);
    await other.call("POST", "/schedule/often/pause");
    const jobsOf = () => list<JobRecord>(one, "/job?submitted_by=schedule:often&limit=100");
    // The other node may have been at a time when the schedule was paused.
    const worked = async () => {
      const all = await jobsOf();
      const missing = (await begun()) * names.length - all.length;
      return [missing, all.filter(({ status }) => status !== "finished").length];
    };
    await expect.poll(worked, patiently).toEqual([0, 0]);
    const jobs = await jobsOf();
    expect(new Set(jobs.map(({ bulk_id, device }) => `${bulk_id} ${device}`)).size).toBe(jobs.length);
    for (const name of names) {
      await expect.poll(() => numbers(name), { timeout: 60_000 }).toEqual([6, 5, 4, 3, 2, 1]);
      const [newest] = await kept[0].versions(name);
      expect(newest).toMatchObject({ source: "schedule" } satisfies Partial<VersionRecord>);
    }
  });

  test("a node that is killed while it takes leaves the take to the other, as one version", async () => {
    change("killed");
    const device = switches[0];
    if (device === undefined) throw new Error("there is one");
    let shown = 0;
    const reading = new Promise<void>((seen) => {
      device.meet({
        before: async (commands) => {
          // The first node never gets its answer.
          if (!commands.includes("show running-config") || ++shown > 1) return "go on";
          seen();
          return new Promise(() => {});
        },
      });
    });
    const asked = await nodes[0].call<{ succeeded: { id: string }[] }>("POST", "/history/take", {
      device: "leaf-0",
    });
    const id = asked.body.data.succeeded[0]?.id ?? "";
    await reading;
    const { worker } = await nodes[0].job(id);
    const killed = worker?.startsWith("n1.") === true ? 0 : 1;
    await nodes[killed].kill("SIGKILL");
    const left = killed === 0 ? 1 : 0;
    await expect.poll(async () => (await nodes[left].job(id)).status, patiently).toBe("finished");
    expect((await nodes[left].job(id)).worker).toMatch(left === 0 ? /^n1\./ : /^n2\./);
    expect((await kept[left].versions("leaf-0")).map(({ version }) => version)).toEqual([
      7, 6, 5, 4, 3, 2, 1,
    ]);
    expect(await kept[left].text("leaf-0")).toContain("location killed");
    expect(shown).toBe(2);
    nodes[killed] = await start(killed === 0 ? "n1" : "n2");
    kept[killed] = keptBy(nodes[killed]);
    expect(await kept[killed].taken("leaf-0")).toMatchObject({ version: 7 });
    expect(await numbers("leaf-0")).toEqual([7, 6, 5, 4, 3, 2, 1]);
  }, 300_000);

  test("a change with a hold, whose node is killed while it asks a question, is brought to its end by the other", async () => {
    const asked = Promise.withResolvers<void>();
    const times: number[] = [];
    const monitor = createServer((_request, response) => {
      times.push(Date.now());
      // The second one, after the push, is never answered.
      if (times.length === 2) asked.resolve();
      else response.end(JSON.stringify({ up: true }));
    });
    await new Promise<void>((resolve) => void monitor.listen(0, "127.0.0.1", resolve));
    const address = monitor.address();
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`;
    try {
      const [one, other] = nodes;
      await kept[0].taken("leaf-1");
      // The node that is left begins it.
      await other.close();
      const { body } = await one.call<ChangeDetail>("POST", "/change", {
        ...{ name: "held", devices: ["leaf-1"], config: "snmp-server location held", hold: "wave" },
        ...{
          approvals: { count: 0 },
          strategy: { questions: [{ url, expression: "body.up", timeout_seconds: 60 }] },
        },
      });
      const { id } = body.data;
      const plan = await one.call<ChangeDetail>("POST", `/change/${id}/plan`, {});
      expect(plan.body.data, JSON.stringify(plan.body)).toMatchObject({ state: "approved" });
      await one.call("POST", `/change/${id}/start`, {});
      await asked.promise;
      nodes[1] = await start("n2");
      const read = async () => (await nodes[1].call<ChangeDetail>("GET", `/change/${id}`)).body.data;
      const target = async () =>
        (await nodes[1].call<ChangeTarget[]>("GET", `/change/${id}/target`)).body.data[0];
      const { due_at } = await read();
      expect(await target()).toMatchObject({ device: "leaf-1", state: "unconfirmed" });
      await one.kill("SIGKILL");
      await expect.poll(async () => (await read()).state, patiently).toBe("done");
      expect(await target()).toMatchObject({ state: "pushed", reason: null });
      expect(switches[1]?.running).toContain("snmp-server location held");
      expect(times).toHaveLength(3);
      expect(times[2], "it waited for the claim of a node that is gone").toBeLessThan(
        Date.parse(due_at ?? ""),
      );
    } finally {
      monitor.closeAllConnections();
      monitor.close();
    }
  }, 300_000);
});
