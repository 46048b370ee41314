/**
 * Every operation of the API description with keys of each scope, and of each right if it needs one: a key with too
 * little is refused, whatever it sends.
 */
import * as v from "valibot";
import { afterAll, beforeAll, expect, test } from "vitest";
import { givenRights, rights } from "../../src/auth/port.ts";
import { hasRight } from "../../src/auth/rights.ts";
import { freePort } from "../../src/testkit/port.ts";
import { adminKey, type Service, startService, tempFolder } from "../../src/testkit/service.ts";

/** Operations that need more than `read`, by the scope they need; `*` stands for the rest of a path. */
const needs = {
  operate: [
    ...["POST /device/*", "POST /template/*", "POST /inventory/discover", "* /file*", "DELETE /job*"],
    ...["POST /job/*", "POST /jobs/*", "DELETE /bulk*", "POST /bulk*", "DELETE /detached-task*"],
    ...["POST /change", "PUT /change/*", "POST /change/{name}/plan", "POST /change/{name}/start"],
    ...["pause", "resume", "stop", "return", "cancel"].map((word) => `POST /change/{name}/${word}`),
    ...["POST /schedule*", "PUT /schedule*", "PATCH /schedule*", "DELETE /schedule*"],
    ...["POST /history/take", "POST /history/notify", "PATCH /history/*", "POST /history/*/restore"],
    ...["* /oxidized/node/next/*"],
  ],
  admin: [
    ...[
      "* /key",
      "* /role*",
      "GET /person",
      "* /person/{name}*",
      "* /credential*",
      "* /webhook*",
      "GET /audit",
      "* /ledger*",
      "GET /plugin",
      "GET /settings",
      "DELETE /worker*",
    ],
    ...["DELETE /host-key/*", "POST /host-key/*"],
    ...["DELETE /history/*", "POST /history/*/rename", "POST /history/import", "PUT /history/remote/*"],
    "POST /history/remote/*",
    ...["* /inventory/source*", "POST /inventory/import", "POST /inventory/device"],
    ...["PUT /inventory/device/*", "PATCH /inventory/device/*", "DELETE /inventory/device/*"],
    ...["PUT /inventory/group/*", "PATCH /inventory/group/*", "DELETE /inventory/group/*"],
  ],
};
const operation = v.looseObject({ "x-right": v.optional(v.picklist(rights)) });
const order = ["read", "operate", "admin"] as const;
type Scope = (typeof order)[number];

let service: Service;
/** By scope, and by scope and right. */
const keys = new Map<string, string>([["admin", adminKey]]);
beforeAll(async () => {
  service = await startService({ dataDir: tempFolder(), port: await freePort() });
  const make = async (name: string, more: object) =>
    keys.set(name, (await service.call<{ key: string }>("POST", "/key", { name, ...more })).body.data.key);
  for (const scope of ["read", "operate"]) await make(scope, { scope });
  for (const scope of order)
    for (const right of [undefined, ...givenRights])
      await make(`${scope}-${right}`, { scope, rights: right === undefined ? [] : [right] });
});
afterAll(() => service?.close());

function scopeOf(operation: string): Scope {
  const fits = (pattern: string) =>
    new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*")}$`).test(operation);
  return needs.admin.some(fits) ? "admin" : needs.operate.some(fits) ? "operate" : "read";
}

/** @returns why the key is refused; undefined if its scope is enough, whatever is wrong with the request otherwise. */
async function refusal(method: string, path: string, key: string | undefined): Promise<string | undefined> {
  const leaving = new AbortController();
  const response = await fetch(service.url + path.replace(/\{[^}]+\}/g, "nothing-of-that-name"), {
    method,
    headers: { "X-API-KEY": key ?? "", "Content-Type": "application/json" },
    ...(method === "GET" ? {} : { body: "{}" }),
    signal: leaving.signal,
  });
  // A stream of events would not end.
  const text = response.status === 403 ? await response.text() : "";
  leaving.abort();
  // Routes for what is somebody's own refuse keys of machines, whatever their scope.
  return response.status === 403 && !/keys of persons|confirmed by a person/.test(text) ? text : undefined;
}

test("every operation rejects a key whose scope is too low and accepts one whose scope is sufficient", async () => {
  const { body } = await service.call<unknown>("GET", "/openapi.json");
  const { paths } = v.parse(v.object({ paths: v.record(v.string(), v.record(v.string(), operation)) }), body);
  const found: string[] = [];
  const wanted: string[] = [];
  for (const [path, methods] of Object.entries(paths))
    for (const [name, { "x-right": right }] of Object.entries(methods)) {
      const method = name.toUpperCase();
      if (!["GET", "POST", "PUT", "PATCH", "DELETE"].includes(method)) continue;
      const needed = scopeOf(`${method} ${path}`);
      for (const scope of order) {
        const isEnough = order.indexOf(scope) >= order.indexOf(needed);
        wanted.push(`${method} ${path} ${scope}: ${isEnough ? "taken" : `"${needed}" is needed`}`);
        const why = await refusal(method, path, keys.get(right === undefined ? scope : `${scope}-${right}`));
        const named = /"(\w+)\\?" is needed/.exec(why?.replaceAll('\\"', '"') ?? "")?.[1];
        found.push(`${method} ${path} ${scope}: ${why === undefined ? "taken" : `"${named}" is needed`}`);
      }
      if (right === undefined) continue;
      for (const scope of order.slice(order.indexOf(needed)))
        for (const held of [undefined, ...givenRights]) {
          const has = hasRight({ scope, rights: held === undefined ? [] : [held] }, right);
          const why = await refusal(method, path, keys.get(`${scope}-${held}`));
          found.push(`${method} ${path} ${scope} ${held}: ${why === undefined}`);
          wanted.push(`${method} ${path} ${scope} ${held}: ${has}`);
        }
    }
  expect(found).toEqual(wanted);
  expect(found.length).toBeGreaterThan(200);
});
