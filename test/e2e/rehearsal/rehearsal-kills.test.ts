/**
 * A node is killed in a rehearsal that asks devices, behind each write to them, in a plain run behind some: nothing is left open there, nothing is
 * applied, and the rehearsal is repeated.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ask, must } from "../../../scripts/chaos/ask.ts";
import { platformOf } from "../../../scripts/chaos/fleet.ts";
import { type ChaosNode, createNode } from "../../../scripts/chaos/node.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Netconfd, startNetconfd } from "../../../scripts/testbed/netconfd.ts";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { pause } from "../../../src/base/time/deadline.ts";
import { type Simulator, startSimulator } from "../../../src/testkit/simulator/simulator.ts";
import { password as eosPassword, startStatefulSwitch } from "../../drivers/napalm/eos/switch.ts";
import { openOn } from "../../drivers/netconf/open.ts";
import { startSwitch } from "../../drivers/pyeapi/switch.ts";
import { taskContext } from "../../plugin/context.ts";
import { isExhaustive, sampleSeed } from "../../support/sampled.ts";
import { type HeldLine, heldLine } from "../drivers/held-line.ts";

const login = { username: "admin", password: "canary-login-288", secret: "canary-login-288" };
const person = "night-shift";

interface Place {
  readonly name: string;
  readonly line: HeldLine;
  readonly request: object;
  /** What a rehearsal must not have left; undefined: nothing. */
  left(): Promise<unknown>;
  stop(): unknown;
}

let folder: string;
let node: ChaosNode;
let places: Place[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "patchbay-rehearsal-kills-"));
  // A job waits for its device while its answer is held.
  node = await createNode({ name: "n1", folder, env: { PATCHBAY_RATE_PER_KEY: "100000" } });
  node.spawn();
  places = await Promise.all([
    ...[eosByPyeapi(), eosByNapalm()],
    ...[terminal("juniper_junos", ["set system services netconf", "set system host-name r9"])],
    ...[terminal("cisco_xr", ["interface Loopback7", " description first", "hostname r9"])],
    ...(needs("netconfd") ? [] : [netconf()]),
  ]);
  await node.up();
});
afterAll(async () => {
  await node?.kill();
  for (const { line, stop } of places ?? []) {
    line.close();
    await stop();
  }
  rmSync(folder, { recursive: true, force: true });
});

/** Each has an address of its own: jobs of one address wait for each other. */
let hosts = 0;
const nextHost = () => `127.88.2.${++hosts}`;

async function eosByPyeapi(): Promise<Place> {
  const host = nextHost();
  const { password } = login;
  const device = await startSwitch({ password, thinkMs: 0 });
  device.sessions.set(person, ["vlan 7"]);
  const line = await heldLine(device.port, host);
  const before = [...device.running];
  const connection_args = { host, port: line.port, transport: "http", username: "admin", password };
  return {
    ...{ name: "EOS, pyeapi", line, stop: device.close },
    request: { driver: "pyeapi", connection_args, config: ["vlan 20", "name X"] },
    async left() {
      const sessions = [...device.sessions.keys()].filter((name) => name !== person);
      expect(device.sessions.get(person)).toEqual(["vlan 7"]);
      return sessions.length === 0 && device.running.join() === before.join() ? undefined : sessions;
    },
  };
}

async function eosByNapalm(): Promise<Place> {
  const host = nextHost();
  const device = await startStatefulSwitch();
  const line = await heldLine(device.port, host);
  const before = [...device.model.running];
  const optional_args = { transport: "http", port: line.port };
  const connection_args = { device_type: "eos", hostname: host, username: "admin", optional_args };
  return {
    ...{ name: "EOS, napalm", line, stop: device.close },
    request: {
      driver: "napalm",
      connection_args: { ...connection_args, password: eosPassword },
      config: ["vlan 20", "   name NEW"],
    },
    async left() {
      const open = [...device.model.sessions].filter(([, { state }]) => state === "pending");
      return open.length === 0 && device.model.running.join() === before.join() ? undefined : open;
    },
  };
}

