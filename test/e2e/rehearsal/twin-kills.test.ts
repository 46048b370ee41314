/**
 * Processes of twins are killed, and the service with them: no process is left, no state is lost, and the answer is
 * repeated, or the failure told.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import * as v from "valibot";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, must } from "../../../scripts/chaos/ask.ts";
import { platformOf } from "../../../scripts/chaos/fleet.ts";
import { apiKey, type ChaosNode, createNode } from "../../../scripts/chaos/node.ts";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { programOf } from "../../../src/testkit/service.ts";
import { type Simulator, startSimulator } from "../../../src/testkit/simulator/simulator.ts";
import { isExhaustive } from "../../support/sampled.ts";
import { loggedIn, type Operator } from "../terminal.ts";

const login = { username: "admin", password: "canary-login-327", secret: "canary-enable-327" };
const limits = { timeout: 120_000 };

let folder: string;
let node: ChaosNode;
let device: Simulator;
let someone: Operator;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "patchbay-twin-kills-"));
  const name = "n1";
  node = await createNode({ name, folder, env: { PATCHBAY_RATE_PER_KEY: "100000" } });
  node.spawn();
  device = await startSimulator({ platform: platformOf("arista_eos"), ...login, hostname: "r1" });
  await node.up();
  await must(node, "PUT", "/credential/lab", login);
  const r1 = {
    ...{ name: "r1", host: "127.0.0.1", port: device.port, driver: "netmiko", platform: "arista_eos" },
    credential: { name: "file", ref: "lab" },
  };
  await must(node, "POST", "/inventory/device", { devices: [r1] });
  someone = await loggedIn(node.url, apiKey);
  expect(await someone.piped(["history", "take", "r1", "--wait"])).toMatchObject({ code: 0 });
  await must(node, "PUT", "/intent/ports", {
    ...{ select: "name:r1", text: "interface Ethernet2\n   description server 99\n" },
    sections: [{ name: "ports", match: ["interface Ethernet2"], mode: "contains" }],
  });
});
afterAll(async () => {
  await node?.kill();
  await device?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function childrenOf(pid: number | undefined): number[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  return existsSync(path) ? (readFileSync(path, "utf8").match(/\d+/g) ?? []).map(Number) : [];
}

/** A process that has ended, and that nobody has asked after, is none any more. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

const gone = (pids: readonly number[]) =>
  expect.poll(() => pids.filter(isRunning), { ...limits, message: "processes that are left" }).toEqual([]);

function send(signal: NodeJS.Signals, pids: readonly number[]): void {
  for (const pid of pids) if (isRunning(pid)) process.kill(pid, signal);
}

/** Too long to be played on a twin within the service. */
const lines = [
  "interface Ethernet1",
  "   description moved",
  ...Array.from({ length: 150 }, (_, at) => [
    `interface Vlan${at + 2000}`,
    `   description a network of customer number ${at}`,
  ]).flat(),
];

async function jobOf(id: string): Promise<JobRecord> {
  const { data } = await must(node, "GET", `/job?id=${id}`);
  return Array.isArray(data) ? data[0] : Object(data);
}

const statusOf = async (id: string) => (await jobOf(id)).status;

async function begun(work: object): Promise<string> {
  const { data } = await must(node, "POST", "/device/execute", work);
  const id = String(Reflect.get(Object(data), "id"));
  await expect.poll(() => statusOf(id), limits).not.toBe("queued");
  return id;
}

async function ended(id: string): Promise<JobRecord> {
  await expect.poll(() => statusOf(id), limits).not.toMatch(/^(?:queued|running)$/);
  return jobOf(id);
}

const rehearsing = { device: "r1", config: lines, rehearse: true };

/** Without what differs each time. */
async function rehearsed(id: string) {
  const { status, result } = await ended(id);
  const { rehearsal } = Object(Reflect.get(Object(result), "retval"));
  expect(status, JSON.stringify(result)).toBe("finished");
  return { ...rehearsal, took: 0, configuration: { ...rehearsal.configuration, age_seconds: 0 } };
}

const drift = v.array(v.looseObject({ state: v.string(), fix: v.optional(v.unknown()) }));

async function compared() {
  await must(node, "GET", "/drift/summary?wait=60");
  const { data } = await must(node, "GET", "/drift/device/r1");
  return v.parse(drift, data).map(({ state, fix }) => ({ state, fix }));
}

/** What is kept of the device. */
async function kept() {
  const { data } = await must(node, "GET", "/history/device/r1");
  return v.parse(v.array(v.looseObject({ sha256: v.string() })), data).map(({ sha256 }) => sha256);
}

const times = isExhaustive() ? [1, 2] : [1];

