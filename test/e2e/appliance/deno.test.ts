/**
 * The same source on Deno: `deno task start`, jobs on simulated devices, templates, events, HTTPS, drain,
 * restart.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import process from "node:process";
import * as v from "valibot";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { denoProgram, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { startServer } from "../../../src/testkit/simulator/servers/servers.ts";
import { startSwitch } from "../../drivers/pyeapi/switch.ts";
import { submitTo } from "../../support/submit.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";
import { said, statuses, watch } from "../jobs/events.ts";

const password = "canary-deno-1";
let device: SimulatedDevice;
beforeAll(async () => {
  device = await simulated("cisco_ios", { hostname: "SW1" });
});
afterAll(() => device.stop());

const connection = () => device.connection;
const query = (command: string | string[], more: object = {}) => ({
  driver: "netmiko",
  connection_args: connection(),
  command,
  ...more,
});

test("the task in deno.json runs the program", () => {
  const { tasks } = v.parse(
    v.object({ tasks: v.object({ start: v.string() }) }),
    JSON.parse(readFileSync("deno.json", "utf8")),
  );
  expect(tasks.start).toBe("deno run -A src/main.ts serve");
  const folder = tempFolder();
  const { stdout } = spawnSync(denoProgram(), ["task", "patchbay", "--version"], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: folder, DENO_DIR: folder, NO_COLOR: "1" },
  });
  rmSync(folder, { recursive: true, force: true });
  const { version } = v.parse(
    v.object({ version: v.string() }),
    JSON.parse(readFileSync("package.json", "utf8")),
  );
  expect(stdout).toContain(version);
});

describe("a service on Deno", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ runtime: "deno" });
  });
  afterAll(() => service.stop());

  test.each(["gnmi", "netconf", "restconf", "snmp"] as const)("reads and changes over %s", async (driver) => {
    const server = await startServer(driver);
    const asked = { driver, connection_args: server.connection };
    const [command, config, driver_args] = {
      gnmi: ["/system/config/hostname", { update: { "/system/config/login-banner": "deno" } }, {}],
      netconf: ["get-config", { "ietf-system:system": { location: "deno" } }, {}],
      restconf: [
        "ietf-system:system",
        { "ietf-system:system": { location: "deno" } },
        { path: "ietf-system:system" },
      ],
      snmp: ["sysName", { sysLocation: "deno" }, {}],
    }[driver];
    for (const work of [{ command }, { config, driver_args }]) {
      const job = await service.run({ ...asked, ...work });
      expect(job.status, JSON.stringify(job.result)).toBe("finished");
    }
    await server.stop();
  });

  test("queries a device, keeps its session and parses the output", async () => {
    const before = device.connections();
    const job = await service.run(query("show version", { parsing: { name: "textfsm" } }));
    expect(job).toMatchObject({ status: "finished", queue: "pinned_127.0.0.1" });
    expect(job.result?.retval).toMatchObject({ "show version": [{ hostname: "SW1" }] });
    await service.run(query("show clock"));
    expect(device.connections()).toBe(before + 1);
  });

  test("pushes rendered lines and names a rejected line", async () => {
    const push = (template: string) => ({
      driver: "netmiko",
      connection_args: connection(),
      config: { id: 7 },
      rendering: { name: "jinja2", template },
    });
    const done = await service.run(push("interface Loopback{{ id }}\n description from a template"));
    expect(done.status).toBe("finished");
    expect(JSON.stringify(done.result?.retval)).toContain("interface Loopback7");
    const refused = await service.run(push("interface Loopback{{ id }}\nbogus line"));
    expect(refused.result?.error).toMatchObject({ type: "CommandError", command: "bogus line" });
  });

  test("stops an endless template", async () => {
    const endless =
      "{% set s = 'ab' * 500000 %}{% for a in range(99999) %}{% set b = 'abx' in s %}{% endfor %}";
    const { body } = await service.call("POST", "/template/render", {
      name: "jinja2",
      template: endless,
      context: {},
      timeout: 0.3,
    });
    expect(body.data).toMatchObject({ type: "TemplateTimeout" });
    const again = await service.call("POST", "/template/render", {
      name: "jinja2",
      template: "{{ 6 * 7 }}",
      context: {},
    });
    expect(again.body.data).toBe("42");
  });

  test("reports an interrupted eAPI request as unknown and does not resend it", async () => {
    const arista = await startSwitch({ password });
    const lists: string[] = [];
    arista.meet({
      async before(cmds) {
        lists.push(cmds.join("; "));
        return lists.length === 1 ? "go on" : "lose";
      },
    });
    const { host, port } = { host: "127.0.0.1", port: arista.port };
    const job = await service.run({
      driver: "pyeapi",
      connection_args: { host, port, transport: "http", username: "admin", password },
      config: ["interface Ethernet1", "description cut"],
    });
    expect(job.result?.error).toMatchObject({ type: "ConnectionLost", outcome: "unknown" });
    expect(new Set(lists).size).toBe(lists.length);
    await expect.poll(() => arista.sockets()).toBe(0);
    arista.close();
  });

  test("streams the events of a job", async () => {
    const id = (await submitTo(service, query(["show version", "show clock"]))).body.data.id;
    const events = await watch(service, id);
    expect(statuses(events).at(-1)).toBe("finished");
    expect(said(events)).toBeDefined();
  });

  test("rejects invalid JSON, unknown paths and missing keys", async () => {
    expect((await service.call("POST", "/device/execute", "{")).status).toBe(400);
    expect((await service.call("GET", "/nothing")).status).toBe(404);
    expect((await service.call("GET", "/health", undefined, { "X-API-KEY": "no" })).status).toBe(403);
  });
});

test.skipIf(process.platform !== "linux")("its template processes exit when it is killed", async () => {
  const service = await startService({ runtime: "deno" });
  await service.call("POST", "/template/render", { name: "jinja2", template: "x", context: {} });
  const { pid = 0 } = service.child;
  const threads = readdirSync(`/proc/${pid}/task`);
  const children = threads.flatMap(
    (thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").match(/\d+/g) ?? [],
  );
  expect(children.length).toBeGreaterThan(0);
  await service.kill();
  await expect.poll(() => children.filter((child) => existsSync(`/proc/${child}`))).toEqual([]);
});

test("serves HTTPS with a self-signed certificate", async () => {
  const service = await startService({
    runtime: "deno",
    https: true,
    env: { PATCHBAY_TLS_SELF_SIGNED: "true" },
  });
  expect((await service.call("GET", "/health")).body.data).toBe("ok");
  expect(await service.stop()).toBe(0);
});

test("finishes running jobs at SIGTERM and keeps waiting ones for the next start", async () => {
  const slow = await simulated("cisco_ios", { latencyMs: 60 });
  const dataDir = tempFolder();
  const start = () => startService({ runtime: "deno", dataDir, env: { PATCHBAY_SLOTS: "1" } });
  const first = await start();
  const body = {
    ...query(["show clock", "show clock"]),
    connection_args: { ...connection(), port: slow.port },
  };
  const fifo = { ...body, options: { queue_strategy: "fifo" } };
  const ids: string[] = [];
  for (let at = 0; at < 8; at++) ids.push((await submitTo(first, fifo)).body.data.id);
  expect(await first.stop()).toBe(0);
  const second = await start();
  const ended = await Promise.all(ids.map((id) => second.ended(id)));
  expect(ended.map(({ status }) => status)).toEqual(ids.map(() => "finished"));
  expect(await second.stop()).toBe(0);
  rmSync(dataDir, { recursive: true, force: true });
  await slow.stop();
});
