/** A rehearsal says what was not asked of the device, and why: over the API, and as people read it. */
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { notAskedWords } from "../../../src/api/rehearsal/not-asked.ts";
import type { Rehearsal } from "../../../src/api/rehearsal/rehearsal.ts";
import { adminKey, type Service, startService } from "../../../src/testkit/service.ts";
import {
  password as eosPassword,
  type StatefulSwitch,
  startStatefulSwitch,
} from "../../drivers/napalm/eos/switch.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";
import { loggedIn } from "../terminal.ts";

let service: Service;
let ios: SimulatedDevice;
let junos: SimulatedDevice;
let eos: StatefulSwitch;

beforeAll(async () => {
  [service, ios, junos, eos] = await Promise.all([
    startService(),
    simulated("cisco_ios"),
    simulated("juniper_junos"),
    startStatefulSwitch(),
  ]);
});
afterAll(async () => {
  await Promise.all([service.close(), ios.stop(), junos.stop(), eos.close()]);
});

const at = (device_type: string, { port, username, password, secret }: SimulatedDevice) => ({
  driver: "netmiko",
  connection_args: { host: "127.0.0.1", port, device_type, username, password, secret },
});

async function told(work: object): Promise<Pick<Rehearsal, "not_asked" | "grades">> {
  const job = await service.run({ ...work, rehearse: true });
  const { not_asked, grades } = Object(Reflect.get(Object(job.result), "retval")).rehearsal ?? job;
  return { not_asked, grades };
}

const commit = { what: "commit", because: "not_simulated", why: notAskedWords.not_simulated };
const setName = { config: ["set system host-name r9"] };

test("a system without a check of its own", async () => {
  expect(await told({ ...at("cisco_ios", ios), config: ["hostname x"] })).toMatchObject({
    not_asked: [{ what: "check", because: "no_check", why: notAskedWords.no_check }],
  });
});

test("a device that has checked the lines, and one that is not reached", async () => {
  const asked = at("juniper_junos", junos);
  expect(await told({ ...asked, ...setName })).toEqual({ grades: { checked: 1 }, not_asked: [commit] });
  const taken = createServer().listen(0, "127.0.0.1");
  await new Promise((ready) => taken.once("listening", ready));
  const port = Number(Reflect.get(Object(taken.address()), "port"));
  await new Promise((closed) => taken.close(closed));
  const gone = { ...asked, connection_args: { ...asked.connection_args, port }, ...setName };
  expect(await told(gone)).toEqual({
    grades: { unknown: 1 },
    not_asked: [
      {
        what: "check",
        because: "not_reached",
        why: expect.stringMatching(/^it was not reached: .*refused/i),
      },
      commit,
    ],
  });
});

test("arguments that leave the check out", async () => {
  const connection_args = { host: "127.0.0.1", port: 9, username: "u", password: "p" };
  const work = { driver: "netconf", connection_args, driver_args: { lock: false } };
  expect(await told({ ...work, config: { "ietf-interfaces:interfaces": {} } })).toMatchObject({
    not_asked: [{ what: "check", because: "arguments", why: notAskedWords.arguments }, commit],
  });
});

test("a configuration that somebody else holds", async () => {
  const optional_args = { transport: "http", port: eos.port };
  const connection_args = { device_type: "eos", hostname: "127.0.0.1", username: "admin", optional_args };
  const work = {
    driver: "napalm",
    connection_args: { ...connection_args, password: eosPassword },
    config: ["vlan 20", "   name NEW"],
  };
  expect(await told(work)).toEqual({ grades: { checked: 2 }, not_asked: [commit] });
  const before = [...eos.model.running];
  eos.model.sessions.set("of-a-person", { lines: [...before], state: "pending" });
  expect(await told(work)).toMatchObject({
    not_asked: [
      { because: "locked", why: expect.stringMatching(/^another session holds .*: .*of-a-person/) },
      commit,
    ],
  });
  expect([...eos.model.running]).toEqual(before);
  const given = await service.call<{ key: string }>("POST", "/key", { name: "blind", scope: "operate" });
  const answer = await fetch(`${service.url}/device/execute`, {
    method: "POST",
    headers: {
      "X-API-KEY": given.body.data.key,
      "Content-Type": "application/json",
      Prefer: "wait=60",
    },
    body: JSON.stringify({ ...work, rehearse: true }),
  });
  const said = await answer.text();
  expect(said).toContain(`"why":"${notAskedWords.locked}"`);
  expect(said).not.toContain("of-a-person");
});

test("the command line shows it", async () => {
  const someone = await loggedIn(service.url, adminKey, {});
  const { connection_args, driver } = at("cisco_ios", ios);
  const { host, port, device_type: platform, ...login } = connection_args;
  await service.call("PUT", "/credential/lab", login);
  const device = { name: "r1", host, port, driver, platform, credential: { name: "file", ref: "lab" } };
  await service.call("POST", "/inventory/device", { devices: [device] });
  const lines = join(someone.home, "lines.txt");
  writeFileSync(lines, "hostname x\n");
  const pushed = await someone.piped(["push", "--select", "name:r1", lines, "--rehearse"]);
  expect(pushed.out).toContain(`not asked: the device has checked no line: ${notAskedWords.no_check}`);
});
