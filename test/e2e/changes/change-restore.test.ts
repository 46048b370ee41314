/** Changes that give devices back what they had: by lines on IOS, as a whole on EOS, with the secrets of the time. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ChangeDetail, ChangeTarget } from "../../../src/api/changes/change.ts";
import type { ChangeComparison, ChangeDifference } from "../../../src/api/changes/change-difference.ts";
import type { VersionRecord } from "../../../src/api/history/history.ts";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { type Switch, startSwitch } from "../../drivers/pyeapi/switch.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";
import { loggedIn } from "../terminal.ts";
import { changesOf } from "./asking.ts";

const login = { username: "admin", password: "canary-login-9", secret: "canary-enable-9" };
const canaries = ["canaryCommunity1", "canaryCommunity2"];
const waiting = { Prefer: "wait=60" };
const original = ["hostname sw1", "snmp-server community canaryCommunity1 ro"];

let service: Service;
let eos: Switch;
const routers: SimulatedDevice[] = [];
let before = "";

beforeAll(async () => {
  [service, eos] = await Promise.all([
    startService(),
    startSwitch({ password: login.password, enable: login.secret }),
  ]);
  await service.call("PUT", "/credential/lab", login);
  const credential = { name: "file", ref: "lab" };
  const devices: object[] = [
    ...[{ name: "leaf-1", host: "127.0.0.1", port: eos.port, credential, driver: "pyeapi" }].map((leaf) => ({
      ...leaf,
      ...{ connection: { transport: "http" }, tags: ["lab"] },
    })),
    { name: "srv", host: "127.0.0.9", credential, driver: "netmiko", platform: "linux" },
  ];
  for (const name of ["r1", "r2", "r3"]) {
    const router = await simulated("cisco_ios", login);
    routers.push(router);
    const place = { host: "127.0.0.1", port: router.port, driver: "netmiko", platform: "cisco_ios" };
    devices.push({ name, ...place, credential, tags: ["lab"] });
  }
  expect((await service.call("POST", "/inventory/device", { devices })).status).toBe(200);
  // A configuration that is far shorter than the one before would be suspect.
  const servers = Array.from({ length: 20 }, (_, at) => `ntp server 192.0.2.${at + 1}`);
  for (const device of ["r1", "r2", "r3"]) await service.run({ device, config: servers });
  eos.running.splice(0, eos.running.length, ...original);
  await take();
  before = new Date().toISOString();
  for (const device of ["r1", "r2"])
    await service.run({
      device,
      config: ["interface Loopback9", "description wrong", "exit", `snmp-server community ${canaries[0]} RO`],
    });
  eos.running.splice(1, 1, `snmp-server community ${canaries[1]} ro`, "vlan 7");
  await take();
});
afterAll(async () => {
  await service.close();
  for (const router of routers) await router.stop();
  eos.close();
});

const take = () => service.call("POST", "/history/take", { select: "tag:lab" }, waiting);
const draft = (more: object, key = service.key) =>
  service.call<ChangeDetail>(
    "POST",
    "/change",
    { name: "back", select: "tag:lab", approvals: { count: 0 }, ...more },
    { "X-API-KEY": key },
  );
const { say, read, ended } = changesOf(() => service);
const versions = async (device: string) =>
  (await service.call<VersionRecord[]>("GET", `/history/device/${device}`)).body.data;

/** Lines that restore a version are text of the history. */
async function withoutHistory(id: string): Promise<void> {
  const made = await service.call<{ key: string }>("POST", "/key", { name: "reader", scope: "read" });
  const headers = { "X-API-KEY": made.body.data.key };
  for (const path of [`/change/${id}`, `/change/${id}/report`, `/change/${id}/report.md`]) {
    const answer = await fetch(`${service.url}${path}`, { headers });
    const text = await answer.text();
    expect(answer.status, text).toBe(200);
    expect(text, path).not.toMatch(/clean-config|hostname sw1|no interface Loopback9/);
    expect(text, path).toContain("only with the right history");
  }
}

