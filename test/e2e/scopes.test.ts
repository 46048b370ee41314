/** Every operation of the API description with keys of each scope: a key with too little is refused, whatever it sends. */
import * as v from "valibot";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../src/testkit/port.ts";
import { adminKey, type Service, startService, tempFolder } from "../../src/testkit/service.ts";

/** Operations that need more than `read`, by the scope they need; `*` stands for the rest of a path. */
const needs = {
  operate: [
    ...["POST /device/*", "POST /template/*", "POST /inventory/discover", "* /file*", "DELETE /job*"],
    ...["POST /job/*", "POST /jobs/*", "DELETE /bulk*", "POST /bulk*", "DELETE /detached-task*"],
    ...["POST /schedule*", "PUT /schedule*", "PATCH /schedule*", "DELETE /schedule*"],
  ],
  admin: [
    ...[
      "* /key",
      "* /credential*",
      "* /webhook*",
      "GET /audit",
      "GET /plugin",
      "GET /settings",
      "DELETE /worker*",
    ],
    ...["DELETE /host-key/*", "POST /host-key/*"],
    ...["* /inventory/source*", "POST /inventory/import", "POST /inventory/device"],
    ...["PUT /inventory/device/*", "PATCH /inventory/device/*", "DELETE /inventory/device/*"],
    ...["PUT /inventory/group/*", "PATCH /inventory/group/*", "DELETE /inventory/group/*"],
  ],
};
const order = ["read", "operate", "admin"] as const;
type Scope = (typeof order)[number];

let service: Service;
const keys = new Map<Scope, string>([["admin", adminKey]]);
beforeAll(async () => {
  service = await startService({ dataDir: tempFolder(), port: await freePort() });
  for (const scope of ["read", "operate"] as const)
    keys.set(
      scope,
      (await service.call<{ key: string }>("POST", "/key", { name: scope, scope })).body.data.key,
    );
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
  return response.status === 403 ? text : undefined;
}

test("every operation rejects a key whose scope is too low and accepts one whose scope is sufficient", async () => {
  const { body } = await service.call<unknown>("GET", "/openapi.json");
  const { paths } = v.parse(
    v.object({ paths: v.record(v.string(), v.record(v.string(), v.unknown())) }),
    body,
  );
  const found: string[] = [];
  const wanted: string[] = [];
  for (const [path, methods] of Object.entries(paths))
    for (const method of Object.keys(methods).map((name) => name.toUpperCase())) {
      if (!["GET", "POST", "PUT", "PATCH", "DELETE"].includes(method)) continue;
      const needed = scopeOf(`${method} ${path}`);
      for (const scope of order) {
        const isEnough = order.indexOf(scope) >= order.indexOf(needed);
        wanted.push(`${method} ${path} ${scope}: ${isEnough ? "taken" : `"${needed}" is needed`}`);
        const why = await refusal(method, path, keys.get(scope));
        const named = /"(\w+)\\?" is needed/.exec(why?.replaceAll('\\"', '"') ?? "")?.[1];
        found.push(`${method} ${path} ${scope}: ${why === undefined ? "taken" : `"${named}" is needed`}`);
      }
    }
  expect(found).toEqual(wanted);
  expect(found.length).toBeGreaterThan(200);
});
