/**
 * P34: a key reaches only the hosts of its list. Covers every field that can name a host, according to
 * manifests and schemas, in every route that accepts it. test/auth/shown.test.ts covers what the key may see.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DriverPlugin } from "../../src/plugin/index.ts";
import { fieldsOf } from "../../src/registry/fields.ts";
import type { Answered, Sending } from "../http/doubles/fixtures.ts";
import {
  connectionOf,
  hosts,
  type LimitedNode,
  operator,
  outside,
  registry,
  startLimitedNode,
  within,
} from "./support.ts";

const drivers = registry.list("driver");

let limited: LimitedNode;
beforeAll(async () => {
  limited = await startLimitedNode();
});
afterAll(() => limited.stop());

const send = (as: string, path: string, sending?: Sending) => limited.send(as, path, sending);

/** Fields that accept an address but not a sentence, found by schema and not by name. */
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
/** Of drivers without a command line. */
const operations: Readonly<Record<string, string>> = { netconf: "get", restconf: "data", snmp: "sysName.0" };
const workOf = ({ name }: DriverPlugin) => ({ command: operations[name] ?? command });

interface Cell {
  readonly route: string;
  readonly body: (field: Record<string, unknown>, driver: DriverPlugin) => object;
}

const deviceRoutes: Cell[] = [
  ...["/device/execute", "/device/exec"].map((route) => ({
    route,
    body: (field: object, driver: DriverPlugin) => ({
      driver: driver.name,
      ...workOf(driver),
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
      ...workOf(driver),
      connection_args: connectionOf(driver),
      devices: [field],
    }),
  },
];

/** Refused: 403, or a failed device in a bulk; no task for the host ever reached a thread. */
function expectRefused(answer: Answered, host: string, cell: string): void {
  const data = answer.body.data as { failed?: unknown[]; succeeded?: unknown[] };
  if (answer.status === 200 && Array.isArray(data.failed))
    expect([cell, data.failed.length, data.succeeded?.length]).toEqual([cell, 1, 0]);
  else expect([cell, answer.status, answer.body.code]).toEqual([cell, 403, -1]);
  expect([cell, [...limited.reached].filter((task) => task.includes(host))]).toEqual([cell, []]);
}

describe("every field of a connection that names a host", () => {
  test("is known from the schema and declared by the manifest", async () => {
    for (const driver of drivers) {
      const fields = (await hostFieldsOf(driver)).filter((field) => !field.startsWith("host"));
      const told = driver.hops?.(Object.fromEntries(fields.map((field) => [field, outside]))) ?? [];
      expect([driver.name, told.map(({ field }) => field).sort()]).toEqual([driver.name, fields.sort()]);
    }
    expect(await hostFieldsOf(registry.require("driver", "netmiko"))).toContain("proxy_host");
  });

  const spellings = [
    outside,
    `::ffff:${outside}`,
    "out.corp",
    "both.corp",
    "10.22.evil.example",
    "unknown.corp",
  ];
  test.each(spellings)("cannot name %s in any route", async (host) => {
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
    const driver = registry.require("driver", "netmiko");
    for (const { route, body } of deviceRoutes) {
      const value = { host: "behind.corp", proxy_host: within };
      expectRefused(await send("operator", route, { body: body(value, driver) }), "behind.corp", route);
    }
  });
});

describe("every field that contains a URL", () => {
  const use = (name: string, template: string) => ({ name, template });
  const plain = { driver: "netmiko", connection_args: connectionOf(registry.require("driver", "netmiko")) };
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
      // A key without a host list is only bound by the operator's policy.
      expect((await send("admin", route, { body: body(`${scheme}://${outside}/y`) })).status).not.toBe(403);
    }
  });
});

test("later dials, fetches and webhooks of a job are checked against the same list", async () => {
  const before = new Set(limited.reached);
  const delivery = limited.delivery();
  const request = {
    driver: "netmiko",
    connection_args: connectionOf(registry.require("driver", "netmiko")),
    command,
    parsing: { name: "textfsm", template: "http://in.corp/later" },
    webhook: { url: "http://hooks.example/later" },
  };
  await limited.node.ended(await limited.node.submit(request, operator));
  await delivery;
  const tasks = [...limited.reached].filter((task) => !before.has(task)).map((task) => JSON.parse(task));
  for (const kind of ["query", "fetch", "deliver"])
    expect([kind, tasks.find((task) => task.kind === kind)?.reach]).toEqual([kind, hosts]);
});
