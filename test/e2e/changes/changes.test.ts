/** Changes on simulated devices: planned, started, rolled out in waves, stopped by a refusal and returned. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type {
  ChangeDetail,
  ChangeReport,
  ChangeTarget,
  StepRecord,
} from "../../../src/api/changes/change.ts";
import type { ChangeDifference } from "../../../src/api/changes/change-difference.ts";
import { readEvents } from "../../../src/client/service/events.ts";
import { adminKey, type Service, startService } from "../../../src/testkit/service.ts";
import { temporary } from "../../support/temporary.ts";
import { labEntry, type SimulatedDevice, simulated } from "../devices.ts";
import { loggedIn } from "../terminal.ts";
import { changesOf } from "./asking.ts";

const login = { username: "admin", password: "canary-login-9", secret: "canary-enable-9" };
const names = ["acc-1", "acc-2", "acc-3", "acc-4", "acc-5"];

type ChangeReportAnswer = ChangeReport & { readonly device_results: readonly ChangeTarget[] };

let service: Service;
const devices: SimulatedDevice[] = [];

beforeAll(async () => {
  service = await startService();
  await service.call("PUT", "/credential/lab", login);
  const list = [];
  for (const name of names) {
    const device = await simulated("cisco_ios", login);
    devices.push(device);
    list.push(labEntry(name, device, "cisco_ios", { tags: ["lab"] }));
  }
  expect((await service.call("POST", "/inventory/device", { devices: list })).status).toBe(200);
  await service.call("POST", "/history/take", { select: "tag:lab" }, { Prefer: "wait=60" });
});
afterAll(async () => {
  await service.close();
  for (const device of devices) await device.stop();
});

const draft = (more: object) =>
  service.call<ChangeDetail>("POST", "/change", {
    name: "ntp",
    select: "tag:lab",
    approvals: { count: 0 },
    ...more,
  });
const { say, targets, ended } = changesOf(() => service);

async function planned(more: object): Promise<ChangeDetail> {
  const { status, body } = await draft(more);
  expect(status, JSON.stringify(body)).toBe(201);
  const plan = await say(body.data.id, "plan");
  expect(plan.body.data.state, JSON.stringify(plan.body)).toBe("approved");
  return plan.body.data;
}

test("a change goes out in waves: the canary first, and each device once", async () => {
  const change = await planned({
    config: "ntp server 192.0.2.1",
    strategy: { canary: ["acc-3"], waves: ["2", "100%"] },
  });
  expect(change).toMatchObject({ waves: [1, 2, 2], revision: 1, targets: { waiting: 5 }, not_returnable: 0 });
  expect(change.groups).toMatchObject([{ devices: 5, lines: "ntp server 192.0.2.1" }]);
  expect((await say(change.id, "start")).status).toBe(200);
  await ended(change.id, "done");
  const list = await targets(change.id);
  expect(list.map(({ device, wave, state }) => `${wave} ${device} ${state}`)).toEqual([
    "1 acc-3 pushed",
    "2 acc-1 pushed",
    "2 acc-2 pushed",
    "3 acc-4 pushed",
    "3 acc-5 pushed",
  ]);
  for (const { before_version, after_version } of list)
    expect([before_version, after_version]).toEqual([1, 2]);
  const jobs = await service.call<{ id: string; operation: string }[]>(
    "GET",
    `/job?tag=change:${change.id}&operation=config`,
  );
  expect(jobs.body.data).toHaveLength(5);
  const steps = await service.call<StepRecord[]>("GET", `/change/${change.id}/step`);
  expect(steps.body.data.map(({ what }) => what).join(" ")).toMatch(/^draft plan planning planned started /);
});

test("a change that is done is returned on a word: devices have what they had before", async () => {
  const change = await planned({ config: "ntp server 192.0.2.2", strategy: { waves: ["100%"] } });
  await say(change.id, "start");
  await ended(change.id, "done");
  expect((await say(change.id, "return")).status).toBe(200);
  await ended(change.id, "returned");
  const list = await targets(change.id);
  expect(list.map(({ state }) => state)).toEqual(names.map(() => "returned"));
  for (const name of names) {
    const latest = await service.call<{ text: string }>("GET", `/history/device/${name}/latest`);
    expect(latest.body.data.text).toContain("192.0.2.1");
    expect(latest.body.data.text).not.toContain("192.0.2.2");
  }
});

test("a line that the canary refuses stops the change: nobody else gets it, and the canary is returned", async () => {
  const name = "n".repeat(200);
  const change = await planned({
    ...{ name, config: ["ntp server 192.0.2.9", "bogus words here"] },
    strategy: { canary: 1, waves: ["100%"] },
  });
  await say(change.id, "start");
  await ended(change.id, "returned 1 device of wave 1 has failed; the limit is 0");
  // Each bulk has its word, also where the name alone is as long as a label may be.
  const bulks = await service.call<{ label: string; tags: string[] }[]>("GET", "/bulk?limit=20");
  const labels = bulks.body.data
    .filter(({ tags }) => tags.includes(`change:${change.id}`))
    .map(({ label }) => label);
  expect(labels.toReversed().map((label) => label?.replace(/n{9,}…?$/, "…"))).toEqual([
    ...["read before …", "…", "read before the return of …", "return of …", "read after the return of …"],
  ]);
  const list = await targets(change.id);
  expect(list.map(({ state }) => state)).toEqual(["returned", "waiting", "waiting", "waiting", "waiting"]);
  const jobs = await service.call<object[]>("GET", `/job?tag=change:${change.id}&operation=config`);
  expect(jobs.body.data).toHaveLength(2);
  const latest = await service.call<{ text: string }>("GET", "/history/device/acc-1/latest");
  expect(latest.body.data.text).not.toContain("192.0.2.9");
});

test("the difference of a plan shows what its lines change, and no secret", async () => {
  const change = await planned({
    config: [
      "ntp server 192.0.2.1",
      "ntp server 192.0.2.44",
      "no hostname",
      "snmp-server community canary-7 ro",
    ],
    devices: ["acc-3"],
    select: null,
  });
  const path = `/change/${change.id}/target`;
  const { status, body } = await service.call<ChangeDifference>("GET", `${path}/ACC-3/difference`);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body.data).toMatchObject({ device: "acc-3", newest: true, present: 1, added: 2, removed: 1 });
  expect(body.data.difference).toContain("+ntp server 192.0.2.44");
  expect(body.data.difference).toMatch(/^-hostname /m);
  expect(body.data.difference).toMatch(/^\+snmp-server community <secret [0-9a-f]{6}> ro$/m);
  expect(JSON.stringify(body)).not.toContain("canary-7");
  expect((await service.call("GET", `${path}/other/difference`)).status).toBe(404);
  const operator = await loggedIn(service.url, adminKey);
  const diff = await operator.piped(["change", "diff", change.id]);
  expect(diff.out).toMatch(/^acc-3, version \d+: 2 added, 1 removed, 1 there already\n/);
  await say(change.id, "cancel");
});

test("what a job says of itself is known however long it is: its lines are gone, and why", async () => {
  const change = await planned({
    config: Array.from({ length: 200 }, (_, at) => `ntp server 198.51.100.${at}`),
    checks: { after: [{ command: "show clock", contains: "no clock says this" }] },
    strategy: { canary: 1, waves: ["100%"] },
    on_stop: "keep",
  });
  await say(change.id, "start");
  await ended(change.id, "stopped 1 device of wave 1 has failed");
  expect((await targets(change.id))[0]).toMatchObject({
    state: "failed",
    reason: expect.stringMatching(/^CheckFailed: 1 of 1 checks after the push failed: show clock/),
  });
  // Nothing is left that could be returned.
  const again = await say(change.id, "return");
  expect(again.body.message).toContain("There is no device that the service can return");
});

test("a device that somebody else changes after the plan gets nothing", async () => {
  const change = await planned({ config: "ntp server 192.0.2.3", devices: ["acc-2"], select: null });
  await service.call(
    "POST",
    "/device/execute",
    { device: "acc-2", config: "ntp server 198.51.100.7" },
    { Prefer: "wait=60" },
  );
  await say(change.id, "start");
  await ended(change.id, "stopped 1 device of wave 1 has failed");
  expect(await targets(change.id)).toMatchObject([
    { state: "diverged", reason: expect.stringContaining("has changed since the plan") },
  ]);
});

test("words come in their order, and a device is in one change at a time", async () => {
  const { body } = await draft({ config: "ntp server 192.0.2.4" });
  const { id } = body.data;
  const early = await say(id, "start");
  expect(early.status).toBe(409);
  expect(early.body.message).toContain("The change is draft");
  const wrong = await draft({ config: "x", strategy: { limits: { faild: { total: 1 } } } });
  expect(wrong.status).toBe(422);
  const gated = await planned({
    config: "ntp server 192.0.2.5",
    strategy: { waves: ["100%"], gate: "approval" },
  });
  await say(gated.id, "start");
  await ended(gated.id, "paused wave 1 of 2 is done");
  const other = await planned({ config: "ntp server 192.0.2.6", devices: ["acc-5"], select: null });
  const busy = await say(other.id, "start");
  expect(busy.status).toBe(409);
  expect(busy.body.message).toContain(gated.id);
  expect((await say(gated.id, "stop", { note: "enough" })).status).toBe(200);
  await ended(gated.id, "returned enough");
  expect((await targets(gated.id)).map(({ state }) => state)).toEqual([
    "returned",
    "waiting",
    "waiting",
    "waiting",
    "waiting",
  ]);
  expect((await say(other.id, "start")).status).toBe(200);
  await ended(other.id, "done");
});

test("an operator drafts one from a file, plans it, starts it and follows it to its end", async () => {
  const operator = await loggedIn(service.url, adminKey);
  const change = (...args: string[]) => operator.piped(["change", ...args]);
  const folder = temporary();
  const file = join(folder.path, "ntp.yaml");
  writeFileSync(
    file,
    "name: NTP by hand\nselect: tag:lab\nconfig: ntp server 192.0.2.8\napprovals: {count: 0}\nstrategy: {waves: [100%]}\n",
  );
  const drafted = await change("draft", file, "--json");
  folder.remove();
  expect(drafted.code, drafted.err).toBe(0);
  const { id }: { id: string } = JSON.parse(drafted.out);
  const plan = await change("plan", id);
  expect(plan.out).toMatch(/^state +approved$/m);
  expect(plan.out).toContain("5 devices: acc-1, acc-2, acc-3, acc-4, acc-5\n  ntp server 192.0.2.8");
  expect(plan.out).toContain("warning: there is no check after the push");
  expect(await change("vote", id, "approve")).toMatchObject({
    code: 2,
    err: expect.stringContaining("--hash"),
  });
  const followed = await change("start", id, "--follow");
  expect(followed).toMatchObject({ code: 0, err: expect.stringContaining("NTP by hand is done.") });
  expect(followed.out).toMatch(/ pushing: wave 2 of 2: 4 devices\n/);
  expect((await change("targets", id)).out).toMatch(/acc-5 +pushed/);
  expect((await change("list", "--state", "done")).out).toContain("NTP by hand");
  expect((await change("steps", id)).out).toContain("planned");
  expect(await change("stop", id)).toMatchObject({
    code: expect.any(Number),
    err: expect.stringContaining("done"),
  });
});

test("the steps of a change are streamed in order, and resumed without loss or repeat", async () => {
  const controller = new AbortController();
  const heard: { step: number; event: string | null; what: string }[] = [];
  const ids: string[] = [];
  const hear = async (path: string, count: number, after?: string) => {
    const headers = { "X-API-KEY": adminKey, ...(after === undefined ? {} : { "Last-Event-ID": after }) };
    const { body, status } = await fetch(`${service.url}${path}`, { headers, signal: controller.signal });
    if (body === null || status !== 200)
      throw new Error(`${path}: ${status} ${await new Response(body).text()}`);
    for await (const { id, event, data } of readEvents(body)) {
      if (event !== "change") continue;
      heard.push(JSON.parse(data));
      ids.push(id ?? "");
      if (heard.length === count) return;
    }
  };
  const change = await planned({
    config: "ntp server 192.0.2.77",
    devices: ["acc-1", "acc-2"],
    select: null,
  });
  await say(change.id, "start");
  await ended(change.id, "done");
  const steps = await service.call<StepRecord[]>("GET", `/change/${change.id}/step`);
  const all = steps.body.data.map(({ n, what }) => `${n} ${what}`);
  await hear(`/change/${change.id}/events`, 4, "0");
  await hear("/change/events", all.length, ids.at(-1));
  controller.abort();
  expect(heard.map(({ step, what }) => `${step} ${what}`)).toEqual(all);
  expect(heard.flatMap(({ event }) => event ?? [])).toEqual([
    ...["change.approved", "change.started", "change.wave", "change.done"],
  ]);
});

test("a report has the plan, the waves, each device and the ledger, and no hostile text acts in it", async () => {
  const hostile = '<img src=x onerror=alert(1)> `x` | [a](javascript:b) "q" \u202e';
  const { body } = await draft({
    ...{ name: hostile, ticket: "<script>alert(2)</script>", devices: ["acc-4"], select: null },
    config: [
      "ntp server 192.0.2.78",
      "snmp-server community canary-8 ro",
      "! ``` </pre><script>alert(3)</script>",
    ],
  });
  const { id } = body.data;
  await say(id, "plan");
  await say(id, "start");
  await ended(id, "done");
  const report = (await service.call<ChangeReportAnswer>("GET", `/change/${id}/report`)).body.data;
  expect(report).toMatchObject({
    ...{
      id,
      state: "done",
      ledger: { count: 1 },
      wave_results: [{ number: 1, devices: 1 }],
      steps_cut: false,
    },
    device_results: [{ device: "acc-4", state: "pushed", after_version: expect.any(Number) }],
  });
  expect(report.wave_results[0]?.began_at).toEqual(expect.any(String));
  const text = async (form: string) => {
    const answer = await fetch(`${service.url}/change/${id}/report.${form}`, {
      headers: { "X-API-KEY": adminKey },
    });
    expect(answer.status).toBe(200);
    return {
      type: answer.headers.get("content-type"),
      policy: answer.headers.get("content-security-policy"),
      text: await answer.text(),
    };
  };
  const [md, html] = [await text("md"), await text("html")];
  expect(md.type).toBe("text/markdown; charset=utf-8");
  expect(html.policy).toMatch(/^default-src 'none'; style-src 'sha256-.*sandbox$/);
  for (const { text } of [md, html]) {
    for (const word of ["192.0.2.78", "acc-4", report.hash ?? "", report.device_results[0]?.job_id ?? ""])
      expect(text).toContain(word);
    expect(text).not.toContain("canary-8");
    expect(text).not.toContain("\u202e");
  }
  expect(html.text).not.toMatch(/<(?:script|img)/i);
  expect(md.text).toContain("# Change ``<img src=x onerror=alert(1)> `x` \\| ");
  expect(md.text).toContain("````text");
  const operator = await loggedIn(service.url, adminKey);
  const printed = await operator.piped(["change", "report", id]);
  expect(printed).toMatchObject({ code: 0, out: expect.stringContaining("## Waves") });
  const folder = temporary();
  const file = join(folder.path, "report.html");
  expect((await operator.piped(["change", "report", id, "--html", "-o", file])).code).toBe(0);
  expect(readFileSync(file, "utf8")).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/);
  folder.remove();
  expect((await service.call("GET", "/change/none/report.md")).status).toBe(404);
});

test("metrics count the waves, stops and ends of changes", async () => {
  const count = async (line: string) => {
    const answer = await fetch(`${service.url}/metrics`, { headers: { "X-API-KEY": adminKey } });
    const found = (await answer.text()).split("\n").find((one) => one.startsWith(`${line} `));
    return Number(found?.slice(line.length + 1) ?? 0);
  };
  const lines = [
    "patchbay_change_waves_total",
    'patchbay_change_stops_total{cause="failed"}',
    'patchbay_changes_ended_total{state="returned"}',
    'patchbay_change_devices_total{state="returned"}',
    "patchbay_change_seconds_count",
  ];
  const before = await Promise.all(lines.map(count));
  const change = await planned({ config: "bogus words here", devices: ["acc-1"], select: null });
  expect(await count('patchbay_changes{state="approved"}')).toBe(1);
  await say(change.id, "start");
  await ended(change.id, "returned");
  await expect.poll(() => Promise.all(lines.map(count))).toEqual(before.map((value) => value + 1));
});
