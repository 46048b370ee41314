/** Steps of recipes that are changes, on simulated devices: votes, ends, kills, and what their callers may not reach. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { MadeKey } from "../../../src/api/access/key.ts";
import type { ChangeDetail, ChangeRecord } from "../../../src/api/changes/change.ts";
import type { RunRecord } from "../../../src/api/recipes/recipe.ts";
import { adminKey, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { placePerson, placeStore } from "../../support/placed-store.ts";
import { labEntry, type SimulatedDevice, simulated } from "../devices.ts";
import { loggedIn } from "../terminal.ts";

const login = { username: "admin", password: "canary-login-9", secret: "canary-enable-9" };
const devices: SimulatedDevice[] = [];
const dataDir = tempFolder();
const token = `pbs_${"b".repeat(43)}`;
let service: Service;
let helpdesk: Record<string, string>;

const ntp = (approvals: object, line = "ntp server 192.0.2.{{ last }}") => ({
  parameters: { type: "object", properties: { last: { type: "integer" } }, required: ["last"] },
  policy: { change_required: true },
  steps: [
    { name: "before", kind: "query", request: { command: "show running-config" } },
    {
      ...{ name: "push", kind: "change" },
      request: { config: [line], approvals, strategy: { canary: 0, waves: ["100%"], soak_seconds: 0 } },
    },
    {
      ...{ name: "said", kind: "render", when: "steps.push.change.state = 'done'" },
      request: { name: "jinja2", template: "NTP {{ last }}" },
    },
  ],
});

beforeAll(async () => {
  await placeStore(dataDir, (store) => placePerson(store, { name: "bert", group: "approvers", token }));
  service = await startService({ dataDir });
  await service.call("PUT", "/role/approvers", { scope: "read", groups: ["approvers"], rights: ["approve"] });
  await service.call("PUT", "/credential/lab", login);
  const list = [];
  for (const name of ["r1", "r2"]) {
    const device = await simulated("cisco_ios", login);
    devices.push(device);
    list.push(labEntry(name, device, "cisco_ios", { tags: ["lab"] }));
  }
  expect((await service.call("POST", "/inventory/device", { devices: list })).status).toBe(200);
  await service.call("POST", "/history/take", { select: "tag:lab" }, { Prefer: "wait=60" });
  await put("ntp", ntp({ count: 0 }));
  await put("voted", ntp({ count: 1 }));
  await put("refused", ntp({ count: 0 }, "bogus words {{ last }}"));
  const limits = { scope: "read", recipes: ["ntp", "voted"], credentials: ["*"], hosts: ["127.0.0.1"] };
  const made = await service.call<MadeKey>("POST", "/key", { name: "helpdesk", ...limits });
  helpdesk = { "X-API-KEY": made.body.data.key };
});
afterAll(async () => {
  await service.close();
  for (const device of devices) await device.stop();
});

async function put(name: string, recipe: object) {
  const { status, body } = await service.call("PUT", `/recipe/${name}`, recipe);
  expect([status, body]).toEqual([expect.toBeOneOf([200, 201]), expect.anything()]);
}
async function begun(name: string, last: number, headers: Record<string, string> = {}, more: object = {}) {
  const asked = { parameters: { last }, devices: ["r1", "r2"], ...more };
  const { status, body } = await service.call<RunRecord>("POST", `/recipe/${name}/run`, asked, headers);
  expect([status, body.code], JSON.stringify(body)).toEqual([201, expect.any(Number)]);
  return body.data.id;
}
const readRun = async (name: string, id: string) =>
  (await service.call<RunRecord>("GET", `/recipe/${name}/run/${id}`)).body.data;
const pushOf = async (name: string, id: string) => (await readRun(name, id)).steps[1];
const readChange = async (id: string) => (await service.call<ChangeDetail>("GET", `/change/${id}`)).body.data;
async function ended(name: string, id: string): Promise<RunRecord> {
  await expect.poll(async () => (await readRun(name, id)).ended_at, { timeout: 90_000 }).not.toBeNull();
  return readRun(name, id);
}
async function waiting(name: string, id: string): Promise<ChangeDetail> {
  const state = async () => (await pushOf(name, id))?.change?.state;
  await expect.poll(state, { timeout: 90_000 }).toBe("waiting_approval");
  return readChange((await pushOf(name, id))?.change?.id ?? "");
}
const changesOf = async (run: string) =>
  (await service.call<ChangeRecord[]>("GET", "/change?limit=500")).body.data.filter(
    (one) => one.run?.id === run,
  );
/** In a session, as nobody votes with a key. */
async function vote({ id, revision, hash }: ChangeDetail, verdict: string, note?: string): Promise<number> {
  const answer = await fetch(`${service.url}/change/${id}/vote`, {
    ...{ method: "POST", body: JSON.stringify({ revision, hash, verdict, note }) },
    headers: {
      ...{ Cookie: `patchbay_session=${token}`, Origin: service.url, "Content-Type": "application/json" },
    },
  });
  return answer.status;
}

