/**
 * P34: a key reaches the hosts of its list, and nothing else. Every field that can name a host, as the manifests and
 * schemas have it, in every route that takes it; and every route that shows or stops what belongs to a host.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtins } from "../../plugins/index.ts";
import type { Caller } from "../../src/auth/port.ts";
import type { DriverPlugin } from "../../src/plugin/index.ts";
import { fieldsOf } from "../../src/registry/fields.ts";
import { createRegistry } from "../../src/registry/registry.ts";
import { type Answered, createApp, type Sending } from "../http/fixtures.ts";
import { fakePool } from "../support/fake-pool.ts";
import { type Node, startNode } from "../support/node.ts";
import { admin } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";

const within = "10.22.0.1";
const outside = "10.66.0.9";
const names: Record<string, string[]> = {
  "in.corp": [within],
  "behind.corp": [within],
  "out.corp": [outside],
  "both.corp": [within, outside],
};
const hosts = ["10.22.*", "*.lab"];
const operator: Caller = { keyId: "k-op", name: "op", scope: "operate", hosts, from: null };
const limitedAdmin: Caller = { ...operator, keyId: "k-ad", name: "ad", scope: "admin" };
const callers: Record<string, Caller> = { admin, operator, limitedAdmin };

const registry = createRegistry();
for (const plugin of builtins) registry.add(plugin, "builtin");
const drivers = registry.list("driver");

const folder = temporary();
const reached = new Set<string>();
let delivered = Promise.withResolvers<void>();
const sessions = [within, outside].map((host, id) => ({ id, host, driver: "netmiko", thread: 0 }));
let node: Node;
beforeAll(async () => {
  const pool = { ...fakePool(), sessions: () => sessions };
  const run = pool.run.bind(pool);
  pool.run = (task, options) => {
    if ("reach" in task && task.reach.length > 0) reached.add(JSON.stringify(task));
    if (task.kind === "deliver") delivered.resolve();
    return run(task, options);
  };
  node = await startNode({
    directory: folder.path,
    pool,
    plugins: registry,
    urlAllow: ["hooks.example", "10.0.0.0/8"],
    resolve: async (name) => names[name] ?? [],
  });
});
afterAll(async () => {
  await node.stop();
  folder.remove();
});

async function send(as: string, path: string, sending: Sending = {}): Promise<Answered> {
  const authenticate = async (key: string) => callers[key];
  return createApp({}, { jobs: node.jobs, authenticate }).send(path, { ...sending, key: as });
}

/** What a driver needs at least; each field is laid over it. */
function connectionOf(driver: DriverPlugin): Record<string, unknown> {
  const all = { device_type: "cisco_ios", host: within, username: "u", password: "canary-word" };
  return Object.fromEntries(
    Object.entries(all).map(([name, value]) =>
      name === "host" && fieldsOf(driver.connection)?.includes("host") === false
        ? ["hostname", value]
        : [name, value],
    ),
  );
}

/** Fields that take an address and do not take a sentence: by what the schema says, not by their names. */
async function hostFieldsOf(driver: DriverPlugin): Promise<string[]> {
  const takes = async (field: string, value: string) => {
    const { host: _host, hostname: _hostname, ...others } = connectionOf(driver);
    const device = field.startsWith("host") ? {} : { host: within };
    const result = await driver.connection["~standard"].validate({ ...others, ...device, [field]: value });
    return result.issues === undefined;
  };
  const found: string[] = [];
  for (const field of fieldsOf(driver.connection) ?? [])
    if ((await takes(field, outside)) && !(await takes(field, "no host at all!"))) found.push(field);
  return found;
}

const command = "show version";

interface Cell {
  readonly route: string;
  readonly body: (field: Record<string, unknown>, driver: DriverPlugin) => object;
}

const deviceRoutes: Cell[] = [
  ...["/device/execute", "/device/exec"].map((route) => ({
    route,
    body: (field: object, driver: DriverPlugin) => ({
      driver: driver.name,
      command,
      connection_args: { ...connectionOf(driver), ...field },
    }),
  })),
  ...["/device/test-connection", "/device/test"].map((route) => ({
    route,
    body: (field: object, driver: DriverPlugin) => ({
      driver: driver.name,
      connection_args: { ...connectionOf(driver), ...field },
    }),
  })),
  {
    route: "/device/bulk",
    body: (field, driver) => ({
      driver: driver.name,
      command,
      connection_args: connectionOf(driver),
      devices: [field],
    }),
  },
];

/** Refused: 403, or, in a bulk, a device that failed; and no task about it ever reached a thread. */
function expectRefused(answer: Answered, host: string, cell: string): void {
  const data = answer.body.data as { failed?: unknown[]; succeeded?: unknown[] };
  if (answer.status === 200 && Array.isArray(data.failed))
    expect([cell, data.failed.length, data.succeeded?.length]).toEqual([cell, 1, 0]);
  else expect([cell, answer.status, answer.body.code]).toEqual([cell, 403, -1]);
  expect([cell, [...reached].filter((task) => task.includes(host))]).toEqual([cell, []]);
}

