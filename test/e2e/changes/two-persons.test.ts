/**
 * Two persons who signed in at a real provider: one drafts a change for a group that requires them, the other one
 * approves it, it runs to its end; the names of both stand wherever it is told (P270).
 */
import * as v from "valibot";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { MadeKey } from "../../../src/api/access/key.ts";
import type { AuditEntry } from "../../../src/api/admin/audit.ts";
import type { ChangeDetail, ChangeReport, StepRecord } from "../../../src/api/changes/change.ts";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import type { LedgerRecord } from "../../../src/api/ledger/ledger.ts";
import { readEvents } from "../../../src/client/service/events.ts";
import { type Receiver, startReceiver } from "../../../src/testkit/receiver.ts";
import { type SignInPlace, startSignInPlace } from "../../support/oidc.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";
import { callTool } from "../tool-call.ts";

const login = { username: "admin", password: "canary-login-9", secret: "canary-enable-9" };
const envelope = v.object({ code: v.number(), message: v.string(), data: v.unknown() });

let place: SignInPlace;
let device: SimulatedDevice;
let receiver: Receiver;
type Ask = <T>(
  method: string,
  path: string,
  body?: object,
) => Promise<{ status: number; message: string; data: T }>;
let anna: Ask;
let ben: Ask;

beforeAll(async () => {
  receiver = await startReceiver(200);
  place = await startSignInPlace({
    persons: [
      { subject: "p-anna", name: "anna", groups: ["netops"] },
      { subject: "p-ben", name: "ben", groups: ["approvers"] },
    ],
    env: { PATCHBAY_URL_ALLOW: "127.0.0.1", PATCHBAY_MCP: "propose" },
  });
  const { service } = place;
  const put = (name: string, role: object) => service.call("PUT", `/role/${name}`, role);
  // Anna could approve what others write: that she is the author is what stands in her way.
  const operators = { groups: ["netops"], scope: "operate", rights: ["history", "approve"] };
  expect((await put("operators", operators)).status).toBe(201);
  expect((await put("approvers", { groups: ["approvers"], scope: "read", rights: ["approve"] })).status).toBe(
    201,
  );
  await service.call("PUT", "/credential/lab", login);
  device = await simulated("cisco_ios", login);
  const one = {
    name: "core-1",
    host: "127.0.0.1",
    port: device.port,
    driver: "netmiko",
    platform: "cisco_ios",
  };
  const groups = [{ name: "core", change: { required: true, approvals: 1 } }];
  const devices = [{ ...one, group: "core", credential: { name: "file", ref: "lab" } }];
  expect((await service.call("POST", "/inventory/device", { groups, devices })).status).toBe(200);
  await service.call("POST", "/history/take", { devices: ["core-1"] }, { Prefer: "wait=60" });
  const hook = {
    name: "noc",
    events: ["change.waiting_approval", "change.approved", "change.started", "change.done"],
  };
  const added = await service.call("POST", "/webhook", { ...hook, config: { url: receiver.url } });
  expect(added.status, JSON.stringify(added.body)).toBe(201);
  anna = await signedIn("anna");
  ben = await signedIn("ben");
}, 120_000);
afterAll(async () => {
  receiver?.close();
  await place?.stop();
  await device?.stop();
});

/** Requests of a person's session, as a page of the console sends them. */
async function signedIn(name: string): Promise<Ask> {
  const browser = place.browser();
  await browser.signIn(`${place.service.url}/login/corp`, name);
  const token = browser.cookies.find((cookie) => cookie.name === "patchbay_session")?.value;
  return async (method, path, body) => {
    const answer = await fetch(`${place.service.url}${path}`, {
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      method,
      headers: {
        ...{ Cookie: `patchbay_session=${token}`, Origin: place.service.url, Prefer: "wait=60" },
        "Content-Type": "application/json",
      },
    });
    const { message, data } = v.parse(envelope, await answer.json());
    return { status: answer.status, message, data: data as never };
  };
}

/** The change that both have done. */
let id: string;
const pathOf = () => `/change/${id}`;

