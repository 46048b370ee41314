/** Formats and sources of an operator, good and bad: listed, used, reloaded, and never beyond the limits of the service. */
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";

const folder = join(tempFolder(), "plugins");
const canary = "canary-of-the-settings-9";

const bad = `import { defineInventoryFormat } from "patchbay/plugin";
const format = (name, make) => defineInventoryFormat({ name, exports: { type: "text/plain", name: "x" }, make });
const entry = (fields) => ({ devices: [{ fields, at: "line 1" }], groups: [], warnings: [] });
let deep = {};
for (let at = 0; at < 20000; at++) deep = { deep };
const endless = { *write() { for (;;) yield "x".repeat(16 * 1024 * 1024); } };
export default [
  format("bad-shape", () => ({ read: () => ({ devices: 7 }), write: () => 7 })),
  format("bad-promise", () => ({ read: async () => entry({ name: "a" }), write: () => [7] })),
  format("bad-throw", () => ({ read() { throw new Error("it broke"); }, write() { throw new Error("it broke"); } })),
  format("bad-deep", () => ({ read: () => entry({ name: "a", vars: deep }) })),
  format("bad-many", () => ({ read: () => ({ ...entry({ name: "a" }), devices: new Array(100001).fill(1) }) })),
  format("bad-large", () => ({ read: () => entry({ name: "a", vars: { x: "y".repeat(70 * 1024 * 1024) } }) })),
  format("bad-name", () => ({ read: () => entry({ name: "../x" }) })),
  format("endless", () => endless),
  format("nothing", () => 7),
];`;
const sources = `import { defineInventorySource, secret, v } from "patchbay/plugin";
const source = (name, fetch, options) =>
  defineInventorySource({ name, schemes: ["http:"], gives: "devices", fetch, ...(options ? { options } : {}) });
export default [
  source("src-shape", async () => 7),
  source("src-throws", async () => { throw new Error("it broke"); }),
  source("src-many", async () => ({ devices: new Array(100001).fill({ name: "a" }) })),
  source("src-secret", async () => ({ devices: [] }), v.object({ token: secret(v.string()) })),
  defineInventorySource({
    name: "good-src",
    schemes: ["http:"],
    gives: "devices",
    settings: v.object({ token: secret(v.string()) }),
    options: v.object({ site: v.string("must be a string") }),
    async fetch({ url, http, settings, options }, ctx) {
      const { body } = await http.request(url, { headers: { "X-Token": settings.token.reveal() } }, ctx);
      return { devices: [{ name: body, site: options.site }], warnings: ["with " + settings.token.reveal()] };
    },
  }),
];`;

let service: Service;
let server: Server;
let url: string;
beforeAll(async () => {
  mkdirSync(folder);
  writeFileSync(join(folder, "bad.ts"), bad);
  writeFileSync(join(folder, "sources.ts"), sources);
  server = createServer(({ headers }, response) =>
    response.end(headers["x-token"] === canary ? "dev1" : "no"),
  );
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  service = await startService({
    plugins: [folder],
    env: { PATCHBAY_URL_ALLOW: "127.0.0.1", PATCHBAY_PLUGIN_GOOD_SRC_TOKEN: canary },
  });
});
afterAll(async () => {
  await service.close();
  server.closeAllConnections();
  server.close();
});

async function imported(format: string) {
  const { status, body } = await service.call("POST", `/inventory/import?format=${format}`, "x", {
    "Content-Type": "text/plain",
  });
  return [status, JSON.stringify(body)];
}
async function synced(kind: string, more: object = {}) {
  const { status, body } = await service.call("PUT", `/inventory/source/${kind}`, { kind, url, ...more });
  if (status >= 300) return [status, JSON.stringify(body)];
  const answer = await service.call("POST", `/inventory/source/${kind}/sync`);
  return [answer.status, JSON.stringify(answer.body)];
}

test("they are listed with the built-in ones, and part of the API description", async () => {
  const { body } = await service.call<{ kind: string; name: string }[]>("GET", "/plugin");
  const named = body.data.filter(({ kind }) => kind === "inventory").map(({ name }) => name);
  expect(named).toEqual(expect.arrayContaining(["csv", "netbox", "git", "bad-shape", "good-src"]));
  const text = await (
    await fetch(`${service.url}/openapi.json`, { headers: { "X-API-KEY": service.key } })
  ).text();
  const { paths, components } = JSON.parse(text);
  const format = paths["/inventory/import"].post.parameters.find(
    ({ name }: { name: string }) => name === "format",
  );
  expect(format.schema.enum).toEqual(expect.arrayContaining(["ansible", "csv", "bad-shape"]));
  expect(components.schemas.Source.properties.kind.enum).toEqual(expect.arrayContaining(["url", "good-src"]));
  expect(components.schemas.PutSourceRequest.properties).toHaveProperty("site");
});

test.each([
  [
    "bad-shape",
    500,
    "The inventory plugin bad-shape failed in `read`: devices is not as the contract has it",
  ],
  ["bad-promise", 500, "The inventory plugin bad-promise failed in `read`"],
  ["bad-throw", 500, "The inventory plugin bad-throw failed in `read`: it broke"],
  ["bad-deep", 422, "nests objects more than 16 deep"],
  ["bad-many", 413, "more than 100000 devices"],
  ["bad-large", 413, "characters of entries"],
  ["bad-name", 422, "a device needs a name of letters"],
  ["nothing", 500, "The inventory plugin nothing failed in `load`: it returned no format"],
  ["absent", 422, "must be one of ansible, bad-deep"],
])("an import by a bad format fails with a reason: %s", async (format, status, message) => {
  const [answered, text] = await imported(format);
  expect([answered, text]).toEqual([status, expect.stringContaining(message)]);
});

test("an export by a bad format fails with a reason, or ends", async () => {
  for (const format of ["bad-shape", "bad-throw"]) {
    const { status, body } = await service.call("GET", `/inventory/export?format=${format}`);
    expect([status, body.message]).toEqual([
      500,
      expect.stringContaining(`The inventory plugin ${format} failed in`),
    ]);
  }
  const leaving = new AbortController();
  const endless = await fetch(`${service.url}/inventory/export?format=endless`, {
    headers: { "X-API-KEY": service.key },
    signal: leaving.signal,
  });
  await endless.body?.getReader().read();
  expect((await service.call("GET", "/inventory/device")).status).toBe(200);
  leaving.abort();
});

test("sources of an operator: their own fields, settings masked, faults told, limits kept", async () => {
  expect(await synced("good-src", { site: "berlin" })).toEqual([
    200,
    expect.stringContaining("with [secret]"),
  ]);
  const { body } = await service.call<{ site: string }>("GET", "/inventory/device/dev1");
  expect(body.data.site).toBe("berlin");
  expect(await synced("good-src", { site: 7 })).toEqual([422, expect.stringContaining("must be a string")]);
  expect(await synced("good-src")).toEqual([422, expect.stringContaining('"path":"site"')]);
  expect(await synced("netbox", { site: "x" })).toEqual([
    422,
    expect.stringContaining("is for good-src only"),
  ]);
  expect(await synced("src-secret", { token: canary })).toEqual([
    422,
    expect.stringContaining("name a credential"),
  ]);
  expect(await synced("src-shape")).toEqual([200, expect.stringContaining("failed in `fetch`")]);
  expect(await synced("src-throws")).toEqual([200, expect.stringContaining("failed in `fetch`: it broke")]);
  expect(await synced("src-many")).toEqual([413, expect.stringContaining("more than 100000 devices")]);
  expect(service.output()).not.toContain(canary);
});