describe("every field of a connection that names a host", () => {
  test("is found by the schema, and told by the manifest", async () => {
    for (const driver of drivers) {
      const fields = (await hostFieldsOf(driver)).filter((field) => !field.startsWith("host"));
      const told = driver.hops?.(Object.fromEntries(fields.map((field) => [field, outside]))) ?? [];
      expect([driver.name, told.map(({ field }) => field).sort()]).toEqual([driver.name, fields.sort()]);
    }
    expect(await hostFieldsOf(registry.demand("driver", "netmiko"))).toContain("proxy_host");
  });

  const spellings = [
    outside,
    `::ffff:${outside}`,
    "out.corp",
    "both.corp",
    "10.22.evil.example",
    "unknown.corp",
  ];
  test.each(spellings)("can not name %s in any route", async (host) => {
    for (const driver of drivers)
      for (const field of await hostFieldsOf(driver))
        for (const { route, body } of deviceRoutes) {
          const value = { [field]: host, ...(field === "hostname" ? { host: undefined } : {}) };
          const answer = await send("operator", route, { body: body(value, driver) });
          expectRefused(answer, host, `${driver.name} ${field} ${route}`);
        }
  });

  test.each([within, "in.corp", "r1.lab"])("can name %s", async (host) => {
    for (const driver of drivers)
      for (const field of await hostFieldsOf(driver))
        for (const { route, body } of deviceRoutes) {
          const value = { [field]: host, ...(field === "hostname" ? { host: undefined } : {}) };
          const answer = await send("operator", route, { body: body(value, driver) });
          expect([route, field, answer.status < 300, answer.text.includes("may not reach")]).toEqual([
            route,
            field,
            true,
            false,
          ]);
        }
  });

  test("a name behind a jump host is allowed by name only", async () => {
    const driver = registry.demand("driver", "netmiko");
    for (const { route, body } of deviceRoutes) {
      const value = { host: "behind.corp", proxy_host: within };
      expectRefused(await send("operator", route, { body: body(value, driver) }), "behind.corp", route);
    }
  });
});

describe("every field that holds a URL", () => {
  const use = (name: string, template: string) => ({ name, template });
  const plain = { driver: "netmiko", connection_args: connectionOf(registry.demand("driver", "netmiko")) };
  const query = { ...plain, command };
  const config = { ...plain, config: { a: 1 } };
  const asked: [string, (url: string) => object][] = [
    ["options.webhook.url", (url) => ({ ...query, options: { webhook: { url } } })],
    ["webhook.url", (url) => ({ ...query, webhook: { url } })],
    ["parsing.template", (url) => ({ ...query, parsing: use("textfsm", url) })],
    ["options.parsing.template", (url) => ({ ...query, options: { parsing: use("ttp", url) } })],
    ["rendering.template", (url) => ({ ...config, rendering: use("jinja2", url) })],
    ["options.rendering.template", (url) => ({ ...config, options: { rendering: use("jinja2", url) } })],
    ["driver_args.ttp_template", (url) => ({ ...query, driver_args: { use_ttp: true, ttp_template: url } })],
    [
      "driver_args.textfsm_template",
      (url) => ({ ...query, driver_args: { use_textfsm: true, textfsm_template: url } }),
    ],
  ];
  const cells: [string, string, (url: string) => object][] = [
    ...asked.flatMap(([field, body]): [string, string, (url: string) => object][] => [
      ["/device/execute", field, body],
      ["/device/bulk", field, (url) => ({ ...body(url), devices: [{}] })],
    ]),
    ["/template/render", "template", (url) => ({ template: url })],
    ["/template/render/jinja2", "template", (url) => ({ template: url })],
    ["/template/parse", "template", (url) => ({ template: url, context: "" })],
    ["/template/parse/ttp", "template", (url) => ({ template: url, context: "" })],
  ];
  const schemes = (field: string) =>
    field.includes("webhook") ? ["http", "https"] : ["http", "HTTPS", "ftp"];

  test.each(cells)("%s %s", async (route, field, body) => {
    for (const scheme of schemes(field)) {
      for (const host of [outside, "out.corp", "example.com", `u:p@${outside}:81`]) {
        const answer = await send("operator", route, { body: body(`${scheme}://${host}/x`) });
        expectRefused(answer, `://${host}/`, `${route} ${field} ${scheme}://${host}`);
      }
      for (const host of [within, "in.corp", "r1.lab", "hooks.example"]) {
        const answer = await send("operator", route, { body: body(`${scheme}://${host}/x`) });
        expect([host, answer.status]).not.toEqual([host, 403]);
      }
      // The operator's own policy is all that holds a key without a list.
      expect((await send("admin", route, { body: body(`${scheme}://${outside}/y`) })).status).not.toBe(403);
    }
  });
});