describe("in the processes of the service", () => {
  /** The twins of both are begun, and stand still. */
  async function held() {
    const before = { rehearsal: await rehearsed(await begun(rehearsing)), drift: await compared() };
    expect(before.rehearsal.twin).toMatchObject({ proven: true });
    expect(before.drift).toMatchObject([{ state: "drifted", fix: { twin: { proven: true } } }]);
    const pids = childrenOf(node.pid());
    expect(pids.length).toBeGreaterThan(1);
    send("SIGSTOP", pids);
    await must(node, "POST", "/drift/run", { intents: ["ports"] });
    const job = await begun(rehearsing);
    return { before, pids, job };
  }

  test.each(times)(
    "one that is killed is repeated, %d",
    async () => {
      const versions = await kept();
      const { before, pids, job } = await held();
      expect(await statusOf(job)).toBe("running");
      send("SIGKILL", pids);
      expect(await rehearsed(job)).toEqual(before.rehearsal);
      expect(await compared()).toEqual(before.drift);
      await gone(pids);
      expect(await kept()).toEqual(versions);
    },
    300_000,
  );

  test.each(times)(
    "they end with the service, which does all of it again, %d",
    async () => {
      const versions = await kept();
      const { before, pids, job } = await held();
      await node.kill();
      await gone(pids);
      node.spawn();
      await node.up();
      expect(await rehearsed(job)).toEqual(before.rehearsal);
      expect(await compared()).toEqual(before.drift);
      expect(await kept()).toEqual(versions);
    },
    300_000,
  );

  test("one that computes without an end ends with the service", async () => {
    const find = "{% for b in range(99999) %}{% set c = 'abx' in s %}{% endfor %}";
    const template = `{% set s = 'ab' * 500000 %}{% for a in range(99) %}${find}{% endfor %}`;
    const others = childrenOf(node.pid());
    send("SIGKILL", others);
    await gone(others);
    const answer = ask(node, "POST", "/template/render", {
      ...{ name: "jinja2", template, context: {} },
      timeout: 60,
    });
    const busy = () => childrenOf(node.pid()).filter((pid) => cpuOf(pid) > 100);
    await expect.poll(() => busy().length, limits).toBe(1);
    const pids = busy();
    await node.kill();
    await answer;
    await gone(pids);
    node.spawn();
    await node.up();
  }, 300_000);
});

/** Ticks of user time. */
function cpuOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[11]);
  } catch {
    return 0;
  }
}

describe("patchbay simulate --device", () => {
  interface Twin {
    readonly child: ChildProcess;
    readonly said: () => string;
    readonly code: Promise<number | null>;
  }

  function begin(...more: readonly string[]): Twin {
    const [program, ...first] = programOf({});
    const env = { PATH: process.env.PATH, HOME: someone.home };
    const child = spawn(program, [...first, "simulate", "--device", "r1", ...more], { env });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text) => (said += String(text)));
    return { child, said: () => said, code: once(child, "close").then(([code]) => code) };
  }

  async function twin(...more: readonly string[]) {
    const begun = begin(...more);
    await expect.poll(begun.said, limits).toMatch(/listens on port \d+/);
    const port = Number(/listens on port (\d+)/.exec(begun.said())?.[1]);
    const connection_args = {
      ...{ host: "127.0.0.1", port, device_type: "arista_eos" },
      ...{ username: "admin", password: "admin", secret: "enable" },
    };
    const to = { driver: "netmiko", connection_args };
    const shown = async () => {
      const job = await ended(await beginJob({ ...to, command: "show running-config" }));
      return JSON.stringify(job.result);
    };
    return { ...begun, pid: Number(begun.child.pid), to, shown };
  }

  async function beginJob(work: object): Promise<string> {
    const { data } = await must(node, "POST", "/device/execute", work);
    return String(Reflect.get(Object(data), "id"));
  }

  test("one that is killed in a push leaves nothing, and another one is as the history has it", async () => {
    const before = device.device.configuration.lines();
    const { pid, to, code } = await twin("--thinking", "150");
    const job = await beginJob({ ...to, config: lines });
    const sent = async () => (await jobOf(job)).status === "running";
    await expect.poll(sent, limits).toBe(true);
    send("SIGKILL", [pid, ...childrenOf(pid)]);
    expect(await code).toBeNull();
    await gone([pid]);
    expect(await ended(job)).toMatchObject({
      status: "failed",
      result: { error: { type: expect.stringMatching(/^Connection/) } },
    });
    expect(device.device.configuration.lines()).toEqual(before);
    const next = await twin();
    expect(await next.shown()).not.toContain("moved");
    next.child.kill("SIGINT");
    expect(await next.code).toBe(0);
  }, 300_000);

  test("it outlives the service, with what was pushed to it; one that is not ready says why it ends", async () => {
    const versions = await kept();
    const { to, shown, child, code } = await twin();
    expect(await ended(await beginJob({ ...to, config: lines }))).toMatchObject({ status: "finished" });
    const after = await shown();
    expect(after).toContain("description moved");
    node.freeze();
    const late = begin();
    await once(late.child, "spawn");
    await node.kill();
    expect(await late.code, late.said()).toBe(1);
    expect(late.said()).toMatch(/patchbay: .*127\.0\.0\.1/);
    node.spawn();
    await node.up();
    expect(await shown()).toBe(after);
    expect(await kept()).toEqual(versions);
    child.kill("SIGINT");
    expect(await code).toBe(0);
  }, 300_000);
});