test("a step drafts a change, starts it once it needs no votes, and the next one sees how it ended", async () => {
  const run = await ended("ntp", await begun("ntp", 1));
  expect([run.state, run.reason]).toEqual(["finished", null]);
  expect(run.steps).toMatchObject([
    { name: "before", state: "finished", change: null },
    { name: "push", kind: "change", state: "finished", bulk_id: null, change: { state: "done" } },
    { name: "said", state: "finished", text: "NTP 1" },
  ]);
  const change = await readChange(run.steps[1]?.change?.id ?? "");
  expect(change).toMatchObject({
    ...{ name: "ntp: push", origin: "recipe", run: { recipe: "ntp", id: run.id }, state: "done" },
    ...{ targets: { pushed: 2 }, waves: [2] },
  });
  expect(await changesOf(run.id)).toHaveLength(1);
});

test("who may only run it gets its change through votes, and reaches nothing beside it", async () => {
  const id = await begun("voted", 2, helpdesk, { devices: ["r1"] });
  const change = await waiting("voted", id);
  expect(change).toMatchObject({ submitted_by: { name: "helpdesk" }, approvals: { needed: 1, given: 0 } });
  for (const [method, path, body] of [
    ["PUT", "", { name: "mine", devices: ["r1"], config: "reload" }],
    ["POST", "/plan", {}],
    ["POST", "/start", {}],
    ["POST", "/cancel", {}],
    ["POST", "/vote", { revision: change.revision, hash: change.hash, verdict: "approve" }],
  ] as const)
    expect([
      path,
      (await service.call(method, `/change/${change.id}${path}`, body, helpdesk)).status,
    ]).toEqual([path, 403]);
  const own = { name: "mine", devices: ["r1"], config: "reload" };
  expect((await service.call("POST", "/change", own, helpdesk)).status).toBe(403);
  expect(await vote(change, "approve")).toBe(200);
  expect(await ended("voted", id)).toMatchObject({
    state: "finished",
    steps: [{}, { state: "finished" }, {}],
  });
  expect((await readChange(change.id)).state).toBe("done");
});

test("no value of a run leads its change elsewhere", async () => {
  await put("ntp-site", {
    parameters: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
    steps: [
      {
        ...{ name: "push", kind: "change" },
        request: { config: ["banner {{ word }}"], select: "tag:{{ word }}", approvals: { count: 0 } },
      },
    ],
  });
  for (const word of ["lab or all", "lab\nreload", "lab,name:r2", "*"]) {
    const { status } = await service.call("POST", "/recipe/ntp-site/run", { parameters: { word } });
    expect([word, status]).toEqual([word, 422]);
  }
});

test("a vote against it, and lines that a device refuses, make the step failed with the reason", async () => {
  const id = await begun("voted", 3);
  expect(await vote(await waiting("voted", id), "reject", "not today")).toBe(200);
  const rejected = await ended("voted", id);
  expect(rejected).toMatchObject({ state: "failed", steps: [{}, { state: "failed" }, { state: "skipped" }] });
  expect(rejected.reason).toContain("step push: its change is rejected");
  const refused = await ended("refused", await begun("refused", 3));
  expect(refused.state).toBe("failed");
  expect(refused.steps[1]).toMatchObject({
    state: "failed",
    change: { state: expect.stringMatching(/return/) },
  });
});

test("what cannot be planned is cancelled, and says why", async () => {
  await put("nowhere", {
    steps: [
      { name: "a", kind: "query", request: { command: "show version", select: "tag:lab" } },
      { name: "push", kind: "change", request: { config: ["x"], select: "tag:nowhere" } },
    ],
  });
  const run = await ended("nowhere", await begun("nowhere", 0, {}, { parameters: {}, devices: undefined }));
  expect(run.state).toBe("failed");
  expect(run.steps[1]).toMatchObject({ state: "failed", change: { state: "cancelled" } });
  expect(run.reason).toContain("could not be planned");
});

