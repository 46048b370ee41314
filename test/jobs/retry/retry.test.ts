/** Retries: the original request, with secrets resolved again; nothing twice, nothing beyond the key's hosts. */
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import type { Caller } from "../../../src/auth/port.ts";
import { type Node, signal } from "../../support/node.ts";
import { patiently } from "../../support/patiently.ts";
import { plainRegistry } from "../../support/plugins.ts";
import { admin, bodyOf, configure, query } from "../../support/requests.ts";
import { useNode } from "../support.ts";

const node = useNode({ plugins: withCredentials() });
const keeping = useNode({ retryMs: 3_600_000 });
function withCredentials() {
  const registry = plainRegistry();
  const reference = v.object({ name: v.string(), ref: v.string() });
  registry.add(
    { api: 1, kind: "credential", name: "env", reference, load: () => Promise.reject(new Error("not here")) },
    "builtin",
  );
  return registry;
}

const anew = { connection_args: { password: "canary-anew" } };

const retry = (id: string, body: object, caller: Caller = admin, key?: string, on: Node = node()) =>
  patiently(() => on.jobs.retryJob(id, bodyOf(body), caller, key));
const retryBulk = (id: string, body: object, caller: Caller = admin, key?: string, on: Node = node()) =>
  patiently(() => on.jobs.retryBulk(id, bodyOf(body), caller, key));

async function failed(request: object, on: Node = node(), caller: Caller = admin): Promise<string> {
  const id = await patiently(() => on.submit(request, caller));
  expect((await on.ended(id)).status).toBe("failed");
  return id;
}

async function bulkOf(more: object, on: Node = node(), caller: Caller = admin): Promise<string> {
  const {
    connection_args: connection,
    command: _command,
    ...rest
  } = query("x", "x") as Record<string, object>;
  const { host: _host, ...shared } = connection as Record<string, unknown>;
  const { bulk_id } = await patiently(() => on.bulk({ ...rest, connection_args: shared, ...more }, caller));
  await on.jobs.waitForBulk(bulk_id, 100_000, signal);
  return bulk_id;
}

async function issuesOf(promise: Promise<unknown>): Promise<{ path: string; message: string }[]> {
  const error = await promise.then(
    () => undefined,
    (reason) => reason,
  );
  expect(error?.kind).toBe("Validation");
  expect(JSON.stringify(error.detail)).not.toContain("canary");
  return error.detail.issues;
}

