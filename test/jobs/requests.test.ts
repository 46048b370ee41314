/** What a request may look like, and what is said of one that is wrong. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Caller } from "../../src/auth/port.ts";
import { ServiceError } from "../../src/base/errors.ts";
import type { Task } from "../../src/protocol/task.ts";
import { fakePool } from "../support/fake-pool.ts";
import { type Node, startNode } from "../support/node.ts";
import { admin, bodyOf, configure, query } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";

let folder: ReturnType<typeof temporary>;
let node: Node;
beforeAll(async () => {
  folder = temporary();
  node = await startNode({ directory: folder.path });
});
afterAll(async () => {
  await node.stop();
  folder.remove();
});

const connection = { host: "r1", device_type: "cisco_ios", username: "u", password: "canary" };
const base = { driver: "netmiko", connection_args: connection };

async function issuesOf(request: object): Promise<{ path: string; message: string; received?: string }[]> {
  const error = await node.jobs.submit(bodyOf(request), admin).catch((reason) => reason);
  expect(error.kind).toBe("Validation");
  expect(JSON.stringify(error.detail)).not.toContain("canary");
  return error.detail.issues;
}

describe("refused, with the field that is at fault", () => {
  const rows: [string, object, string, RegExp][] = [
    ["no driver", { connection_args: connection, command: "x" }, "driver", /is required/],
    ["unknown driver", { ...base, driver: "netmiki", command: "x" }, "driver", /Did you mean netmiko/],
    ["neither", base, "command", /one of/],
    ["both", { ...base, command: "x", config: "y" }, "command", /both/],
    ["empty command", { ...base, command: "" }, "command", /./],
    ["no commands", { ...base, command: [] }, "command", /./],
    ["control character", { ...base, command: "show\u0003" }, "command.0", /control/],
    ["line break", { ...base, command: ["show a\nreload"] }, "command.0", /one line/],
    ["control in config", { ...base, config: "a\u0000b" }, "config.0", /control/],
    ["context without rendering", { ...base, config: { a: 1 } }, "config", /rendering/],
    [
      "rendering of text",
      { ...base, config: "a", rendering: { name: "jinja2", template: "x" } },
      "config",
      /object/,
    ],
    [
      "no host",
      { ...base, connection_args: { device_type: "cisco_ios" }, command: "x" },
      "connection_args.host",
      /required/,
    ],
    [
      "bad host",
      { ...base, connection_args: { ...connection, host: "a b" }, command: "x" },
      "connection_args.host",
      /host name/,
    ],
    [
      "two hosts",
      { ...base, connection_args: { ...connection, hostname: "r2" }, command: "x" },
      "connection_args.host",
      /differ/,
    ],
    [
      "device type",
      { ...base, connection_args: { ...connection, device_type: "cisco_iso" }, command: "x" },
      "connection_args.device_type",
      /Did you mean cisco_ios/,
    ],
    [
      "port as text",
      { ...base, connection_args: { ...connection, port: "canary" }, command: "x" },
      "connection_args.port",
      /number/,
    ],
    [
      "port 0",
      { ...base, connection_args: { ...connection, port: 0 }, command: "x" },
      "connection_args.port",
      /./,
    ],
    [
      "password as number",
      { ...base, connection_args: { ...connection, password: 5 }, command: "x" },
      "connection_args.password",
      /string/,
    ],
    ["ttl", { ...base, command: "x", options: { ttl: 0 } }, "options.ttl", /./],
    [
      "strategy",
      { ...base, command: "x", options: { queue_strategy: "canary" } },
      "options.queue_strategy",
      /./,
    ],
    [
      "driver_args",
      { ...base, command: "x", driver_args: { read_timeout: "canary" } },
      "driver_args.read_timeout",
      /number/,
    ],
    [
      "parser",
      { ...base, command: "x", parsing: { name: "textfms", template: "x" } },
      "parsing.name",
      /Did you mean textfsm/,
    ],
    [
      "renderer as parser",
      { ...base, command: "x", parsing: { name: "jinja2", template: "x" } },
      "parsing.name",
      /no engine/,
    ],
    [
      "webhook",
      { ...base, command: "x", options: { webhook: { url: "canary" } } },
      "options.webhook.url",
      /URL/i,
    ],
    [
      "webhook name",
      { ...base, command: "x", options: { webhook: { name: "other", url: "http://x" } } },
      "options.webhook.name",
      /no webhook/,
    ],
    ["a number", [5], "", /./],
  ];
  test.each(rows)("%s", async (_, request, path, message) => {
    const issues = await issuesOf(request);
    const found = issues.find((issue) => issue.path === path || path === "");
    expect(found, JSON.stringify(issues)).toBeDefined();
    expect(found?.message).toMatch(message);
  });
});

test("fields that a driver does not know are named in the answer and left out", async () => {
  const ticket = await node.jobs.submit(
    bodyOf({
      ...base,
      connection_args: { ...connection, colour: 1 },
      command: "x",
      driver_args: { speed: 2, save: true },
      other: 3,
    }),
    admin,
  );
  expect(ticket.warnings).toEqual([
    "connection_args.colour is not known to the driver netmiko and was ignored",
    "driver_args.speed is not known to the driver netmiko and was ignored",
    "driver_args.save has no meaning for a query and was ignored",
  ]);
  expect((await node.ended(ticket.id)).warnings).toEqual(ticket.warnings);
});

test("`hostname` is as good as `host`, and spellings of one address share a queue", async () => {
  const { host: _host, ...others } = connection;
  const ids = await Promise.all(
    ["2001:DB8::1", "2001:db8:0:0::1"].map((hostname) =>
      node.submit({ ...base, connection_args: { ...others, hostname }, command: "x" }),
    ),
  );
  const records = await Promise.all(ids.map((id) => node.ended(id)));
  expect(new Set(records.map((one) => one.queue))).toEqual(new Set(["pinned_2001:db8::1"]));
});

test("the context of a template keeps the order of its keys and its kinds of number", async () => {
  const text = `{"driver":"netmiko","connection_args":${JSON.stringify(connection)},"config":{"b":1.0,"10":1,"a":1e2},"rendering":{"name":"jinja2","template":"ctx"}}`;
  const { id } = await node.jobs.submit({ text, value: JSON.parse(text) }, admin);
  const { result } = await node.ended(id);
  expect(Object.keys(result?.retval ?? {})).toEqual(['ctx {"b":1.0,"10":1,"a":1e2}']);
});

test("outputs are parsed command by command; a template that does not fit loses nothing", async () => {
  const good = await node.ended(
    await node.submit(
      query("r1", ["show a", "show b"], { parsing: { name: "textfsm", template: "Value X (.*)" } }),
    ),
  );
  expect(good.result?.retval).toEqual({
    "show a": [{ B: 1, "10": "r1: show a" }],
    "show b": [{ B: 1, "10": "r1: show b" }],
  });
  const bad = await node.ended(
    await node.submit(query("r1", "show a", { options: { parsing: { name: "ttp", template: "bad" } } })),
  );
  expect(bad).toMatchObject({
    status: "failed",
    result: { retval: { "show a": "r1: show a" }, error: { type: "ParseError" } },
  });
});

test("entries of a bulk override what is shared, and carry work of their own", async () => {
  const answer = await node.bulk({
    ...base,
    connection_args: { ...connection, host: "shared" },
    config: ["shared line"],
    devices: [
      { host: "d1" },
      { host: "d2", config: "own line" },
      { hostname: "d3", command: "show own" },
      { host: "d4", command: "" },
    ],
  });
  expect(answer.failed).toEqual(["d4"]);
  await node.jobs.waitForBulk(answer.bulk_id, 10_000, new AbortController().signal);
  const commands = node.pool.log
    .filter(({ host }) => /^d\d$/.test(host))
    .map(({ host, command }) => `${host}: ${command}`);
  expect(commands.sort()).toEqual(["d1: shared line", "d2: own line", "d3: show own"]);
  expect((await node.bulk({ ...base, command: "x", devices: [{}] }).catch((error) => error)).failed).toEqual(
    [],
  );
});

test("a bulk whose own shape is wrong is refused whole", async () => {
  for (const devices of [undefined, [], [5], "x"]) {
    const error = await node.bulk({ ...base, command: "x", devices }).catch((reason) => reason);
    expect(error.kind).toBe("Validation");
  }
});

test("a shared field of a bulk that is wrong is the request's own fault, in the words of a single one", async () => {
  const devices = [{ host: "d1" }, { host: "d2", device_type: "cisco_ios" }];
  const shared: [object, string][] = [
    [{ ...base, driver: "netmiki", command: "x" }, "driver"],
    [{ ...base, command: "x", connection_args: { ...connection, port: "canary" } }, "connection_args.port"],
    [{ ...base, command: "x", driver_args: { read_timeout: "canary" } }, "driver_args.read_timeout"],
    [{ ...base, command: "x", parsing: { name: "textfms", template: "x" } }, "parsing.name"],
    [{ ...base, command: "x", webhook: { url: "canary" } }, "webhook.url"],
    [{ ...base, command: "a\u0003" }, "command.0"],
    [base, "command"],
  ];
  for (const [request, path] of shared) {
    const error = await node.bulk({ ...request, devices }).catch((reason) => reason);
    expect([path, error.kind, error.detail?.issues?.[0]?.path]).toEqual([path, "Validation", path]);
    const { host: _host, ...others } = connection;
    const single = await issuesOf({ connection_args: { ...others, host: "d1" }, ...request });
    expect(single.find((issue) => issue.path === path)?.message).toBe(error.detail.issues[0].message);
  }
});

test("an entry's own fault, or one that it makes good, refuses nobody else", async () => {
  const answer = await node.bulk({
    ...base,
    connection_args: { ...connection, port: "canary" },
    devices: [
      { host: "o1", port: 22, command: "show a" },
      { host: "o2", port: 23, command: "a\u0003" },
      { host: "o3", port: 24 },
    ],
  });
  expect(answer.failed).toEqual(["o2", "o3"]);
});

test("options beside the driver are options", async () => {
  const { id, warnings } = await node.jobs.submit(
    bodyOf({ ...base, command: "show flat", queue_strategy: "fifo", ttl: 60, execution_timeout: 90 }),
    admin,
  );
  expect(warnings).toEqual(["execution_timeout is another name of ttl here; ttl was used"]);
  expect((await node.ended(id)).queue).toBe("fifo");
  expect((await issuesOf({ ...base, command: "x", execution_timeout: 0 }))[0]?.path).toBe(
    "execution_timeout",
  );
});

test("the name of a file in place of a template is told", async () => {
  for (const template of ["cisco_ios_show_version.textfsm", "./a/b", "/etc/templates/x", " x.template "]) {
    const [issue] = await issuesOf({ ...base, command: "x", parsing: { name: "textfsm", template } });
    expect(issue).toMatchObject({ path: "parsing.template", message: expect.stringContaining("file://") });
    const body = bodyOf({ name: "textfsm", template, context: "" });
    await expect(node.jobs.parse(body, undefined, admin, new AbortController().signal)).rejects.toMatchObject(
      { kind: "BadRequest", message: expect.stringContaining("file://") },
    );
  }
});

test("what a key may not do is refused before anything is stored", async () => {
  const reader: Caller = { ...admin, scope: "read" };
  const limited: Caller = { ...admin, keyId: "k9", scope: "operate", hosts: ["10.0.0.0/8", "*.lab"] };
  await expect(node.submit(query("r1", "x"), reader)).rejects.toMatchObject({ kind: "Forbidden" });
  await expect(node.submit(query("r1", "x"), limited)).rejects.toMatchObject({ kind: "Forbidden" });
  await node.submit(query("10.1.2.3", "x"), limited);
  const answer = await node.bulk(
    { ...base, command: "x", devices: [{ host: "10.0.0.9" }, { host: "r9" }] },
    limited,
  );
  expect(answer.failed_jobs).toMatchObject([
    { host: "r9", reason: expect.stringContaining("may not reach") },
  ]);
  const seen = [];
  for await (const page of node.jobs.list({}, limited, {})) seen.push(...page.map((one) => one.host));
  expect(seen.length).toBeGreaterThan(0);
  // Of its own doing it sees also what was refused.
  expect(seen.filter((host) => !host.startsWith("10."))).toEqual(["r9"]);
  await expect(node.jobs.audit({ limit: 1 }, limited)).rejects.toMatchObject({ kind: "Forbidden" });
});

test("a submission sent twice with one Idempotency-Key makes one job; another body is refused", async () => {
  const body = bodyOf(query("r1", "show once"));
  const tickets = await Promise.all(Array.from({ length: 50 }, () => node.jobs.submit(body, admin, "key-1")));
  expect(new Set(tickets.map((one) => one.id)).size).toBe(1);
  await expect(node.jobs.submit(bodyOf(query("r1", "show other")), admin, "key-1")).rejects.toMatchObject({
    kind: "Conflict",
  });
  await node.ended(tickets[0]?.id ?? "");
  expect(node.pool.log.filter(({ command }) => command === "show once")).toHaveLength(1);
  const bulk = bodyOf({ ...base, command: "show bulk", devices: [{ host: "i1" }, { host: "i2" }] });
  const [a, b] = await Promise.all([
    node.jobs.bulk(bulk, admin, "key-2"),
    node.jobs.bulk(bulk, admin, "key-2"),
  ]);
  expect(a.bulk_id).toBe(b.bulk_id);
  // The first answer has the shape of its own endpoint.
  await expect(node.jobs.submit(bulk, admin, "key-2")).rejects.toMatchObject({ kind: "Conflict" });
});

test("an Idempotency-Key belongs to the endpoint it was used on", async () => {
  // Good for both: what one does not know of it is ignored.
  const body = bodyOf({ ...base, command: "show which", devices: [{ host: "e1" }, { host: "e2" }] });
  const [single, bulk] = await Promise.allSettled([
    node.jobs.submit(body, admin, "key-3"),
    node.jobs.bulk(body, admin, "key-3"),
  ]);
  const outcomes = [single, bulk].map((one) => one.status).sort();
  expect(outcomes).toEqual(["fulfilled", "rejected"]);
  const bulked = await node.jobs.bulk(body, admin, "key-4");
  await expect(node.jobs.submit(body, admin, "key-4")).rejects.toMatchObject({
    kind: "Conflict",
    message: expect.stringContaining("endpoint"),
  });
  expect(await node.jobs.bulk(body, admin, "key-4")).toEqual(bulked);
});

test("the connection test answers in words", async () => {
  const ok = await node.jobs.testConnection(bodyOf(base), admin, new AbortController().signal);
  expect(ok).toMatchObject({ success: true, error_message: null, device_info: { prompt: "R1#" } });
});

test("render and parse find their engine by path, by name, and by what the template looks like", async () => {
  const signal = new AbortController().signal;
  const render = (body: object, name?: string) => node.jobs.render(bodyOf(body), name, admin, signal);
  const parse = (body: object, name?: string) => node.jobs.parse(bodyOf(body), name, admin, signal);
  expect(await render({ template: "t", context: { a: 1 } })).toEqual({ text: 't {"a":1}' });
  expect(await render({ template: "file://x.j2" }, "jinja2")).toEqual({ text: "fetched file://x.j2 {}" });
  await expect(render({ template: "t", name: "a" }, "b")).rejects.toMatchObject({ kind: "Validation" });
  await expect(render({ template: "t" }, "mako")).rejects.toMatchObject({ kind: "NotFound" });
  await expect(render({ template: "t", args: { trim_blocks: "canary" } })).rejects.toMatchObject({
    kind: "Validation",
  });
  expect(await parse({ template: "Value X (.*)\n\nStart", context: "raw" })).toEqual({
    json: '[{"B":1.0,"10":"raw"}]',
  });
  expect((await parse({ template: "{{ x }}", context: "raw" }, "ttp")).json).toContain("raw");
  await expect(parse({ template: "plain", context: "raw" })).rejects.toMatchObject({
    kind: "BadRequest",
    message: expect.stringContaining("Looked for"),
  });
  await expect(parse({ template: "x" }, "ttp")).rejects.toMatchObject({ kind: "Validation" });
});

test("the queue has an end", async () => {
  const small = temporary();
  const full = await startNode({ directory: small.path, slots: 0, maxQueued: 3 });
  for (let at = 0; at < 3; at++) await full.submit(query(`h${at}`, "x"));
  await expect(full.submit(query("h9", "x"))).rejects.toMatchObject({
    kind: "TooManyRequests",
    detail: { retryAfter: 5 },
  });
  await full.kill();
  small.remove();
});

test("pages go on from their cursor and end", async () => {
  const ids: string[] = [];
  let cursor: string | undefined;
  for (let turn = 0; turn < 200; turn++) {
    const page: string[] = [];
    const { next, pieces } = await node.jobs.page({ driver: "netmiko" }, admin, {
      limit: 7,
      ...(cursor ? { cursor } : {}),
    });
    for await (const part of pieces) page.push(...part.map((one) => one.id));
    ids.push(...page);
    cursor = next;
    if (cursor === undefined) break;
    expect(page).toHaveLength(7);
  }
  const whole: string[] = [];
  for await (const part of node.jobs.list({ driver: "netmiko" }, admin, {}))
    whole.push(...part.map((one) => one.id));
  expect(ids).toEqual(whole);
  await expect(async () => {
    for await (const _ of node.jobs.list({}, admin, { cursor: "none" }));
  }).rejects.toMatchObject({ kind: "BadRequest" });
});

test("who did what stands in the audit trail, without secrets", async () => {
  const id = await node.submit(configure("r7", ["hostname x"]));
  await node.ended(id);
  const { entries } = await node.jobs.audit({ limit: 500 }, admin);
  expect(entries.find((entry) => entry.job_id === id)).toMatchObject({
    who: "admin (k1)",
    from: "127.0.0.1",
    action: "device.config",
    host: "r7",
    outcome: "finished",
  });
  expect(entries.some((entry) => entry.action === "device.test" && entry.outcome === "success")).toBe(true);
  expect(JSON.stringify(entries)).not.toContain("canary");
});

test("a failed connection test says in words why", async () => {
  const kinds = [
    ["ConnectionTimeout", "Connection to r1:22 timed out after 20 seconds"],
    ["AuthenticationFailed", "Authentication failed for u@r1"],
    ["ConnectionRefused", "Connection refused by r1:22"],
    ["HostKeyMismatch", "Host key of r1 does not match the known one"],
    ["HostUnreachable", "nothing there"],
  ] as const;
  for (const [kind, text] of kinds) {
    const small = temporary();
    const inner = fakePool();
    const run = (task: Task) =>
      task.kind === "probe"
        ? Promise.reject(new ServiceError(kind, "nothing there"))
        : Promise.reject(new Error("?"));
    const other = await startNode({ directory: small.path, pool: { ...inner, run } });
    const answer = await other.jobs.testConnection(bodyOf(base), admin, new AbortController().signal);
    expect(answer).toMatchObject({
      success: false,
      connection_time: null,
      device_info: null,
      error_message: text,
    });
    await other.stop();
    small.remove();
  }
});
