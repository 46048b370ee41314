/**
 * Runs the suites of inventory formats and sources on the built-in ones and the example; what takes longest, in a plain
 * run on some of the formats.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, test } from "vitest";
import acmeCmdb from "../../examples/acme-cmdb/plugin.ts";
import ansible from "../../plugins/inventory/ansible/plugin.ts";
import csv from "../../plugins/inventory/csv/plugin.ts";
import git from "../../plugins/inventory/git/plugin.ts";
import netbox from "../../plugins/inventory/netbox/plugin.ts";
import netpulse from "../../plugins/inventory/netpulse/plugin.ts";
import nornir from "../../plugins/inventory/nornir/plugin.ts";
import own from "../../plugins/inventory/own/plugin.ts";
import oxidized from "../../plugins/inventory/oxidized/plugin.ts";
import url from "../../plugins/inventory/url/plugin.ts";
import { needs } from "../../scripts/testbed/catalogue.ts";
import {
  type Case,
  type InventoryFormatSuiteOptions,
  inventoryFormatSuite,
  inventorySourceSuite,
  type Service,
  startService,
  tempFolder,
} from "../../src/testkit/index.ts";
import { type NetboxDouble, startNetbox } from "../inventory/netbox-double.ts";
import { sampled } from "../support/sampled.ts";

const secret = "canary-inventory-secret-7";
const token = "canary-inventory-token-7";
const folder = tempFolder();
let service: Service;
let double: NetboxDouble;
let files: Server;
let base: string;

const register = (suite: readonly Case[]) => {
  for (const { name, run } of suite) test(name, run);
};
const formats = [...own, csv, ansible, nornir, oxidized, netpulse].map(({ name }) => name);
const asYaml = ["yaml", "ansible", "nornir"];
/** Of megabytes. */
const long = /deep indentation|too many devices/;
const readLong = new Set(sampled(formats, 2, (name) => (asYaml.includes(name) ? "YAML" : "rows")));
const formatSuite = (options: InventoryFormatSuiteOptions) =>
  inventoryFormatSuite(options).filter(({ name }) => !long.test(name) || readLong.has(options.plugin.name));
const lines = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join("\n");

beforeAll(async () => {
  double = await startNetbox(token);
  double.devices = [
    { name: "sw1", ip: "192.0.2.1/24", site: "berlin", platform: "cisco_ios" },
    { name: "sw2", ip: "192.0.2.2/24", site: "berlin", custom_fields: { rack: 7 } },
  ];
  files = createServer(({ url: path = "", headers }, response) => {
    const isAllowed = headers.authorization === `Bearer ${token}`;
    response.writeHead(isAllowed ? 200 : 401, { "Content-Type": "application/json" });
    response.end(isAllowed ? answerTo(path) : "{}");
  });
  await new Promise<void>((done) => files.listen(0, "127.0.0.1", done));
  base = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
  service = await startService({
    plugins: [resolve("examples")],
    env: {
      PATCHBAY_URL_ALLOW: "127.0.0.1",
      PATCHBAY_TEMPLATE_ROOTS: folder,
      PATCHBAY_PLUGIN_ENV_RIGHT_PASSWORD: token,
      PATCHBAY_PLUGIN_ENV_WRONG_PASSWORD: secret,
    },
  });
});
afterAll(async () => {
  await service.close();
  await double.close();
  files.closeAllConnections();
  files.close();
});

function answerTo(path: string): string {
  if (path === "/list.csv") return "name,host\nr1,192.0.2.1\nr2,192.0.2.2\n";
  const page = Number(new URL(path, base).searchParams.get("page"));
  const asset = {
    hostname: `r${page}`,
    address: `192.0.2.${page}`,
    model: page === 1 ? "switch" : "toaster",
  };
  return JSON.stringify({ next: page === 1 ? 2 : null, assets: [asset] });
}

const shared = { service: () => service, devices: ["r1", "r2"] };
const right = { name: "env", ref: "right" };
const wrong = { name: "env", ref: "wrong" };

