/** Groups whose devices get configuration by changes only: every way in is refused, says why, and what to do. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ChangeDetail } from "../../../src/api/changes/change.ts";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { programOf, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { labEntry, type SimulatedDevice, simulated } from "../devices.ts";
import { loggedIn } from "../terminal.ts";

const login = { username: "admin", password: "canary-login-9", secret: "canary-enable-9" };
const dataDir = tempFolder();
const devices: SimulatedDevice[] = [];
let service: Service;

beforeAll(async () => {
  service = await startService({ dataDir, env: { PATCHBAY_RETRY_HOURS: "1" } });
  await service.call("PUT", "/credential/lab", login);
  const list: object[] = [];
  for (const [at, name] of ["core-1", "core-2", "free-1"].entries()) {
    const device = await simulated("cisco_ios", login);
    devices.push(device);
    // Addresses of their own, so that each is one device.
    const group = name.startsWith("core") ? "berlin" : "free";
    list.push(labEntry(name, device, "cisco_ios", { host: `127.0.0.${at + 1}`, group, tags: ["lab"] }));
  }
  const groups = [{ name: "core" }, { name: "berlin", parent: "core" }, { name: "free" }];
  expect((await service.call("POST", "/inventory/device", { groups, devices: list })).status).toBe(200);
  await service.call("POST", "/history/take", { select: "tag:lab" }, { Prefer: "wait=60" });
});
afterAll(async () => {
  await service.close();
  for (const device of devices) await device.stop();
});

const config = "ntp server 192.0.2.1";
const waiting = { Prefer: "wait=60" };
const require = (required: boolean) =>
  service.call("PATCH", "/inventory/group/core", { change: required ? { required } : null });
const push = (body: object, headers: Record<string, string> = {}) =>
  service.call<JobRecord>("POST", "/device/execute", { config, ...body }, headers);
const pushedJobs = async () =>
  (await service.call<unknown[]>("GET", "/job?operation=config&limit=500")).body.data.length;
const told =
  /^core-1 gets configuration by changes only: the group core .*Draft one \(at the command line: patchbay push --as-change\)/;

const bulk = (body: object, headers: Record<string, string> = {}) =>
  service.call<{ bulk_id: string }>("POST", "/device/bulk", { config, ...body }, headers);
const schedule = (name: string, request: object, headers: Record<string, string> = {}) => {
  const what = { kind: "push", request: { config, ...request } };
  return service.call("POST", "/schedule", { name, every: "1h", what }, headers);
};
const named = { devices: [{ device: "core-1" }] };
const at = (host: string) => ({
  driver: "netmiko",
  connection_args: { ...login, port: devices[0]?.port, device_type: "cisco_ios", host },
});
const refused = { config: "bogus words here" };

test("a plain push is 409 and names the device, the group and the way, however it comes in", async () => {
  const failed = await push({ device: "core-1", ...refused }, waiting);
  const failedBulk = await bulk({ ...named, ...refused }, waiting);
  expect((await schedule("nightly", named)).status).toBe(201);
  expect((await require(true)).status).toBe(200);
  const before = await pushedJobs();
  const byTemplate = {
    config: { ip: "192.0.2.1" },
    rendering: { name: "jinja2", template: "ntp server {{ ip }}" },
  };
  const mixed = {
    config: undefined,
    ...{ command: "show clock", devices: [{ device: "free-1" }, { device: "core-1", config }] },
  };
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const checks = { after: [{ command: "show clock", contains: ":" }] };
  const ways = {
    name: () => push({ device: "core-1" }),
    address: () => push(at("127.0.0.1")),
    "address in another spelling": () => push(at("0x7f000001")),
    "name of the device as host": () => push({ connection_args: { host: "core-1" } }),
    "a bulk of names": () => bulk({ devices: [{ device: "free-1" }, { device: "core-1" }] }),
    "a bulk of addresses": () => bulk({ ...at(""), devices: [{ host: "127.0.0.1" }] }),
    "a bulk by selector": () => bulk({ select: "name:core-1" }),
    "a bulk with lines of its own": () => bulk(mixed),
    "a template": () => push({ device: "core-1", ...byTemplate }),
    "a push that waits for a time": () => push({ device: "core-1", not_before: later }),
    "a push with checks": () => push({ device: "core-1", checks }),
    "a retry": () => service.call("POST", `/job/${failed.body.data.id}/retry`, {}),
    "a retry of a bulk": () => service.call("POST", `/bulk/${failedBulk.body.data.bulk_id}/retry`, {}),
    "a schedule": () => schedule("weekly", named),
    "a schedule by selector": () => schedule("weekly", { select: "name:core-1" }),
    "a schedule by address": () =>
      schedule("weekly", { driver: "netmiko", devices: [{ host: "127.0.0.1" }] }),
  };
  for (const [way, ask] of Object.entries(ways)) {
    const { status, body } = await ask();
    expect([way, status, body.code], JSON.stringify(body)).toEqual([way, 409, -1]);
    expect(body.message, way).toMatch(told);
  }
  expect(await pushedJobs()).toBe(before);
});

test("a schedule that was saved before fails when it is due, with the reason", async () => {
  const fired = await service.call("POST", "/schedule/nightly/run");
  expect(fired.status, JSON.stringify(fired.body)).toBeLessThan(300);
  const runs = () =>
    service
      .call<{ status: string; reason: string | null }[]>("GET", "/schedule/nightly/firing")
      .then(({ body }) => body.data);
  await expect.poll(() => runs().then(([first]) => first?.status), { timeout: 60_000 }).toBe("failed");
  expect((await runs())[0]?.reason).toMatch(told);
});

test("a change pushes to such a device, with the votes and the ticket that the group asks for", async () => {
  const ask = (change: object) => service.call("PATCH", "/inventory/group/core", { change });
  const draft = { name: "ntp", devices: ["core-1", "free-1"], config, approvals: { count: 0 } };
  await ask({ ticket: "^CHG-" });
  const { id } = (await service.call<ChangeDetail>("POST", "/change", draft)).body.data;
  const say = (word: string) => service.call<ChangeDetail>("POST", `/change/${id}/${word}`, {});
  expect((await say("plan")).body.data).toMatchObject({
    state: "draft",
    reason: expect.stringMatching(/ticket: must match \^CHG-, which the group core/),
  });
  await service.call("PUT", `/change/${id}`, { ...draft, ticket: "CHG-7" });
  await ask({ approvals: 1 });
  expect((await say("plan")).body.data).toMatchObject({
    state: "waiting_approval",
    approvals: { needed: 1 },
  });
  await ask({ approvals: null });
  expect((await say("plan")).body.data).toMatchObject({ state: "approved", approvals: { needed: 0 } });
  await ask({ approvals: 1 });
  const early = await say("start");
  expect([early.status, early.body.message]).toEqual([
    409,
    expect.stringMatching(/^It cannot start: the group core asks for 1 votes since.*Plan it again\.$/),
  ]);
  await ask({ approvals: null });
  expect((await say("start")).status).toBe(200);
  const state = () => service.call<ChangeDetail>("GET", `/change/${id}`).then(({ body }) => body.data.state);
  await expect.poll(state, { timeout: 90_000 }).toBe("done");
});

test("an operator pushes as a change: planned at once, followed to its end, and nothing of it by itself", async () => {
  const someone = await loggedIn(service.url, service.key);
  writeFileSync(join(someone.home, "ntp.cfg"), "ntp server 192.0.2.77\n");
  const run = (...more: string[]) => someone.piped(["push", "--as-change", "--ticket", "CHG-8", ...more]);
  expect(await someone.piped(["push", "core-1", "ntp.cfg", "--yes"])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/core-1 gets configuration by changes only/),
  });
  for (const [args, why] of [
    [["core-1", "ntp.cfg", "--user", "admin"], /--user cannot be combined with --as-change/],
    [["core-9", "ntp.cfg"], /core-9 is no device of the inventory/],
    [["core-1,free-1:2222", "ntp.cfg"], /free-1 has port beside its name/],
  ] as const)
    expect(await run(...args), args.join(" ")).toMatchObject({ code: 2, err: expect.stringMatching(why) });
  const refused = await run("core-1", "ntp.cfg", "--ticket", "INC-1");
  expect(refused.code, refused.err).toBe(1);
  expect(refused.err).toMatch(/not planned: ticket: must match \^CHG-.*\nMend it/);
  const made = await run("--select", "name:core-*", "ntp.cfg");
  expect(made.out).toMatch(/name {6}push of ntp\.cfg\nstate {5}waiting_approval\n[\s\S]*waves {5}1, 1\n/);
  expect(made.err).toMatch(/Nothing was pushed. It needs 1 vote: patchbay change vote/);
  const id = /id {8}(\S+)/.exec(made.out)?.[1] ?? "";
  const waited = someone.at(["push", "core-1", "ntp.cfg", "--as-change", "--ticket", "CHG-9", "--wait"]);
  await waited.sees("It needs 1 vote");
  const { id: second = "" } = /change start (?<id>\S+)/.exec(waited.text())?.groups ?? {};
  await service.call("POST", `/change/${second}/cancel`, {});
  await waited.sees("cancelled");
  expect(await waited.ended).toBe(1);
  const jobs = await service.call<unknown[]>("GET", `/job?tag=change:${id}`);
  expect(jobs.body.data).toEqual([]);
});

test("queries, takes, dry runs, drafts of a restore and other groups go on", async () => {
  const asked = await service.call(
    "POST",
    "/device/execute",
    { device: "core-1", command: "show clock" },
    waiting,
  );
  expect(asked.status).toBe(201);
  expect((await service.call("POST", "/history/take", { devices: ["core-1"] }, waiting)).status).toBe(200);
  expect((await push({ device: "free-1" }, waiting)).body.data).toMatchObject({ status: "finished" });
  const dry = await push({ device: "core-1", driver_args: { dry_run: true } }, waiting);
  expect(dry.body.data, JSON.stringify(dry.body)).toMatchObject({ status: "finished", dry_run: true });
  const draft = await service.call("POST", "/history/device/core-1/1/restore", {});
  expect(draft.status, JSON.stringify(draft.body)).toBeLessThan(300);
});

test("the key for emergencies pushes in spite of it, and the trail names the device; its schedules do not", async () => {
  const [program, ...begin] = programOf();
  const env = { PATH: process.env.PATH, PATCHBAY_DATA_DIR: dataDir };
  const key = spawnSync(program, [...begin, "key", "break-glass"], { encoding: "utf8", env }).stdout.trim();
  const done = await push({ device: "core-1" }, { "X-API-KEY": key });
  expect(done.status, JSON.stringify(done.body)).toBe(201);
  expect(done.body.data).toMatchObject({
    warnings: expect.arrayContaining([
      expect.stringMatching(/without a change, which the group core requires/),
    ]),
  });
  const trail = await service.call<{ action: string; detail: string }[]>("GET", "/audit?limit=50");
  expect(trail.body.data.map(({ detail }) => detail)).toContain(
    "push to core-1 without a change, which the group core requires",
  );
  expect((await schedule("hidden", named, { "X-API-KEY": key })).status).toBe(409);
});