test("what many devices had at a time comes back in waves, voted on as lines, with their secrets", async () => {
  const { body } = await draft({ restore: { at: before }, strategy: { canary: ["r2"], waves: ["100%"] } });
  const { id } = body.data;
  const planned = (await say(id, "plan")).body.data;
  expect(planned, JSON.stringify(planned)).toMatchObject({ state: "approved", waves: [1, 2] });
  expect(planned.warnings[0]).toBe("left out, as they have that configuration: r3");
  const lines = planned.groups.map((group) => [group.devices, group.lines.split("\n")]);
  expect(lines).toContainEqual([
    2,
    expect.arrayContaining(["no interface Loopback9", expect.stringMatching(/^no snmp.*<secret \w+> RO$/)]),
  ]);
  expect(lines).toContainEqual([1, expect.arrayContaining(["rollback clean-config", "hostname sw1"])]);
  const { data } = (await service.call<ChangeDifference>("GET", `/change/${id}/target/leaf-1/difference`))
    .body;
  expect(data.difference).toContain("\n-vlan 7");
  expect(data).toMatchObject({ version: 2, added: 1, removed: 2 });
  await withoutHistory(id);
  expect((await say(id, "start")).status).toBe(200);
  await ended(id, "done");
  const { body: list } = await service.call<ChangeTarget[]>("GET", `/change/${id}/target`);
  expect(list.data.map(({ device, wave, state }) => `${wave} ${device} ${state}`)).toEqual([
    "1 r2 pushed",
    "2 leaf-1 pushed",
    "2 r1 pushed",
  ]);
  // The switch of the tests only keeps what it was sent.
  expect(eos.running.slice(-3)).toEqual(["rollback clean-config", ...original]);
  for (const device of ["r1", "r2"]) {
    const [last, ...others] = await versions(device);
    expect(last?.sha256, device).toBe(others.at(-1)?.sha256);
  }
  const steps = await service.call("GET", `/change/${id}/step`);
  const jobs = await service.call("GET", `/job?tag=change:${id}`);
  const told = JSON.stringify([planned, data, list, steps.body, jobs.body, service.output()]);
  for (const canary of canaries) expect(told).not.toContain(canary);
});

test("a device that can compare tells the difference itself, and gets nothing", async () => {
  const before = [...eos.running];
  const compared = (id: string, device: string) =>
    service.call<ChangeComparison>("POST", `/change/${id}/target/${device}/compare`, {});
  const told = async (id: string) => {
    const { status, body } = await compared(id, "leaf-1");
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.data.warnings).toEqual([]);
    await service.ended(body.data.job?.id ?? "");
    const job = await service.job(body.data.job?.id ?? "");
    expect(job, JSON.stringify(job.result)).toMatchObject({
      status: "finished",
      dry_run: true,
      device: "leaf-1",
    });
    return job;
  };
  const plain = (await draft({ config: "vlan 9", driver_args: { save: true } })).body.data;
  await say(plain.id, "plan");
  expect(JSON.stringify((await told(plain.id)).result)).toContain("vlan 9");
  expect((await compared(plain.id, "r1")).body.data).toMatchObject({
    job: null,
    warnings: [expect.stringContaining("cannot let this device compare")],
  });
  expect((await compared(plain.id, "srv")).status).toBe(404);
  const someone = await loggedIn(service.url, service.key);
  const shown = await someone.piped(["change", "diff", plain.id, "leaf-1", "--on-device"]);
  expect(shown.out, shown.err).toMatch(/^leaf-1: patchbay job [0-9a-f-]{36} --follow\n$/);
  const back = (await draft({ select: "name:leaf-1", restore: { version: 2 } })).body.data;
  await say(back.id, "plan");
  const restored = await told(back.id);
  expect(JSON.stringify(restored)).not.toContain(canaries[1]);
  expect(eos.running).toEqual(before);
  await say(plain.id, "cancel");
  await say(back.id, "cancel");
});

test("such a change is returned like any other", async () => {
  const { id } = (await draft({ select: null, devices: ["r1"], restore: { version: 2 } })).body.data;
  expect((await say(id, "plan")).body.data.state).toBe("approved");
  await say(id, "start");
  await ended(id, "done");
  const [pushed] = await versions("r1");
  await say(id, "return");
  await ended(id, "returned");
  const [now] = await versions("r1");
  expect(now?.sha256).not.toBe(pushed?.sha256);
});

test("what cannot be restored is refused with the device and the reason", async () => {
  const reasonOf = async (more: object) => {
    const { body } = await draft(more);
    return (await say(body.data.id, "plan")).body.data.reason;
  };
  expect(await reasonOf({ select: "name:srv", restore: { at: before } })).toMatch(
    /restore: srv: the driver netmiko knows no way/,
  );
  expect(await reasonOf({ restore: { at: "2001-01-01T00:00:00Z" } })).toMatch(
    /r1: it has no good version that old/,
  );
  expect(await reasonOf({ restore: { version: 1 } })).toMatch(/restore.version: is a version of one device/);
  expect(await reasonOf({ select: "name:r3", restore: { version: 1 } })).toMatch(/nothing differs/);
  expect(await reasonOf({ select: "name:r3", restore: { version: 99 } })).toMatch(/no good version 99/);
  for (const wrong of [
    { restore: {} },
    { restore: { at: before, version: 1 } },
    { restore: { at: before }, config: "x" },
    { restore: { at: "yesterday" } },
  ])
    expect((await draft(wrong)).status, JSON.stringify(wrong)).toBe(422);
  const { body } = await service.call<{ key: string }>("POST", "/key", { name: "plain", scope: "operate" });
  expect((await draft({ restore: { at: before } }, body.data.key)).status).toBe(403);
});

