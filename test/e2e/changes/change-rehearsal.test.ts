/** Rehearsals of changes: bound to the plan, in the record of the change, and asked for by groups before a start. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ChangeDetail } from "../../../src/api/changes/change.ts";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { adminKey, type Service, startService } from "../../../src/testkit/service.ts";
import { labEntry, type SimulatedDevice, simulated } from "../devices.ts";
import { loggedIn } from "../terminal.ts";
import { changesOf } from "./asking.ts";

const login = { username: "admin", password: "canary-login-45", secret: "canary-enable-45" };
const names = ["core-1", "core-2", "free-1"];
const devices: SimulatedDevice[] = [];
let service: Service;

beforeAll(async () => {
  service = await startService();
  await service.call("PUT", "/credential/lab", login);
  const list: object[] = [];
  for (const [at, name] of names.entries()) {
    const device = await simulated("cisco_ios", login);
    devices.push(device);
    const group = name.startsWith("core") ? "core" : "free";
    list.push(labEntry(name, device, "cisco_ios", { host: `127.0.0.${at + 1}`, group, tags: ["lab"] }));
  }
  const groups = [{ name: "core", change: { barred_grades: ["locks_out", "unknown"] } }, { name: "free" }];
  const written = await service.call("POST", "/inventory/device", { groups, devices: list });
  expect(written.status, JSON.stringify(written.body)).toBe(200);
  await service.call("POST", "/history/take", { select: "tag:lab" }, { Prefer: "wait=60" });
  // Teaches that such lines are accepted.
  await service.run({ device: "free-1", config: ["interface Loopback5", "description first"] });
});
afterAll(async () => {
  await service.close();
  for (const device of devices) await device.stop();
});

const { say, read, targets } = changesOf(() => service);
const messageOf = ({ body }: { body: object }) => String(Reflect.get(body, "message"));

async function planned(config: readonly string[], more: object = {}): Promise<string> {
  const drafted = await service.call<ChangeDetail>("POST", "/change", {
    ...{ name: "ntp", select: "tag:lab", approvals: { count: 0 }, config, ...more },
  });
  expect(drafted.status, JSON.stringify(drafted.body)).toBe(201);
  const { id } = drafted.body.data;
  expect((await say(id, "plan")).body.data.state).toBe("approved");
  return id;
}

async function rehearsed(id: string, body: object = {}): Promise<ChangeDetail> {
  const begun = await say(id, "rehearse", body);
  expect(begun.status, JSON.stringify(begun.body)).toBe(200);
  const bulk = begun.body.data.rehearsal?.bulk_id ?? "";
  const jobs = await service.call<JobRecord[]>("GET", `/job?bulk_id=${bulk}`);
  for (const { id: job } of jobs.body.data)
    expect(await service.ended(job)).toMatchObject({ status: "finished", operation: "query" });
  return read(id);
}

const good = ["interface Loopback7", " description uplink"];

test("what is pushed teaches which lines are accepted", async () => {
  const learnt = async () => JSON.stringify((await service.call("GET", "/evidence")).body.data);
  await expect.poll(learnt, { timeout: 60_000 }).toContain("description <text>");
});

test("a plan is rehearsed: grades in the change and for each device; a start waits for it where a group asks", async () => {
  const id = await planned(good);
  expect((await read(id)).rehearsal).toBeNull();
  const early = await say(id, "start");
  expect(early.status).toBe(409);
  expect(messageOf(early)).toMatch(
    /^It cannot start: the group core .*asks for a rehearsal.*none for core-1, core-2\. Rehearse its plan\.$/,
  );

  const change = await rehearsed(id);
  expect(change.rehearsal).toMatchObject({
    ...{ stale: false, revision: change.revision, hash: change.hash, devices: 3, rehearsed: 3, refusing: 0 },
  });
  expect(Object.values(change.rehearsal?.grades ?? {}).reduce((sum, lines) => sum + lines, 0)).toBe(6);
  const [first] = await targets(id);
  expect(first?.rehearsal).toMatchObject({ refusals: 0 });
  expect(await service.ended(first?.rehearsal?.job_id ?? "")).toMatchObject({
    result: { retval: { rehearsal: { lines: [{ line: 1 }, { line: 2 }] } } },
  });
  const steps = await service.call<{ what: string }[]>("GET", `/change/${id}/step`);
  expect(steps.body.data.map(({ what }) => what)).toContain("rehearsed");
  // None of the bulks of its waves.
  expect(change.bulks).toEqual([]);
  expect(messageOf(await say(id, "rehearse", { missing: true }))).toMatch(/all its devices were rehearsed/);

  // A new plan, though of the same lines, was not rehearsed.
  await say(id, "plan");
  expect((await read(id)).rehearsal).toMatchObject({ stale: true, rehearsed: 0, grades: {} });
  expect((await targets(id))[0]).not.toHaveProperty("rehearsal");
  expect((await say(id, "start")).status).toBe(409);
  await rehearsed(id, { revision: 2 });
  const started = await say(id, "start");
  expect(started.status, JSON.stringify(started.body)).toBe(200);
  await expect.poll(async () => (await read(id)).state, { timeout: 90_000 }).toBe("done");
});

test("lines with a barred grade keep it from starting, and the group, the device and the grade are named", async () => {
  const id = await planned([
    ...good,
    "frobnicate everything",
    "username admin privilege 1 secret canary-other-45",
  ]);
  const { rehearsal } = await rehearsed(id);
  expect(rehearsal?.grades).toMatchObject({ unknown: 3, locks_out: 3 });
  const refused = await say(id, "start");
  expect(refused.status).toBe(409);
  expect(messageOf(refused)).toMatch(
    /the group core of the inventory takes no line that a rehearsal grades locks_out: core-1 has one, core-2 has one/,
  );
  expect((await say(id, "start", { revision: 1 })).status).toBe(409);
  expect(JSON.stringify(await read(id))).not.toContain("canary-other");
  // Devices of groups that ask for nothing start as before.
  const free = await planned(["frobnicate everything"], { select: "name:free-1" });
  expect((await say(free, "start")).status).toBe(200);
});

test("a configuration that has changed since the rehearsal makes it stale for a group that asks", async () => {
  const id = await planned(["interface Loopback8", " description uplink"], {
    select: "name:core-2",
  });
  await rehearsed(id);
  await service.run({ device: "core-2", config: ["interface Loopback9", "no shutdown"] });
  const device = devices[1];
  if (device === undefined) throw new Error("no device");
  await service.run({ device: "core-2", config: ["ntp server 192.0.2.45"] });
  await service.call("POST", "/history/take", { device: "core-2" }, { Prefer: "wait=60" });
  const refused = await say(id, "start");
  expect(messageOf(refused)).toMatch(/the configuration of core-2 has changed since\. Rehearse its plan/);
  await rehearsed(id);
  expect((await say(id, "start")).status).toBe(200);
});

test("the policy is set as the guide says", async () => {
  const someone = await loggedIn(service.url, adminKey, {});
  const guide = readFileSync(new URL("../../../docs/guides/rehearsal.md", import.meta.url), "utf8");
  const [, pair] = /^\$ patchbay inventory set --group core '(change\.barred_grades=.*)'$/m.exec(guide) ?? [];
  const said = await someone.piped(["inventory", "set", "--group", "core", pair ?? ""]);
  expect(said, said.err).toMatchObject({ code: 0 });
  const { body } = await service.call("GET", "/inventory/group/core");
  expect(body.data).toMatchObject({ change: { barred_grades: ["unknown", "locks_out"] } });
  const wrong = await someone.piped(["inventory", "set", "--group", "core", 'change.barred_grades=["seen"]']);
  expect(wrong.code).not.toBe(0);
});

test("what has no plan, or another revision, is not rehearsed; nor by who may only read", async () => {
  const drafted = await service.call<ChangeDetail>("POST", "/change", {
    ...{ name: "x", devices: ["free-1"], config: "x", approvals: { count: 0 } },
  });
  const { id } = drafted.body.data;
  expect(await say(id, "rehearse")).toMatchObject({ status: 409 });
  await say(id, "plan");
  expect(messageOf(await say(id, "rehearse", { revision: 7 }))).toMatch(/has revision 1, not 7/);
  expect((await say(id, "rehearse", { al: true })).status).toBe(422);
  const reader = await service.call<{ key: string }>("POST", "/key", { name: "reader", scope: "read" });
  const asReader = await service.call(
    "POST",
    `/change/${id}/rehearse`,
    {},
    { "X-API-KEY": reader.body.data.key },
  );
  expect(asReader.status).toBe(403);
});

test("without the right to read secrets a right guess looks as a wrong one", async () => {
  const secret = "canary-snmp-45";
  await service.run({ device: "free-1", config: [`snmp-server community ${secret} RO`] });
  await service.call("POST", "/history/take", { device: "free-1" }, { Prefer: "wait=60" });
  const keyOf = async (name: string, rights: string[]) =>
    (await service.call<{ key: string }>("POST", "/key", { name, scope: "operate", rights })).body.data.key;
  const keys = {
    without: await keyOf("guesser", ["history"]),
    with: await keyOf("owner", ["history_secrets"]),
  };
  const rehearse = async (key: string, guess: string) => {
    const body = { device: "free-1", config: [`snmp-server community ${guess} RO`], rehearse: true };
    const { body: answer } = await service.call<JobRecord>("POST", "/device/execute", body, {
      ...{ "X-API-KEY": key, Prefer: "wait=60" },
    });
    return Reflect.get(Reflect.get(answer.data.result ?? {}, "retval") ?? {}, "rehearsal");
  };
  const shown = async (key: string, guess: string) => {
    const { took: _, ...said } = await rehearse(key, guess);
    // A second may have passed meanwhile.
    return JSON.stringify(said)
      .replaceAll(/<secret [0-9a-f]{6}>/g, "<secret>")
      .replace(/"age_seconds":\d+/, '"age_seconds":0');
  };
  expect(await shown(keys.without, secret)).toBe(await shown(keys.without, "another-one-45"));
  expect(await shown(keys.without, secret)).toContain("without the right history_secrets");
  const mark = (said: { lines: object }) => /<secret ([0-9a-f]{6})>/.exec(JSON.stringify(said.lines))?.[1];
  const stored = mark(await rehearse(keys.with, secret));
  expect(stored).toBeDefined();
  expect(mark(await rehearse(keys.without, secret))).not.toBe(stored);
  expect((await rehearse(keys.with, secret)).grades).toEqual({ no_effect: 1 });
});

test("the client rehearses a plan, tells what is known, and ends with 1 if lines would be refused or lock out", async () => {
  const someone = await loggedIn(service.url, adminKey, {});
  const id = await planned(good, { name: "by the client" });
  const said = await someone.piped(["change", "rehearse", id]);
  expect(said, said.err).toMatchObject({ code: 0 });
  expect(said.out).toMatch(/3 of 3 devices/);
  const bad = await planned(["username admin privilege 1 secret canary-other-45"], { name: "bad" });
  const told = await someone.piped(["change", "rehearse", bad]);
  expect(told.code).toBe(1);
  expect(told.out).toMatch(/locks_out/);
});
