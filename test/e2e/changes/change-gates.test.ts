/** Gates of changes: sentinels on simulated devices, and questions to a real HTTP server. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { ChangeDetail, StepRecord } from "../../../src/api/changes/change.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { makeKeyPair } from "../../../src/testkit/simulator/hostkey.ts";
import { labEntry, type SimulatedDevice, simulated } from "../devices.ts";
import { loggedIn } from "../terminal.ts";
import { changesOf } from "./asking.ts";

const login = { username: "admin", password: "canary-login-9", secret: "canary-enable-9" };
const token = "canary-token-of-the-monitoring";
const env = { PATCHBAY_URL_ALLOW: "127.0.0.1", PATCHBAY_URL_DENY: "127.0.0.9" };

let service: Service;
let monitor: Server;
let url: string;
let guard: SimulatedDevice;
const hostKey = makeKeyPair().private;
const devices: SimulatedDevice[] = [];
let requests: IncomingMessage[] = [];
let answer: (response: ServerResponse, count: number) => void;

const json = (response: ServerResponse, value: unknown, status = 200) =>
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(value));

beforeAll(async () => {
  monitor = createServer((request, response) => {
    requests.push(request);
    request.resume();
    answer(response, requests.length);
  });
  await new Promise<void>((resolve) => void monitor.listen(0, "127.0.0.1", resolve));
  const address = monitor.address();
  url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/api/v1/query`;
  service = await startService({ env });
  await service.call("PUT", "/credential/lab", login);
  const list = [];
  for (const name of ["edge-1", "edge-2", "edge-3", "guard-1"]) {
    const device = await simulated("cisco_ios", { ...login, ...(name === "guard-1" ? { hostKey } : {}) });
    if (name === "guard-1") guard = device;
    else devices.push(device);
    const tags = [name === "guard-1" ? "guard" : "lab"];
    list.push(labEntry(name, device, "cisco_ios", { tags }));
  }
  expect((await service.call("POST", "/inventory/device", { devices: list })).status).toBe(200);
  await service.call("POST", "/history/take", { select: "tag:lab" }, { Prefer: "wait=60" });
});
afterAll(async () => {
  await service.close();
  for (const device of [...devices, guard]) await device.stop();
  monitor.closeAllConnections();
  monitor.close();
});
beforeEach(() => {
  requests = [];
  answer = (response) => json(response, { status: "success", data: { result: [] } });
});

const draft = (more: object) =>
  service.call<ChangeDetail>("POST", "/change", {
    ...{ name: "gated", select: "tag:lab", approvals: { count: 0 } },
    ...more,
  });
const { say, read, targets } = changesOf(() => service);
const pushed = async (id: string) =>
  (await targets(id)).filter(({ job_id }) => job_id !== null).map(({ device }) => device);
const steps = async (id: string) =>
  (await service.call<StepRecord[]>("GET", `/change/${id}/step?limit=500`)).body.data;
const comes = (id: string, state: string) =>
  expect
    .poll(() => read(id).then((change) => `${change.state} ${change.reason ?? ""}`), { timeout: 90_000 })
    .toMatch(new RegExp(`^${state}`));

async function started(more: object): Promise<string> {
  const { status, body } = await draft(more);
  expect(status, JSON.stringify(body)).toBe(201);
  const { id } = body.data;
  const plan = await say(id, "plan");
  expect(plan.body.data.state, JSON.stringify(plan.body)).toBe("approved");
  expect((await say(id, "start")).status).toBe(200);
  return id;
}

const calm = "body.status = 'success' and $count(body.data.result) = 0";
const waves = { canary: 1, waves: ["100%"] };
const alerts = { name: "alerts", headers: { Authorization: `Bearer ${token}` }, expression: calm };
const running = (text: string) => ({ command: "show running-config", not_contains: text });

test("a question that is true: it is asked before the first wave and after each", async () => {
  const id = await started({
    config: "ntp server 192.0.2.21",
    strategy: {
      ...waves,
      questions: [{ ...alerts, url: `${url}?query=up`, method: "POST", body: { a: 1 } }],
    },
  });
  await comes(id, "done");
  expect(requests.map(({ method, url: path }) => `${method} ${path}`)).toEqual(
    Array.from({ length: 3 }, () => "POST /api/v1/query?query=up"),
  );
  expect(requests[0]?.headers).toMatchObject({
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
  });
  const change = await read(id);
  expect(change.judged).toMatchObject({
    ...{ wave: 2, attempt: 1, verdict: "passed" },
    gates: [{ gate: "alerts", verdict: "passed" }],
  });
  const all = await steps(id);
  expect(all.filter(({ what }) => what === "judged").map(({ detail }) => detail?.split(":")[0])).toEqual([
    "before the first wave",
    "wave 1",
    "wave 2",
  ]);
  expect(JSON.stringify([change, all])).not.toContain(token);
  expect(change.request).toMatchObject({
    strategy: { questions: [{ headers: { Authorization: "[secret]" } }] },
  });
});

test("a question that is false after the canary: it is returned, and nobody else gets the lines", async () => {
  answer = (response, count) =>
    json(response, { status: "success", data: { result: count === 1 ? [] : [{ alert: `down ${token}` }] } });
  const id = await started({
    config: "ntp server 192.0.2.22",
    strategy: { ...waves, questions: [{ ...alerts, url }] },
  });
  await comes(id, 'returned the gate "alerts" is failed: its expression is false: .*down');
  expect(await pushed(id)).toEqual(["edge-1"]);
  expect((await targets(id)).map(({ state }) => state)).toEqual(["returned", "waiting", "waiting"]);
  expect(JSON.stringify([await read(id), await steps(id)])).not.toContain(token);
  const ops = await loggedIn(service.url, service.key);
  const { out, code, err } = await ops.piped(["change", "show", id]);
  expect([code, err]).toEqual([0, ""]);
  expect(out).toContain("gates after wave 1: failed\n  alerts: failed: its expression is false");
});

test("what does not hold before the first wave pauses the change: nothing was pushed", async () => {
  answer = (response, count) =>
    json(response, { status: count > 1 ? "success" : "error", data: { result: [] } });
  const id = await started({
    config: "ntp server 192.0.2.23",
    strategy: { ...waves, questions: [{ ...alerts, url }] },
  });
  await comes(id, 'paused the gate "alerts" is failed');
  expect(await read(id)).toMatchObject({ wave: 0, phase: "judging" });
  expect(await pushed(id)).toEqual([]);
  expect((await say(id, "resume")).status).toBe(200);
  await comes(id, "done");
});

test("no answer, a slow one, a large one and one that is no truth are inconclusive: the change pauses", async () => {
  const cases: [string, (response: ServerResponse) => void][] = [
    ["it was answered with 503", (response) => json(response, {}, 503)],
    ["it was answered with 302", (response) => response.writeHead(302, { Location: url }).end()],
    ["did not answer within 1 seconds", (response) => response.writeHead(200).write("{")],
    ["larger than 1048576 bytes", (response) => response.writeHead(200).end(Buffer.alloc(50 << 20, 32))],
    ["neither true nor false: null", (response) => json(response, { other: 1 })],
    ["neither true nor false", (response) => response.writeHead(200).end("[".repeat(100_000))],
    ["", (response) => response.destroy()],
  ];
  let asked = cases[0]?.[1];
  answer = (response) => asked?.(response);
  const id = await started({
    config: "ntp server 192.0.2.24",
    strategy: {
      ...{ ...waves, inconclusive_seconds: 0 },
      questions: [{ url, expression: "body.verdict", timeout_seconds: 1, before: false }],
    },
  });
  for (const [at, [reason, next]] of cases.entries()) {
    if (at > 0) {
      asked = next;
      expect((await say(id, "resume")).status).toBe(200);
    }
    await expect
      .poll(() => read(id).then(({ state, judged }) => `${state} ${judged?.attempt}`), { timeout: 90_000 })
      .toBe(`paused ${at + 1}`);
    const { reason: why } = await read(id);
    expect(why).toContain('the gate "question 1" is inconclusive');
    expect(why).toContain(reason);
  }
  expect(await pushed(id)).toEqual(["edge-1"]);
  asked = (response) => json(response, { verdict: true });
  await say(id, "resume");
  await comes(id, "done");
});

test("an inconclusive question is asked again for a while, by itself", async () => {
  answer = (response, count) => json(response, { up: count > 3 }, count > 3 ? 200 : 500);
  const id = await started({
    config: "ntp server 192.0.2.25",
    strategy: { ...waves, inconclusive_seconds: 60, questions: [{ url, expression: "body.up" }] },
  });
  await expect.poll(() => requests.length, { timeout: 90_000 }).toBeGreaterThan(0);
  await comes(id, "done");
  const said = (await steps(id)).filter(({ what }) => what === "judged").map(({ detail }) => detail);
  expect(said.filter((detail) => detail?.includes("inconclusive"))).toHaveLength(3);
});

test("a forbidden address is refused by the policy for URLs", async () => {
  const id = await started({
    config: "ntp server 192.0.2.26",
    strategy: { inconclusive_seconds: 0, questions: [{ url: "http://127.0.0.9:1/x", expression: "true" }] },
  });
  await comes(id, 'paused the gate "question 1" is inconclusive: .*not allowed');
  expect(await pushed(id)).toEqual([]);
  await say(id, "stop");
  await comes(id, "stopped");
});

test("sentinels: one that is false returns the wave, one that cannot be reached pauses the change", async () => {
  const own = await started({
    config: "ntp server 192.0.2.66",
    sentinels: [
      { select: "tag:guard", checks: [{ command: "show running-config", unchanged: true }] },
      { devices: ["edge-1"], checks: [running("192.0.2.66")] },
    ],
    strategy: waves,
  });
  await comes(own, 'returned the gate "sentinels 2" is failed: 1 of 1 devices: edge-1: show running-config');
  const stopped = await read(own);
  expect(stopped).toMatchObject({
    sentinels: ["guard-1", "edge-1"],
    judged: { wave: 1, gates: [{ gate: "sentinels 1", verdict: "passed" }, { verdict: "failed" }] },
  });
  expect(await pushed(own)).toEqual(["edge-1"]);

  const version = [{ command: "show version", matches: "Version", name: "it answers" }];
  const other = await started({
    config: "ntp server 192.0.2.27",
    sentinels: [{ devices: ["guard-1"], checks: version }],
    strategy: { ...waves, gate: "approval" },
  });
  await comes(other, "paused wave 1 of 2 is done");
  const { port } = guard;
  await guard.stop();
  await say(other, "resume");
  await comes(other, 'paused the gate "sentinels 1" is inconclusive: 1 of 1 devices: guard-1: ');
  guard = await simulated("cisco_ios", { ...login, port, hostKey });
  await say(other, "resume");
  await comes(other, "done");
  const judged = (await read(other)).bulks.filter(({ phase }) => phase === "judging");
  expect(judged.map(({ number }) => number)).toEqual([0, 1, 2, 2]);
  const jobs = await service.call<{ operation: string; status: string; host: string }[]>(
    "GET",
    `/job?tag=change:${other}&device=guard-1`,
  );
  expect(jobs.body.data.map(({ operation }) => operation)).toEqual(["query", "query", "query", "query"]);
});

test("what is wrong with a gate is said when it is written or planned", async () => {
  const refused = async (more: object) => {
    const { status, body } = await draft({ config: "x", ...more });
    expect(status).toBe(422);
    return JSON.stringify(body.data);
  };
  const wrong = await refused({ strategy: { questions: [{ url, expression: "$sum(" }] } });
  expect(wrong).toContain("strategy.questions.0.expression");
  expect(await refused({ strategy: { questions: [{ url: "ftp://x/y", expression: "true" }] } })).toContain(
    "strategy.questions.0.url",
  );
  expect(
    await refused({ sentinels: [{ devices: ["guard-1"], checks: [{ command: "show clock" }] }] }),
  ).toContain("sentinels.0.checks.0");
  expect(await refused({ sentinels: [{ checks: [running("x")] }] })).toContain("sentinels.0.select");
  const { body } = await draft({ config: "x", sentinels: [{ select: "tag:none", checks: [running("x")] }] });
  const planned = await say(body.data.id, "plan");
  expect(planned.body.data).toMatchObject({ state: "draft" });
  expect(planned.body.data.reason).toContain("sentinels.0.select");
});

test("a node that is killed while a question is open: the next one asks again and goes on", async () => {
  const open = Promise.withResolvers<void>();
  let askedAgain = Number.POSITIVE_INFINITY;
  answer = (response, count) => {
    if (count === 1) return void json(response, { up: true });
    if (count > 2) {
      if (count === 3) askedAgain = Date.now();
      return void json(response, { up: true });
    }
    open.resolve();
  };
  const id = await started({
    config: "ntp server 192.0.2.28",
    strategy: { ...waves, questions: [{ url, expression: "body.up", timeout_seconds: 60 }] },
  });
  await open.promise;
  const { dataDir } = service;
  const claimedUntil = Date.parse((await read(id)).due_at ?? "");
  await service.kill("SIGKILL");
  service = await startService({ dataDir, env });
  await comes(id, "done");
  expect(claimedUntil, "it waited for the claim of a node that is gone").toBeGreaterThan(askedAgain);
  expect(await pushed(id)).toEqual(["edge-1", "edge-2", "edge-3"]);
  const jobs = await service.call<object[]>("GET", `/job?tag=change:${id}&operation=config`);
  expect(jobs.body.data).toHaveLength(3);
});