describe("the retry of a job", () => {
  test("repeats the request and records retry_of", async () => {
    const id = await failed(
      query("r1", ["show a", "fail x"], {
        options: { ttl: 77, label: "night", tags: ["a"], priority: "low" },
      }),
    );
    const ticket = await retry(id, anew);
    const again = await node().ended(ticket.id);
    expect(again).toMatchObject({
      retry_of: id,
      command: ["show a", "fail x"],
      host: "r1",
      device_type: "cisco_ios",
      label: "night",
      tags: ["a"],
      priority: "low",
      queue: "pinned_r1",
    });
    expect(node().pool.log.filter(({ host }) => host === "r1")).toHaveLength(4);
  });

  test("names the missing secrets, and accepts a credential instead", async () => {
    const id = await failed(query("r1", "fail x", { driver_args: { no_such_token: "canary-arg" } }));
    const issues = await issuesOf(retry(id, {}));
    expect(issues).toMatchObject([
      { path: "connection_args.password", message: expect.stringContaining("or a credential") },
    ]);
    const source = await issuesOf(retry(id, { credential: { name: "no-such" } }));
    expect(source[0]?.path).toBe("connection_args.credential.name");
    const ticket = await retry(id, { credential: { name: "env", ref: "lab" } });
    expect((await node().ended(ticket.id)).retry_of).toBe(id);
    // Secrets from a credential are not stored either, only the reference.
    expect((await node().ended((await retry(ticket.id, {})).id)).retry_of).toBe(ticket.id);
  });

  test("is rejected if the job did not fail", async () => {
    const id = await node().submit(query("r1", "show a"));
    await node().ended(id);
    await expect(retry(id, anew)).rejects.toMatchObject({ kind: "BusinessFailure" });
    await expect(retry("unknown", anew)).rejects.toMatchObject({ kind: "NotFound" });
  });

  test("accepts only secrets in connection_args", async () => {
    const id = await failed(query("r1", "fail x"));
    const issues = await issuesOf(
      retry(id, { connection_args: { password: "canary", host: "r2", port: 23 }, command: "reload" }),
    );
    expect(issues.map(({ path }) => path)).toEqual(["command"]);
    const overlaid = await issuesOf(retry(id, { connection_args: { password: "x", host: "r2", port: 23 } }));
    expect(overlaid.map(({ path }) => path)).toEqual(["connection_args.host", "connection_args.port"]);
  });

  test("is rejected for hosts that the key does not reach", async () => {
    const id = await failed(query("192.0.2.9", "fail x"));
    const other: Caller = { ...admin, keyId: "k9", hosts: ["10.0.0.0/8"] };
    await expect(retry(id, anew, other)).rejects.toMatchObject({ kind: "NotFound" });
    const narrowed: Caller = { ...admin, hosts: ["10.0.0.0/8"] };
    await expect(retry(id, anew, narrowed)).rejects.toMatchObject({ kind: "Forbidden" });
    await expect(retry(id, anew, { ...admin, scope: "read" })).rejects.toMatchObject({ kind: "Forbidden" });
  });

  test("needs force if the configuration may have been sent", async () => {
    const id = await failed(configure("r1", ["lose x"]));
    expect(await issuesOf(retry(id, anew))).toMatchObject([
      { path: "force", message: expect.stringContaining("for r1: check these devices") },
    ]);
    const ticket = await retry(id, { ...anew, force: true });
    expect((await node().ended(ticket.id)).config).toEqual(["lose x"]);
  });

  test("runs once per Idempotency-Key", async () => {
    const id = await failed(query("r1", "fail x"));
    const [first, second] = await Promise.all([retry(id, anew, admin, "k-1"), retry(id, anew, admin, "k-1")]);
    expect((await retry(id, anew, admin, "k-1")).id).toBe(first.id);
    expect(second.id).toBe(first.id);
    await expect(retry(id, { ...anew, force: true }, admin, "k-1")).rejects.toMatchObject({
      kind: "Conflict",
    });
  });
});

describe("a retry needs again", () => {
  test("secrets of a template context, and keeps the rest of the context as written", async () => {
    const text = `{"driver":"netmiko","connection_args":{"host":"r1","device_type":"cisco_ios","username":"u",
      "password":"canary-password"},"options":{"rendering":{"name":"jinja2","template":"fail"}},
      "config":{"b": 2.0, "20": 1, "snmp": {"community": "canary-community", "port": 161}}}`;
    const { id } = await node().jobs.submit({ text, value: JSON.parse(text) }, admin);
    await node().ended(id);
    const missing = await issuesOf(retry(id, anew));
    expect(missing.map(({ path }) => path)).toEqual(["config.snmp.community"]);
    const other = { ...anew, config: { snmp: { community: "x", port: 162 } } };
    expect((await issuesOf(retry(id, other))).map(({ path }) => path)).toEqual(["config.snmp.port"]);
    const ticket = await retry(id, { ...anew, force: true, config: { snmp: { community: "canary-2" } } });
    await node().ended(ticket.id);
    expect(node().pool.log.at(-1)?.command).toBe(
      'fail {"b": 2.0, "20": 1, "snmp": {"community": "canary-2", "port": 161}}',
    );
  });

  test("the whole command if it held hidden replies or a password", async () => {
    const hidden = [{ send: "fail x", expect: "assword", reply: "canary-reply", hidden: true }];
    const first = await failed(query("r1", hidden as never));
    expect(await issuesOf(retry(first, anew))).toMatchObject([
      { path: "command.0.reply", message: expect.stringContaining("submit the work again") },
    ]);
    const second = await failed(query("r1", "fail canary-password"));
    expect(await issuesOf(retry(second, anew))).toMatchObject([{ path: "command" }]);
  });

  test("the secrets of a webhook, or a request without that webhook", async () => {
    const webhook = {
      url: "http://127.0.0.1:9/x",
      secret: "canary-hook",
      headers: { "X-Any": "canary-header" },
    };
    const id = await failed(query("r1", "fail x", { options: { webhook } }));
    const issues = await issuesOf(retry(id, anew));
    expect(issues.map(({ path }) => path).sort()).toEqual([
      "options.webhook.headers.X-Any",
      "options.webhook.secret",
    ]);
    await retry(id, { ...anew, options: { webhook: null } });
    const whole = { secret: "canary-2", headers: { "X-Any": "canary-3" } };
    await retry(id, { ...anew, options: { webhook: whole } });
    const other = await issuesOf(retry(id, { ...anew, options: { webhook: { ...whole, url: "http://x" } } }));
    expect(other.map(({ path }) => path)).toEqual(["options.webhook.url"]);
  });

  test("a webhook URL that contains a token", async () => {
    const webhook = { url: "http://127.0.0.1:9/x?token=canary-query" };
    const id = await failed(query("r1", "fail x", { options: { webhook } }));
    expect((await issuesOf(retry(id, anew))).map(({ path }) => path)).toEqual(["options.webhook.url"]);
    await retry(id, { ...anew, options: { webhook } });
  });

  test("webhook secrets if the receiver changes, even if they are kept", async () => {
    const webhook = { url: "http://127.0.0.1:9/x?token=canary-query", headers: { "X-Any": "canary-header" } };
    const id = await failed(query("r1", "fail x", { options: { webhook } }), keeping());
    const elsewhere = { options: { webhook: { url: "http://127.0.0.1:9/y" } } };
    const issues = await issuesOf(retry(id, elsewhere, admin, undefined, keeping()));
    expect(issues.map(({ path }) => path)).toEqual(["options.webhook.headers.X-Any"]);
    await retry(id, {}, admin, undefined, keeping());
  });
});