test("a run that is cancelled cancels a change that has not begun", async () => {
  const id = await begun("voted", 4);
  const change = await waiting("voted", id);
  expect((await service.call("DELETE", `/recipe/voted/run/${id}`)).status).toBe(200);
  expect(await ended("voted", id)).toMatchObject({
    ...{ state: "cancelled" },
    steps: [{}, { state: "cancelled", change: { state: "cancelled" } }, { state: "cancelled" }],
  });
  expect(await readChange(change.id)).toMatchObject({ state: "cancelled", reason: "its run was cancelled" });
});

test.each<[string, object, string, string]>([
  [
    "a push where changes are required",
    { kind: "push", request: { config: ["x"] } },
    "kind",
    "make it a step",
  ],
  ["a misspelt limit", { kind: "change", request: { config: ["x"], strategi: {} } }, "strategi", "not known"],
  ["no lines", { kind: "change", request: {} }, "config", "required"],
  [
    "a secret of the run",
    {
      kind: "change",
      request: { rendering: { name: "jinja2", template: "x" }, config: { password: "{{ pass }}" } },
    },
    "config.password",
    "those who vote",
  ],
  [
    "a token of a question",
    {
      kind: "change",
      request: {
        config: ["x"],
        strategy: {
          questions: [{ url: "http://192.0.2.1/", headers: { "X-Token": "a-token-1" }, expression: "true" }],
        },
      },
    },
    "strategy.questions.0",
    "holds a secret",
  ],
  [
    "its ticket",
    { kind: "change", request: { config: ["x"], ticket: "CHG-1" } },
    "ticket",
    "said by the run",
  ],
])("a recipe with %s is refused when it is written", async (_, step, path, message) => {
  const { status, body } = await service.call("PUT", "/recipe/bad", {
    parameters: { type: "object", properties: { pass: { type: "string", format: "secret" } } },
    policy: { change_required: true },
    steps: [{ name: "one", ...step }],
  });
  expect([status, body.code]).toEqual([422, -1]);
  expect(JSON.stringify(body.data)).toContain(path);
  expect(JSON.stringify(body.data)).toContain(message);
});

test("the shell shows the change of a step, with its state", async () => {
  const someone = await loggedIn(service.url, adminKey, {});
  const args = ["ntp", "--set", "last=5", "--select", "tag:lab"];
  const run = await someone.piped(["recipe", "run", ...args]);
  expect([run.code, run.err]).toEqual([0, expect.stringMatching(/push: finished, change [\w-]+ is done/)]);
  expect(run.out).toMatch(/push +change +finished +[\w-]+ done/);
});

test("killed while its change is drafted, planned, started and pushed: one change, and the run goes on", async () => {
  for (let round = 0; round < 5; round++) {
    const id = await begun("ntp", 100 + round, { Prefer: "wait=0" });
    const at = ["waiting", "planning", "approved", "running", "done"][round];
    const state = async () => {
      const [change] = await changesOf(id);
      return at === "waiting" || (change !== undefined && (change.state === at || change.state === "done"));
    };
    await expect.poll(state, { timeout: 90_000, interval: 5 }).toBe(true);
    await service.kill("SIGKILL");
    service = await startService({ dataDir, port: Number(new URL(service.url).port) });
    const run = await ended("ntp", id);
    const changes = await changesOf(id);
    // The query before it may be cut off as well: its job is lost then, and nothing is drafted.
    const isLost = run.steps[0]?.state === "failed";
    expect(changes, JSON.stringify(run)).toHaveLength(isLost ? 0 : 1);
    if (isLost) {
      expect(run.reason).toContain("WorkerLost");
      continue;
    }
    expect(run.steps[1]?.change).toEqual({ id: changes[0]?.id, state: changes[0]?.state });
    // A push that was cut off is not known to have arrived: its change stops, and the step says so.
    if (run.steps[1]?.state === "finished") expect(changes[0]?.state).toBe("done");
    else expect(run.reason).toContain(`its change is ${changes[0]?.state.replaceAll("_", " ")}`);
  }
}, 600_000);
