/** Lines are proven on a twin before they are sent: in a rehearsal, and in what mends drift. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DriftDetail, DriftSummary } from "../../../src/api/intent/intent.ts";
import type { Rehearsal } from "../../../src/api/rehearsal/rehearsal.ts";
import { adminKey, type Service, startService } from "../../../src/testkit/service.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";
import { loggedIn, type Operator } from "../terminal.ts";

const login = { username: "admin", password: "canary-login-4", secret: "canary-enable-4" };
let service: Service;
let device: SimulatedDevice;
let someone: Operator;

beforeAll(async () => {
  [service, device] = await Promise.all([
    startService(),
    simulated("arista_eos", { ...login, hostname: "r1" }),
  ]);
  await service.call("PUT", "/credential/lab", login);
  const r1 = {
    ...{ name: "r1", host: "127.0.0.1", port: device.port, driver: "netmiko", platform: "arista_eos" },
    credential: { name: "file", ref: "lab" },
  };
  expect((await service.call("POST", "/inventory/device", { devices: [r1] })).status).toBe(200);
  await service.call("POST", "/history/take", { device: "r1" }, { Prefer: "wait=60" });
  someone = await loggedIn(service.url, adminKey);
});
afterAll(() => Promise.all([service.stop(), device.stop()]));

async function rehearsed(config: readonly string[], of = service) {
  const job = await of.run({ device: "r1", config, rehearse: true });
  const retval = Reflect.get(job.result ?? {}, "retval");
  return Reflect.get(retval ?? {}, "rehearsal") as Rehearsal;
}

test("a rehearsal says whether a twin takes the lines, and what it does not know of them", async () => {
  const known = await rehearsed(["interface Ethernet1", "   description other", "   no mtu 9214"]);
  expect(known.twin).toEqual({
    ...{ proven: true, lines: 3, unknown: [], unknown_lines: 0 },
    message: "Proven on a twin: it took 3 lines, and shows what they should leave.",
  });
  const unknown = await rehearsed(["interface Ethernet1", "   frobnicate the gizmo"]);
  expect(unknown.twin).toMatchObject({ proven: true, unknown: [{ line: 2 }], unknown_lines: 1 });
  // Only blanks say that the last line is not of the address family.
  const left = await rehearsed([
    "router bgp 65011",
    "   address-family ipv4",
    "      neighbor 192.0.2.0 activate",
    "   timers bgp 3 9",
  ]);
  expect(left.twin).toMatchObject({ proven: false });
});

test("the client shows it", async () => {
  const lines = join(someone.home, "lines.txt");
  writeFileSync(lines, "interface Ethernet1\n   description other\n");
  const pushed = await someone.piped(["push", "--select", "name:r1", lines, "--rehearse"]);
  expect(pushed).toMatchObject({
    code: 0,
    out: expect.stringContaining("Proven on a twin: it took 2 lines"),
  });
});

test("who may not read configurations is told the lines, and nothing of the configuration", async () => {
  const given = { name: "blind", scope: "operate" };
  const { body } = await service.call<{ key: string }>("POST", "/key", given);
  const answer = await fetch(`${service.url}/device/execute`, {
    method: "POST",
    headers: { "X-API-KEY": body.data.key, "Content-Type": "application/json", Prefer: "wait=60" },
    body: JSON.stringify({
      device: "r1",
      config: ["no such line", "neighbor 192.0.2.0 remote-as 7"],
      rehearse: true,
    }),
  });
  const { data } = (await answer.json()) as { data: { result: { retval: { rehearsal: Rehearsal } } } };
  const { twin } = data.result.retval.rehearsal;
  expect(twin).toMatchObject({ proven: true, unknown_lines: 2 });
  expect(JSON.stringify(twin)).not.toMatch(/router bgp|Ethernet/);
});

test("what mends drift is proven on a twin", async () => {
  const intent = {
    ...{ select: "name:r1", text: "interface Ethernet2\n   description server 99\n" },
    sections: [{ name: "ports", match: ["interface Ethernet2"], mode: "contains" }],
  };
  expect((await service.call("PUT", "/intent/ports", intent)).status).toBe(201);
  await service.call<DriftSummary>("GET", "/drift/summary?wait=30");
  const { body } = await service.call<DriftDetail[]>("GET", "/drift/device/r1");
  expect(body.data[0]?.fix, JSON.stringify(body)).toMatchObject({
    proven: true,
    twin: { proven: true, unknown_lines: 0 },
  });
  const shown = await someone.piped(["drift", "show", "r1"]);
  expect(shown.out).toContain("Proven on a twin: it took");
});