test("what is dialled, fetched and called for a job later is held to the same list", async () => {
  const before = new Set(reached);
  delivered = Promise.withResolvers<void>();
  const request = {
    driver: "netmiko",
    connection_args: connectionOf(registry.demand("driver", "netmiko")),
    command,
    parsing: { name: "textfsm", template: "http://in.corp/later" },
    webhook: { url: "http://hooks.example/later" },
  };
  await node.ended(await node.submit(request, operator));
  await delivered.promise;
  const tasks = [...reached].filter((task) => !before.has(task)).map((task) => JSON.parse(task));
  for (const kind of ["query", "fetch", "deliver"])
    expect([kind, tasks.find((task) => task.kind === kind)?.reach]).toEqual([kind, hosts]);
});

describe("what belongs to a host out of reach", () => {
  let id: string;
  const job = (host: string, work: object) => ({
    driver: "netmiko",
    connection_args: { ...connectionOf(registry.demand("driver", "netmiko")), host },
    ...work,
  });
  beforeAll(async () => {
    id = await node.submit(job(outside, { command: "hang" }));
    await node.ended(await node.submit(job(within, { command })));
  });
  afterAll(() => node.jobs.cancel({ id }, true, admin));

  test("is not shown as a job", async () => {
    for (const as of ["operator", "limitedAdmin"]) {
      expect((await send(as, `/job?id=${id}`)).status).toBe(404);
      expect((await send(as, `/jobs/${id}`)).status).toBe(404);
      for (const filter of [
        "",
        `?host=${outside}`,
        `?queue=pinned_${outside}`,
        "?status=running",
        "?limit=500",
      ]) {
        const answer = await send(as, `/job${filter}`);
        expect([filter, answer.text.includes(id)]).toEqual([filter, false]);
      }
    }
    // Not even that there is one.
    const unknown = await send("operator", "/job?limit=1&cursor=01a201c7-ad3d-7000-862a-825caf29e57c");
    expect(await send("operator", `/job?limit=1&cursor=${id}`)).toMatchObject({
      status: 400,
      body: unknown.body,
    });
    expect((await send("admin", `/job?id=${id}`)).status).toBe(200);
    expect((await send("operator", "/job?limit=500")).text).toContain(`"host":"${within}"`);
  });

  test("is not cancelled, by id or by filter", async () => {
    for (const path of [`/job?id=${id}`, `/jobs/${id}?x`.replace("?x", "")]) {
      const more = path.includes("?") ? "&force=true" : "?force=true";
      expect((await send("operator", path + more, { method: "DELETE" })).status).toBe(404);
    }
    for (const filter of [`host=${outside}`, `queue=pinned_${outside}`, "status=running", "driver=netmiko"]) {
      const answer = await send("operator", `/job?${filter}&force=true`, { method: "DELETE" });
      expect([filter, answer.status, answer.text.includes(id)]).toEqual([filter, 200, false]);
    }
    const [record] = (await send("admin", `/job?id=${id}`)).body.data as { status: string }[];
    expect(record?.status).toBe("running");
  });

  test("is not shown or stopped as a worker, and neither are workers that serve all", async () => {
    for (const filter of [
      "",
      `?host=${outside}`,
      `?queue=pinned_${outside}`,
      "?queue=fifo",
      "?status=busy",
    ]) {
      const { text } = await send("operator", `/worker${filter}`);
      for (const word of [outside, id, "fifo"])
        expect([filter, text.includes(word)]).toEqual([filter, false]);
    }
    expect((await send("operator", "/worker")).text).toContain(`n1.pinned_${within}`);
    const stop = (filter: string) => send("limitedAdmin", `/worker?${filter}`, { method: "DELETE" });
    for (const filter of [`host=${outside}`, "queue=fifo", "status=busy"])
      expect((await stop(filter)).body.data).toEqual([]);
    for (const name of ["n1.fifo.0", `n1.pinned_${outside}`])
      expect((await stop(`name=${name}`)).status).toBe(404);
    expect((await stop("node=n1")).body.data).toEqual([`n1.pinned_${within}`]);
    const [record] = (await send("admin", `/job?id=${id}`)).body.data as { status: string }[];
    expect(record?.status).toBe("running");
  });

  test("is not told by the audit trail, whatever the page", async () => {
    await node.store.audit.add({ caller: admin, action: "device.test", host: outside, outcome: "success" });
    await node.store.audit.add({ caller: admin, action: "device.test", host: within, outcome: "success" });
    let cursor = "";
    let seen = "";
    do {
      const answer = await send("limitedAdmin", `/audit?limit=1${cursor}`);
      seen += answer.text;
      cursor = answer.headers.has("x-next-cursor") ? `&cursor=${answer.headers.get("x-next-cursor")}` : "";
    } while (cursor !== "");
    expect(seen).toContain(within);
    expect(seen).not.toContain(outside);
    expect((await send("admin", "/audit?limit=500")).text).toContain(outside);
  });
});