async function terminal(platform: string, config: readonly string[]): Promise<Place> {
  const host = nextHost();
  const device: Simulator = await startSimulator({ platform: platformOf(platform), ...login });
  const line = await heldLine(device.port, host);
  const { configuration, kept } = device.device;
  const before = configuration.lines().join("\n");
  return {
    ...{ name: platform, line, stop: device.stop },
    request: {
      ...{ driver: "netmiko", config },
      connection_args: { host, port: line.port, device_type: platform, ...login },
    },
    async left() {
      const isBefore = configuration.lines().join("\n") === before;
      return kept.shared.length === 0 && kept.trial() === undefined && isBefore ? undefined : kept.shared;
    },
  };
}

async function netconf(): Promise<Place> {
  const server: Netconfd = await startNetconfd();
  const { user: username, password } = server;
  const own = nextHost();
  const line = await heldLine(server.port, own);
  const another = await openOn(server, {}, () => taskContext({}, 900_000));
  const config = {
    "ietf-interfaces:interfaces": {
      interface: [{ name: "eth7", type: "iana-if-type:ethernetCsmacd", description: "first" }],
    },
  };
  const shown = (source: string) => another.ask("get-config", { source, format: "xml" });
  const before = await shown("running");
  return {
    ...{ name: "netconfd", line },
    request: {
      driver: "netconf",
      connection_args: { host: own, port: line.port, username, password },
      config,
    },
    async left() {
      for (const name of ["lock", "unlock"])
        await another.operate(`<rpc><${name}><target><candidate/></target></${name}></rpc>`);
      const [running, candidate] = [await shown("running"), await shown("candidate")];
      return running === before && candidate === before ? undefined : candidate;
    },
    async stop() {
      await another.close();
      await server.stop();
    },
  };
}

async function jobOf(id: string): Promise<JobRecord | undefined> {
  const { data } = await ask(node, "GET", `/job?id=${id}`);
  return Array.isArray(data) ? data[0] : undefined;
}

async function ended(id: string): Promise<JobRecord> {
  for (;;) {
    const job = await jobOf(id);
    if (job !== undefined && job.status !== "queued" && job.status !== "running") return job;
    await pause(20);
  }
}

/** @returns the devices that were in the middle of their rehearsal when the node was killed */
async function killedAt(writes: number): Promise<string[]> {
  const work = await Promise.all(
    places.map(async ({ name, line, request }) => {
      const held = line.holdAt(writes).then(() => "held" as const);
      const { data } = await must(node, "POST", "/device/execute", { ...request, rehearse: true });
      return { name, line, held, id: String(Reflect.get(Object(data), "id")) };
    }),
  );
  const stages = await Promise.all(work.map(({ held, id }) => Promise.race([held, ended(id)])));
  await node.kill();
  for (const { line } of work) line.release();
  node.spawn();
  await node.up();
  for (const { name, id } of work) {
    const job = await ended(id);
    const where = `${name}, killed behind write ${writes}: ${JSON.stringify(job)}`;
    expect(job.status, where).toBe("finished");
    const rehearsal = Reflect.get(Object(job.result?.retval), "rehearsal");
    expect(rehearsal, where).toMatchObject({ grades: { checked: expect.any(Number) } });
  }
  for (const { name, left } of places)
    await expect.poll(left, { timeout: 60_000, message: `${name}, write ${writes}` }).toBeUndefined();
  return work.flatMap(({ name }, at) => (stages[at] === "held" ? [name] : []));
}

test("a rehearsal that is killed leaves no candidate, applies nothing, and is repeated", async () => {
  const interrupted: string[] = [];
  // How many writes there are turns out on the way: a plain run looks at every third one.
  const step = isExhaustive() ? 1 : 3;
  for (let writes = 1 + (sampleSeed() % step); ; writes += step) {
    const now = await killedAt(writes);
    if (now.length === 0) break;
    interrupted.push(...now);
  }
  for (const { name } of places)
    expect(interrupted.filter((one) => one === name).length, name).toBeGreaterThan(2 / step);
}, 900_000);