describe.each(own.map((plugin) => [plugin.name, plugin] as const))("%s", (_name, plugin) => {
  register(
    formatSuite({
      ...shared,
      plugin,
      text: '{"groups": [{"name": "g"}],\n"devices": [\n{"name": "r1", "group": "g", "vars": {"a": 1.50}},\n{"name": "r2"}]}',
      wrong: { text: '{"devices": [\n{"name": "r1"},\n7]}', at: "line 3" },
      many: (count) => `{"devices":[${lines(count, (at) => `{"name":"d${at}"},`)}{"name":"z"}]}`,
    }),
  );
});
describe("csv", () => {
  register(
    formatSuite({
      ...shared,
      plugin: csv,
      text: "kind,name,group,host,vars.a\ngroup,g,,,\ndevice,r1,g,192.0.2.1,'=1+1\ndevice,r2,,192.0.2.2,007\n",
      wrong: { text: "name,port\nr1,no\n", at: "line 2" },
      many: (count) => `name\n${lines(count, (at) => `d${at}`)}`,
    }),
  );
});
describe("ansible", () => {
  register(
    formatSuite({
      ...shared,
      plugin: ansible,
      text: "[core]\nr1 ansible_host=192.0.2.1 a=1\n[edge]\nr2 ansible_host=192.0.2.2\n[edge:vars]\nansible_port=2222\n",
      wrong: { text: "[core]\nr1 'a\n", at: "line 2" },
      many: (count) => `[g]\n${lines(count, (at) => `d${at}`)}`,
      secret: { text: `r1 ansible_password=${secret} snmp_community=${secret}\n`, secrets: [secret] },
    }),
  );
});
describe("nornir", () => {
  register(
    formatSuite({
      ...shared,
      plugin: nornir,
      text: JSON.stringify({
        hosts:
          "r1:\n  hostname: 192.0.2.1\n  groups: [g]\n  data: {a: 1}\nr2:\n  hostname: 192.0.2.2\n  port: 2222\n",
        groups: "g: {}\n",
      }),
      wrong: { text: JSON.stringify({ hosts: "r1: {}\nr2: 7\n" }), at: "hosts line 2" },
      many: (count) => JSON.stringify({ hosts: lines(count, (at) => `d${at}: {}`) }),
      secret: { text: JSON.stringify({ hosts: `r1:\n  password: ${secret}\n` }), secrets: [secret] },
    }),
  );
});
describe("oxidized", () => {
  register(
    formatSuite({
      ...shared,
      plugin: oxidized,
      columns: { map: "name,ip,model,group" },
      text: "r1:192.0.2.1:ios:g\nr2:192.0.2.2:junos:g\n",
      wrong: { text: "r1:192.0.2.1\nr2:192.0.2.2:ios:g:more\n", at: "line 2" },
      many: (count) => lines(count, (at) => `d${at}`),
    }),
  );
});
describe("netpulse", () => {
  const header = "Selected,Name,Vendor,IP,Port,Username,Password";
  register(
    formatSuite({
      ...shared,
      plugin: netpulse,
      text: `${header}\nTrue,r1,Cisco,192.0.2.1,22,ops,\nFalse,r2,H3C,192.0.2.2,,,\n`,
      wrong: { text: `${header}\nTrue,r1,Cisco,192.0.2.1,many,ops,\n`, at: "line 2" },
      many: (count) => `${header}\n${lines(count, (at) => `True,d${at},Cisco,192.0.2.1,22,,`)}`,
      secret: { text: `${header}\nTrue,r1,Cisco,192.0.2.1,22,ops,${secret}\n`, secrets: [secret] },
    }),
  );
});

const sourceSuite = { ...shared, secrets: [token, secret] };
describe("netbox", () => {
  register(
    inventorySourceSuite({
      ...sourceSuite,
      devices: ["sw1", "sw2"],
      plugin: netbox,
      source: () => ({ url: double.url, credential: right, filter: "site=berlin" }),
      malformed: { fields: { object: "rack" }, at: "object" },
      failing: () => ({ credential: wrong }),
    }),
  );
});
describe("url", () => {
  register(
    inventorySourceSuite({
      ...sourceSuite,
      plugin: url,
      source: () => ({ url: `${base}/list.csv`, format: "csv", credential: right }),
      malformed: { fields: { path: "x" }, at: "path" },
      failing: () => ({ credential: wrong }),
    }),
  );
});
describe.skipIf(needs("git"))("git", () => {
  const repository = join(folder, "net");
  beforeAll(() => {
    mkdirSync(repository);
    writeFileSync(join(repository, "list.csv"), "name\nr1\nr2\n");
    const run = (...args: string[]) =>
      execFileSync("git", ["-C", repository, "-c", "user.name=t", "-c", "user.email=t@example", ...args]);
    run("init", "-q");
    run("add", "-A");
    run("commit", "-qm", "first");
  });
  register(
    inventorySourceSuite({
      ...sourceSuite,
      plugin: git,
      source: () => ({ url: pathToFileURL(repository).href, format: "csv", path: "list.csv" }),
      malformed: { fields: { path: "../x" }, at: "path" },
      failing: () => ({ path: "absent.csv" }),
    }),
  );
});
describe("acme-cmdb", () => {
  register(
    inventorySourceSuite({
      ...sourceSuite,
      plugin: acmeCmdb,
      source: () => ({ url: base, credential: right, site: "berlin" }),
      malformed: { fields: { site: "../x" }, at: "site" },
      failing: () => ({ credential: wrong }),
    }),
  );
});
