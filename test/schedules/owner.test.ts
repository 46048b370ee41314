/** Ownership of schedules: what is accepted and refused, and who may see and change it. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { scheduleLimits } from "../../src/api/schedules/schedule.ts";
import type { Caller } from "../../src/auth/port.ts";
import type { ServiceError } from "../../src/base/errors.ts";
import { admin, bodyOf } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";
import { makeKey, owner, query, type ScheduledNode, startScheduled } from "./support.ts";

const folder = temporary();
let node: ScheduledNode;
let mine: Caller;
beforeAll(async () => {
  node = await startScheduled({ directory: folder.path });
  mine = await owner(node);
});
afterAll(async () => {
  await node.stop();
  folder.remove();
});

const daily = { cron: "30 2 * * *", time_zone: "Europe/Berlin", what: query("r1") };
let count = 0;
const named = (more: object = {}) => ({ name: `s${++count}`, ...daily, ...more });

async function issuesOf(schedule: object, caller = mine) {
  const error: ServiceError = await node.schedules.add(bodyOf(schedule), caller).then(
    () => expect.fail("it was taken"),
    (reason) => reason,
  );
  expect(JSON.stringify([error.message, error.detail])).not.toContain("canary");
  return error.kind === "Validation" ? JSON.stringify(error.detail?.issues) : error.kind;
}

test("a schedule can be created, read, listed, changed, paused, resumed and removed", async () => {
  const { schedules } = node;
  const created = await schedules.add(
    bodyOf(named({ name: "nightly", label: "night", jitter_seconds: 60 })),
    mine,
  );
  expect(created).toMatchObject({
    name: "nightly",
    state: "active",
    enabled: true,
    overlap: "skip",
    last: null,
  });
  expect(created.what).toEqual(query("r1"));
  expect(created.owner).toEqual({ kind: "key", key_id: mine.keyId, name: "owner", scope: "operate" });
  expect(created.next).toHaveLength(10);
  expect(await schedules.read("nightly", mine)).toEqual(created);
  expect((await schedules.list(mine, { limit: 10 })).schedules[0]).toMatchObject({
    id: created.id,
    what: { kind: "query" },
  });
  const changed = await schedules.change(created.id, bodyOf({ label: null, cron: "0 4 * * *" }), mine);
  expect(changed).toMatchObject({ cron: "0 4 * * *", time_zone: "Europe/Berlin", what: query("r1") });
  expect(changed).not.toHaveProperty("label");
  const stale = schedules.change(created.id, bodyOf({ label: "x" }), mine, created.revision);
  await expect(stale).rejects.toMatchObject({ kind: "PreconditionFailed" });
  expect(await schedules.pause(created.id, mine)).toMatchObject({
    state: "paused",
    enabled: false,
    next: [],
  });
  expect((await schedules.resume(created.id, mine)).next).toHaveLength(10);
  const once = await schedules.replace(
    created.id,
    bodyOf({ name: "once", every: "1h", what: query("r2") }),
    mine,
  );
  expect(once).toMatchObject({ name: "once", every: "1h" });
  expect(once).not.toHaveProperty("cron");
  expect(await schedules.remove("once", mine)).toBe(created.id);
  await expect(schedules.read(created.id, mine)).rejects.toMatchObject({ kind: "NotFound" });
});

test.each<[string, object, RegExp]>([
  ["no time", { cron: null }, /"cron","message":"one of cron, every and at is required/],
  ["two times", { every: "1h" }, /one of cron, every and at/],
  ["not a cron expression", { cron: "61 * * * *" }, /"cron".*minute: 61/],
  ["an unknown time zone", { time_zone: "Mars/Base" }, /"time_zone".*not a time zone/],
  ["too often", { cron: null, every: "9s" }, /"every"/],
  ["a time in the past", { cron: null, time_zone: null, at: "2020-01-01T00:00:00Z" }, /"at".*in the future/],
  ["never within its window", { window: ["12:00-13:00 Europe/Berlin"] }, /within its window/],
  ["an invalid window", { window: ["noon"] }, /"window.0".*is not a window/],
  [
    "not_after before not_before",
    { not_before: "2027-01-01T00:00:00Z", not_after: "2026-12-01T00:00:00Z" },
    /not_after/,
  ],
  ["an unknown field", { colour: "red" }, /"colour","message":"is not known"/],
  ["no request", { what: { kind: "query" } }, /"what.request".*required/],
  ["a query that pushes", { what: { ...query("r1"), kind: "push" } }, /"what.request.config".*required/],
  [
    "an invalid request",
    { what: { kind: "query", request: { driver: "netmiko", command: "" } } },
    /"what.request/,
  ],
  [
    "an unknown driver",
    { what: { kind: "query", request: { ...query("r1").request, driver: "nope" } } },
    /no driver/,
  ],
  ["a misspelt field", { crom: "x" }, /"crom"/],
  [
    "a not_before in its request",
    { what: { kind: "query", request: { ...query("r1").request, not_before: "2027-01-01T00:00:00Z" } } },
    /the schedule determines the time/,
  ],
])("a schedule is rejected: %s", async (_name, more, message) => {
  expect(await issuesOf(named(more))).toMatch(message);
});

const request = query("r1").request;
test.each<[string, object, string]>([
  [
    "in the connection",
    { connection_args: { ...request.connection_args, password: "canary" } },
    "connection_args.password",
  ],
  ["in a device entry", { devices: [{ host: "r1", secret: "canary" }] }, "devices.0.secret"],
  [
    "in a template context",
    { config: { snmp: { community: "canary" } }, command: undefined },
    "config.snmp.community",
  ],
  ["in a hidden reply", { command: [{ send: "x", reply: "canary", hidden: true }] }, "command.0.reply"],
  ["in a webhook URL", { webhook: { url: "https://u:canary@x.example/" } }, "webhook.url"],
  [
    "in a webhook header",
    { options: { webhook: { url: "https://x.example/", headers: { "X-A": "canary" } } } },
    "options.webhook.headers.X-A",
  ],
])("a schedule is rejected if its request has a secret: %s", async (_name, more, path) => {
  const kind = "config" in more ? "push" : "query";
  const issues = await issuesOf(named({ what: { kind, request: { ...request, ...more } } }));
  expect(issues).toContain(`"what.request.${path}"`);
  expect(issues).toMatch(/use a credential/);
});

test("schedule names are per owner, and only the owner and unrestricted admins see or change one", async () => {
  const { schedules } = node;
  const { id, name } = await schedules.add(bodyOf(named()), mine);
  expect(await issuesOf(named({ name }))).toMatch(/already has a schedule with that name/);
  const other = await makeKey(node.store, "other");
  const limited: Caller = { ...admin, hosts: ["r1"] };
  for (const stranger of [other, limited]) {
    await expect(schedules.read(id, stranger)).rejects.toMatchObject({ kind: "NotFound" });
    await expect(schedules.run(id, stranger)).rejects.toMatchObject({ kind: "NotFound" });
    await expect(schedules.remove(id, stranger)).rejects.toMatchObject({ kind: "NotFound" });
    await expect(schedules.firings(id, stranger, { limit: 9 })).rejects.toMatchObject({ kind: "NotFound" });
    expect((await schedules.list(stranger, { limit: 100 })).schedules).toEqual([]);
  }
  expect(await schedules.add(bodyOf(named({ name })), other)).toMatchObject({ name });
  expect(await schedules.read(id, admin)).toMatchObject({ id, owner: { name: "owner" } });
  expect((await schedules.list(admin, { limit: 100 })).schedules.length).toBeGreaterThan(1);
});

test("a schedule whose content another key writes belongs to that key", async () => {
  const { schedules, store } = node;
  const { id, name } = await schedules.add(bodyOf(named()), mine);
  const chief = await makeKey(store, "chief", { scope: "admin" });
  expect(await schedules.pause(id, chief)).toMatchObject({ owner: { name: "owner" } });
  expect(await schedules.change(id, bodyOf({ what: query("r9") }), chief)).toMatchObject({
    owner: { name: "chief" },
    what: query("r9"),
  });
  await expect(schedules.read(id, mine)).rejects.toMatchObject({ kind: "NotFound" });
  // The name is free again for the former owner, and taken for the new one.
  await schedules.add(bodyOf(named({ name })), mine);
  expect(await issuesOf(named({ name }), chief)).toMatch(/already has a schedule/);
});

test("a schedule is not run or resumed with rights that the caller lacks, but it can be stopped", async () => {
  const { schedules } = node;
  const { id } = await schedules.add(bodyOf(named()), mine);
  const limited: Caller = { ...admin, credentials: [] };
  const forbidden = { kind: "Forbidden", message: expect.stringContaining("schedule of owner") };
  await expect(schedules.run(id, limited)).rejects.toMatchObject(forbidden);
  await schedules.pause(id, limited);
  await expect(schedules.resume(id, limited)).rejects.toMatchObject(forbidden);
  expect(await schedules.resume(id, admin)).toMatchObject({ state: "active" });
  expect(await schedules.remove(id, limited)).toBe(id);
});

test("a schedule of a key with a right is run and resumed only by a key that has it", async () => {
  const { schedules, store } = node;
  const keeper = await makeKey(store, "keeper");
  await store.keys.change(keeper.keyId, { rights: ["history_secrets"] }, admin);
  const { id } = await schedules.add(bodyOf(named()), keeper);
  const lacking = {
    kind: "Forbidden",
    message: expect.stringContaining("rights that it does not have (history_secrets)"),
  };
  await schedules.pause(id, admin);
  await expect(schedules.resume(id, admin)).rejects.toMatchObject(lacking);
  await expect(schedules.run(id, admin)).rejects.toMatchObject(lacking);
  const chief: Caller = { ...admin, rights: ["history_secrets"] };
  expect(await schedules.resume(id, chief)).toMatchObject({ state: "active" });
  expect(await schedules.remove(id, admin)).toBe(id);
});

test.each<[string, object, string]>([
  ["a device", { devices: [{ host: "192.0.2.9" }] }, "devices.0.host"],
  [
    "a jump host",
    { connection_args: { ...request.connection_args, proxy_host: "192.0.2.9" } },
    "connection_args.proxy_host",
  ],
  ["a webhook", { options: { webhook: { url: "https://192.0.2.9/x" } } }, "options.webhook.url"],
  ["a template", { parsing: { name: "textfsm", template: "http://192.0.2.9/t" } }, "parsing.template"],
  [
    "a credential",
    { connection_args: { credential: { name: "env", ref: "CORE" } } },
    "connection_args.credential",
  ],
])(
  "a schedule with %s out of reach is refused when it is stored, not at each firing",
  async (_what, more, path) => {
    const limited: Caller = { ...mine, hosts: ["r1", "10.0.0.0/8"], credentials: [] };
    const what = { kind: "query", request: { ...request, ...more } };
    expect(await issuesOf(named({ what }), limited)).toContain(`{"path":"what.request.${path}"`);
    await node.schedules.add(bodyOf(named({ what: query("r1") })), limited);
  },
);

test("a read key creates no schedule, and only inventory admins schedule a sync", async () => {
  const reader: Caller = { ...mine, scope: "read" };
  expect(await issuesOf(named(), reader)).toBe("Forbidden");
  const sync = named({ what: { kind: "sync", source: "netbox" } });
  expect(await issuesOf(sync)).toBe("Forbidden");
  expect(await issuesOf(sync, { ...admin, hosts: ["r1"] })).toBe("Forbidden");
  expect(await node.schedules.add(bodyOf(sync), admin)).toMatchObject({
    what: { kind: "sync", source: "netbox" },
  });
});

test("a schedule has a size limit, and a key a maximum number of schedules", async () => {
  const long = "x".repeat(scheduleLimits.maxBytes);
  expect(await issuesOf(named({ what: { kind: "query", request: { ...request, note: long } } }))).toBe(
    "PayloadTooLarge",
  );
  const many = await makeKey(node.store, "many");
  const { next, ...spec } = { next: undefined, spec: "{}", request: null, anchor: 0, why: null };
  const all = Array.from({ length: scheduleLimits.maxOfKey }, (_, at) =>
    node.store.schedules.add(
      { id: node.store.makeId(), owner: many.keyId, name: `n${at}`, state: "ended", ...spec, next },
      many,
    ),
  );
  expect(new Set(await Promise.all(all))).toEqual(new Set(["added"]));
  expect(await issuesOf(named(), many)).toBe("PayloadTooLarge");
});

test("a preview stores nothing", async () => {
  const before = (await node.schedules.list(mine, { limit: 100 })).schedules.length;
  expect((await node.schedules.preview(bodyOf(named()), mine)).next).toHaveLength(10);
  expect((await node.schedules.list(mine, { limit: 100 })).schedules).toHaveLength(before);
});