test("one person drafts, another one approves: the author's own vote counts neither in a session nor by a key", async () => {
  expect(place.provider.issuer).toMatch(/^https:/);
  const draft = { name: "ntp", devices: ["core-1"], config: "ntp server 192.0.2.1" };
  const push = await anna("POST", "/device/execute", { device: "core-1", config: draft.config });
  expect([push.status, push.message]).toEqual([409, expect.stringContaining("changes only: the group core")]);

  const made = await anna<ChangeDetail>("POST", "/change", draft);
  expect([made.status, made.data.submitted_by], made.message).toEqual([
    201,
    { kind: "person", name: "anna" },
  ]);
  id = made.data.id;
  const path = pathOf();
  const planned = await anna<ChangeDetail>("POST", `${path}/plan`, {});
  expect(planned.data, planned.message).toMatchObject({
    state: "waiting_approval",
    approvals: { needed: 1 },
  });
  const { revision, hash } = planned.data;
  const vote = { revision, hash, verdict: "approve" };

  const own = await anna("POST", `${path}/vote`, vote);
  expect([own.status, own.message]).toEqual([409, expect.stringMatching(/own|author/)]);
  const early = await anna("POST", `${path}/start`, {});
  expect([early.status, early.message]).toEqual([409, expect.stringContaining("waiting_approval")]);
  // A key of her own is she herself.
  const key = await anna<{ key: string }>("POST", "/person/me/key", { name: "laptop" });
  const byKey = await place.service.call("POST", `${path}/vote`, vote, { "X-API-KEY": key.data.key });
  expect([byKey.status, byKey.body.message]).toEqual([409, own.message]);

  expect((await ben<ChangeDetail>("GET", path)).data.waits_for_you).toBe(true);
  expect((await ben("POST", `${path}/vote`, { ...vote, hash: "0".repeat(64) })).status).toBe(409);
  const voted = await ben<ChangeDetail>("POST", `${path}/vote`, { ...vote, note: "as agreed" });
  expect(voted.data, voted.message).toMatchObject({
    ...{ state: "approved", approvals: { needed: 1, given: 1 } },
    votes: [{ person: "ben", verdict: "approve", revision, note: "as agreed" }],
  });
  expect((await ben("POST", `${path}/start`, {})).status).toBe(403);
  const started = await anna("POST", `${path}/start`, {});
  expect(started.status, started.message).toBe(200);
  const read = async () => (await ben<ChangeDetail>("GET", path)).data;
  await expect.poll(async () => (await read()).state, { timeout: 90_000 }).toBe("done");
}, 180_000);

test("both are named in the record, its steps and report, the jobs, the ledger and the trail", async () => {
  const path = pathOf();
  const steps = (await ben<StepRecord[]>("GET", `${path}/step`)).data;
  const who = new Map(steps.map((step) => [step.what, step.who]));
  const [annas, bens] = [who.get("draft"), who.get("voted")];
  expect([annas, bens, who.get("plan"), who.get("started")]).toEqual(["anna", "ben", "anna", "anna"]);
  const report = (await ben<ChangeReport>("GET", `${path}/report`)).data;
  expect(report).toMatchObject({ submitted_by: { name: "anna" }, votes: [{ person: "ben" }] });

  const { service } = place;
  const jobs = await service.call<JobRecord[]>("GET", `/job?tag=change:${id}&operation=config`);
  expect(jobs.body.data.map(({ submitted_by, status }) => [submitted_by, status])).toEqual([
    [{ kind: "person", name: "anna" }, "finished"],
  ]);
  const entries = (await service.call<LedgerRecord[]>("GET", `/ledger?change=${id}`)).body.data;
  expect(entries.map(({ entry, person }) => `${entry.kind} ${person} ${entry.actor.kind}`).sort()).toEqual([
    "change.start anna person",
    "change.vote ben person",
    "push anna person",
  ]);
  // Entries never change: they have the ids, behind which the names are looked up.
  expect(JSON.stringify(entries.map(({ entry }) => entry))).not.toMatch(/"(anna|ben)"/);
  const trail = (await service.call<AuditEntry[]>("GET", "/audit?limit=500")).body.data;
  const inTrail = (action: string) =>
    trail.find((entry) => entry.action === action && entry.detail?.includes(id))?.submitted_by;
  expect([inTrail("change.draft"), inTrail("change.vote"), inTrail("change.started")]).toEqual([
    ...[
      { kind: "person", name: "anna" },
      { kind: "person", name: "ben" },
    ],
    { kind: "person", name: "anna" },
  ]);
});

test("both are named in the events and in what webhooks are told", async () => {
  const { service } = place;
  const leaving = new AbortController();
  const stream = await fetch(`${service.url}${pathOf()}/events`, {
    headers: { "X-API-KEY": service.key, "Last-Event-ID": "0" },
    signal: leaving.signal,
  });
  const told = new Map<string, string>();
  if (stream.body === null) throw new Error("no stream");
  for await (const { data } of readEvents(stream.body)) {
    const step = v.parse(v.object({ what: v.string(), who: v.nullable(v.string()) }), JSON.parse(data));
    told.set(step.what, step.who ?? "");
    if (step.what === "done") break;
  }
  leaving.abort();
  expect([told.get("draft"), told.get("voted"), told.get("started")]).toEqual(["anna", "ben", "anna"]);

  await receiver.got(4);
  const messages = receiver.received.map(({ body }) =>
    v.parse(
      v.object({
        event: v.string(),
        change: v.object({ who: v.nullable(v.string()), submitted_by: v.unknown() }),
      }),
      JSON.parse(body),
    ),
  );
  expect(messages.map(({ event, change }) => [event, change.who, change.submitted_by])).toEqual([
    ["change.waiting_approval", null, { kind: "person", name: "anna" }],
    ["change.approved", "ben", { kind: "person", name: "anna" }],
    ["change.started", "anna", { kind: "person", name: "anna" }],
    ["change.done", null, { kind: "person", name: "anna" }],
  ]);
}, 180_000);