describe("the retry of a bulk", () => {
  const devices = [
    { host: "b1" },
    { host: "b2", command: "fail own" },
    { host: "b3", password: "canary-own", port: 2222, command: ["fail y"] },
    { host: "bad host" },
  ];

  test("repeats its failed jobs, each as requested, in a new bulk", async () => {
    const id = await bulkOf({
      devices,
      command: "show a",
      concurrency: 2,
      label: "night",
      options: { ttl: 99 },
    });
    const answer = await retryBulk(id, { ...anew, options: { ticket: "CHG-8" } });
    expect(answer).toMatchObject({ retry_of: id, succeeded: [{}, {}], failed: [] });
    expect(answer.warnings?.[0]).toContain("bad host");
    await node().jobs.waitForBulk(answer.bulk_id, 100_000, signal);
    const jobs = (await node().store.jobs.page({ bulkId: answer.bulk_id }, 10)).toReversed();
    expect(jobs.map(({ host, label, ticket }) => [host, label, ticket])).toEqual([
      ["b2", "night", "CHG-8"],
      ["b3", "night", "CHG-8"],
    ]);
    expect(jobs.every(({ retryOf }) => retryOf !== null)).toBe(true);
    const log = node().pool.log.filter(({ host }) => host === "b2" || host === "b3");
    expect(log.map(({ command }) => command).sort()).toEqual(["fail own", "fail own", "fail y", "fail y"]);
    expect(await node().store.bulks.find(answer.bulk_id)).toMatchObject({ retryOf: id, concurrency: 2 });
    // A retry of a retry.
    expect((await retryBulk(answer.bulk_id, anew)).succeeded).toHaveLength(2);
  });

  test("can be limited by error type or to cancelled jobs, and is rejected if no job matches", async () => {
    const id = await bulkOf({
      devices: [{ host: "c1", command: "wrong password" }, { host: "c2" }],
      command: "fail x",
    });
    expect((await retryBulk(id, { ...anew, error_type: "AuthenticationFailed" })).succeeded).toHaveLength(1);
    expect((await retryBulk(id, { ...anew, error_type: ["CommandError"] })).succeeded).toHaveLength(1);
    expect((await retryBulk(id, { ...anew, only: "unfinished" })).succeeded).toHaveLength(2);
    expect(await issuesOf(retryBulk(id, { ...anew, only: "cancelled" }))).toMatchObject([{ path: "only" }]);
    await expect(retryBulk("unknown", anew)).rejects.toMatchObject({ kind: "NotFound" });
  });

  test("names each missing secret once for all devices", async () => {
    const id = await bulkOf({ devices: [{ host: "d1" }, { host: "d2" }], command: "fail x" });
    expect((await issuesOf(retryBulk(id, {}))).map(({ path }) => path)).toEqual(["connection_args.password"]);
  });

  test("covers only the devices that a limited key reaches", async () => {
    const id = await bulkOf({ devices: [{ host: "10.0.0.1" }, { host: "192.0.2.1" }], command: "fail x" });
    const limited: Caller = { ...admin, keyId: "k9", hosts: ["10.0.0.0/8"] };
    const { succeeded, failed: refused } = await retryBulk(id, anew, limited);
    expect([succeeded.length, refused.length]).toEqual([1, 0]);
    const none: Caller = { ...admin, keyId: "k8", hosts: ["172.16.0.0/12"] };
    await expect(retryBulk(id, anew, none)).rejects.toMatchObject({ kind: "NotFound" });
  });

  test("with pushes of unknown outcome names their hosts and needs force", async () => {
    const id = await bulkOf({ devices: [{ host: "e1" }, { host: "e2" }], config: ["lose x"] });
    const [issue] = await issuesOf(retryBulk(id, anew));
    expect(issue?.message).toContain("e1, e2");
    expect((await retryBulk(id, { ...anew, force: true })).succeeded).toHaveLength(2);
  });

  test("is not held up by pushes of unknown outcome, which are left out and named", async () => {
    const devices = [
      { host: "g1", config: ["lose x"] },
      { host: "g2", config: ["fail x"] },
    ];
    const id = await bulkOf({ devices });
    const { succeeded, warnings } = await retryBulk(id, anew);
    expect(succeeded).toHaveLength(1);
    expect(warnings).toMatchObject([expect.stringMatching(/outcome is unknown for g1: .*force: true/)]);
    const known = await retryBulk(id, { ...anew, outcome: "known" });
    expect([known.succeeded.length, known.warnings ?? []]).toEqual([1, []]);
    const unforced = await issuesOf(retryBulk(id, { ...anew, outcome: "unknown" }));
    expect(unforced).toMatchObject([{ path: "force" }]);
    const forced = await retryBulk(id, { ...anew, outcome: "unknown", force: true });
    const jobs = await node().store.jobs.page({ bulkId: forced.bulk_id }, 5);
    expect(jobs.map(({ host }) => host)).toEqual(["g1"]);
  });

  test("is not needed to retry one of its jobs", async () => {
    const id = await bulkOf({ devices: [{ host: "f1", port: 2222 }], command: "fail x" });
    const [job] = await node().store.jobs.page({ bulkId: id }, 1);
    const again = await node().ended((await retry(job?.id ?? "", anew)).id);
    expect(again).toMatchObject({ host: "f1", retry_of: job?.id, command: "fail x" });
    expect(again.bulk_id).toBeUndefined();
  });
});

describe("with PATCHBAY_RETRY_HOURS", () => {
  test("the key that submitted the job need not send the secrets again; another key must", async () => {
    const id = await failed(query("r1", "fail x"), keeping());
    expect((await retry(id, {}, admin, undefined, keeping())).id).toBeDefined();
    const other: Caller = { ...admin, keyId: "k9" };
    expect(await issuesOf(retry(id, {}, other, undefined, keeping()))).toHaveLength(1);
    const bulk = await bulkOf(
      { devices: [{ host: "g1" }, { host: "g2", password: "canary-own" }], command: "fail x" },
      keeping(),
    );
    expect((await retryBulk(bulk, {}, admin, undefined, keeping())).succeeded).toHaveLength(2);
    const [job] = await keeping().store.jobs.page({ bulkId: bulk }, 1);
    expect((await retry(job?.id ?? "", {}, admin, undefined, keeping())).id).toBeDefined();
  });

  test("the secrets of a finished job are deleted at once", async () => {
    const id = await keeping().submit(query("r1", "show a"));
    await keeping().ended(id);
    const { rows } = await keeping().store.raw(`select retry_payload from jobs where id = '${id}'`);
    expect(rows[0]?.[0]).toBeNull();
  });
});