test("an operator restores a version as a change", async () => {
  const someone = await loggedIn(service.url, service.key);
  const made = await someone.piped(["history", "restore", "r1", "2", "--as-change", "--ticket", "CHG-9"]);
  expect(made.code, made.err).toBe(0);
  expect(made.out).toMatch(/name {6}r1 as in version 2\n/);
  expect(made.out).toMatch(/ticket {4}CHG-9\n/);
  expect(made.out).toMatch(/ {2}interface Loopback9\n/);
  expect(made.err).toMatch(/Nothing was pushed. It needs 1 vote/);
  const many = await someone.piped([
    "history",
    "restore",
    "--select",
    "tag:lab and not name:leaf-1",
    "--at",
    before,
    "--as-change",
  ]);
  expect(many.code, many.err).toBe(1);
  expect(many.err).toMatch(/nothing differs/);
});

test("a group that bars grades asks for a rehearsal of what is given back too; as a whole it has none", async () => {
  const groups = ["core", "whole"].map((name) => ({
    name,
    // Such lines were accepted on another device before.
    change: { barred_grades: ["locks_out", "unknown", "alike"] },
  }));
  expect((await service.call("POST", "/inventory/device", { groups })).status).toBe(200);
  const grouped = (name: string, group: string | null) =>
    service.call("PATCH", `/inventory/device/${name}`, { group });
  expect((await grouped("r2", "core")).status).toBe(200);
  expect((await grouped("leaf-1", "whole")).status).toBe(200);
  const messageOf = ({ body }: { body: object }) => String(Reflect.get(body, "message"));
  const found = await versions("r2");
  const wanted = found.find(({ sha256 }) => sha256 !== found[0]?.sha256)?.version;
  const { id } = (await draft({ select: null, devices: ["r2"], restore: { version: wanted } })).body.data;
  expect((await say(id, "plan")).body.data.state).toBe("approved");
  const early = await say(id, "start");
  expect(messageOf(early)).toMatch(
    /the group core .* asks for a rehearsal of its plan, and there is none for r2/,
  );
  const begun = await say(id, "rehearse");
  expect(begun.status, JSON.stringify(begun.body)).toBe(200);
  const jobs = await service.call<JobRecord[]>("GET", `/job?bulk_id=${begun.body.data.rehearsal?.bulk_id}`);
  const [first] = jobs.body.data;
  const job = await service.ended(first?.id ?? "");
  expect(job, JSON.stringify(job)).toMatchObject({ status: "finished", operation: "query" });
  const said = JSON.stringify(await service.job(job.id));
  expect(said).toMatch(/snmp-server community <secret \w+> RO/);
  for (const canary of canaries) expect(said).not.toContain(canary);
  const { rehearsal } = await read(id);
  expect(rehearsal, JSON.stringify(rehearsal)).toMatchObject({ stale: false, rehearsed: 1, devices: 1 });
  expect(rehearsal?.grades.alike).toBeGreaterThan(0);
  expect(messageOf(await say(id, "start"))).toMatch(/takes no line that a rehearsal grades .*: r2 has/);
  const less = [{ name: "core", change: { barred_grades: ["locks_out"] } }];
  await service.call("POST", "/inventory/device", { groups: less });
  expect((await say(id, "start")).status).toBe(200);
  await ended(id, "done");

  const whole = (await draft({ select: null, devices: ["leaf-1"], restore: { version: 2 } })).body.data;
  expect((await say(whole.id, "plan")).body.data.state).toBe("approved");
  expect(messageOf(await say(whole.id, "rehearse"))).toMatch(/as a whole, not by lines/);
  const refused = await say(whole.id, "start");
  expect(refused.status).toBe(409);
  expect(messageOf(refused)).toMatch(
    /given back as a whole has none: leaf-1\. Push what is to change as lines/,
  );
  await grouped("r2", null);
  await grouped("leaf-1", null);
});