let asAgent: { readonly "X-API-KEY": string };

test("a person makes a key for an agent, with no more than that can have, which calls its end point and nothing else", async () => {
  const { service } = place;
  const mine = (body: object) => anna<MadeKey>("POST", "/person/me/key", { name: "bot", ...body });
  expect((await mine({ scope: "agent", rights: ["approve"] })).data).toMatchObject([{ path: "rights" }]);
  const refused = await ben("POST", "/person/me/key", { name: "bot", scope: "agent" });
  expect([refused.status, refused.message]).toEqual([403, expect.stringContaining("scope would give")]);
  const made = await mine({ scope: "agent" });
  expect([made.status, made.data], made.message).toMatchObject([
    201,
    { name: "anna/bot", scope: "agent", rights: ["history"], recipes: null },
  ]);
  asAgent = { "X-API-KEY": made.data.key };
  for (const [method, path, body] of [
    ["POST", "/device/execute", { device: "core-1", command: "show clock" }],
    ["POST", "/change", {}],
    ["POST", "/person/me/key", { name: "more" }],
    ["POST", "/recipe/vlan/run", {}],
    ["GET", "/job"],
    ["GET", "/person/me"],
  ] as const)
    expect((await service.call(method, path, body, asAgent)).status, path).toBe(403);
});

/** Nor does a vote help where a group bars what a rehearsal says of the agent's lines. */
async function barredFor(path: string): Promise<void> {
  const { service } = place;
  const bar = async (barred_grades: readonly string[]) => {
    const { status, body } = await service.call("PATCH", "/inventory/group/core", {
      change: { barred_grades },
    });
    expect(status, JSON.stringify(body)).toBe(200);
  };
  await bar(["unknown", "alike"]);
  // It was rehearsed as soon as it was planned.
  const rehearsed = async () => (await ben<ChangeDetail>("GET", path)).data.rehearsal?.rehearsed;
  await expect.poll(rehearsed, { timeout: 60_000 }).toBe(1);
  const barred = await anna("POST", `${path}/start`, {});
  expect([barred.status, barred.message]).toEqual([
    409,
    expect.stringMatching(/group core .*takes no line that a rehearsal grades \w+: core-1 has one/),
  ]);
  await bar([]);
}

test("such an agent proposes in the person's name, who cannot approve it, and loses what the person loses", async () => {
  const { service } = place;
  const proposal = {
    name: "ntp of an agent",
    devices: ["core-1"],
    lines: ["ntp server 192.0.2.2"],
    reason: "asked for in CHG-9",
  };
  const asked = { name: "propose_change", args: proposal, key: asAgent["X-API-KEY"] };
  const said = await (await callTool(service.url, asked)).text();
  id = /"change":"([^"]+)"/.exec(said)?.[1] ?? "";
  const path = pathOf();
  const { data: change } = await ben<ChangeDetail>("GET", path);
  expect(change, said).toMatchObject({
    ...{ origin: "agent", state: "waiting_approval", submitted_by: { kind: "person", name: "anna" } },
  });
  const vote = { revision: change.revision, hash: change.hash, verdict: "approve" };
  const own = await anna("POST", `${path}/vote`, vote);
  expect([own.status, own.message]).toEqual([409, expect.stringContaining("anna is the author")]);
  expect((await service.call("POST", `${path}/vote`, vote, asAgent)).status).toBe(403);
  expect((await ben<ChangeDetail>("POST", `${path}/vote`, vote)).data.state).toBe("approved");
  await barredFor(path);
  expect((await anna("POST", `${path}/start`, {})).status).toBe(200);
  const state = async () => (await ben<ChangeDetail>("GET", path)).data.state;
  await expect.poll(state, { timeout: 90_000 }).toBe("done");

  // What the person loses, the agent loses.
  await service.call("PUT", "/role/operators", { groups: ["netops"], scope: "read" });
  const call = () => service.call("POST", "/mcp", {}, asAgent).then(({ status }) => status);
  await expect.poll(call, { timeout: 30_000 }).toBe(403);
}, 180_000);
