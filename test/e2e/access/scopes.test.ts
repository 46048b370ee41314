/**
 * Every operation of the API description with keys of each scope, and of each right if it needs one: a key with too
 * little is refused, whatever it sends.
 */
import * as v from "valibot";
import { afterAll, beforeAll, expect, test } from "vitest";
import { givenRights, includesScope, rights, scopes } from "../../../src/auth/port.ts";
import { hasRight } from "../../../src/auth/rights.ts";
import { freePort } from "../../../src/testkit/port.ts";
import { adminKey, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";

/** Operations that need more than `read`, by the scope they need; `*` stands for the rest of a path. */
const needs = {
  agent: ["POST /mcp"],
  operate: [
    ...["POST /device/*", "POST /template/*", "POST /inventory/discover", "* /file*", "DELETE /job*"],
    ...["POST /job/*", "POST /jobs/*", "DELETE /bulk*", "POST /bulk*", "DELETE /detached-task*"],
    ...["POST /change", "PUT /change/*", "POST /change/{name}/plan", "POST /change/{name}/start"],
    ...["rehearse", "pause", "resume", "stop", "return", "cancel", "target/{item}/compare"].map(
      (word) => `POST /change/{name}/${word}`,
    ),
    ...["POST /recipe/{name}/run", "DELETE /recipe/{name}/run/*"],
    "POST /recipe/{name}/run/*",
    ...["POST /recipe/{name}/hook", "PUT /recipe/{name}/hook/*", "DELETE /recipe/{name}/hook/*"],
    ...["POST /schedule*", "PUT /schedule*", "PATCH /schedule*", "DELETE /schedule*"],
    ...["POST /history/take", "POST /history/notify", "PATCH /history/*", "POST /history/*/restore"],
    ...["* /oxidized/node/next/*", "PUT /intent/*", "DELETE /intent/*", "POST /drift/*"],
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
    ...["POST /evidence/import"],
    "POST /history/remote/*",
    ...["PUT /recipe/{name}", "DELETE /recipe/{name}"],
    ...["PUT /template/{name}", "DELETE /template/{name}"],
    ...["* /inventory/source*", "POST /inventory/import", "POST /inventory/device"],
    ...["PUT /inventory/device/*", "PATCH /inventory/device/*", "DELETE /inventory/device/*"],
    ...["PUT /inventory/group/*", "PATCH /inventory/group/*", "DELETE /inventory/group/*"],
  ],
};
const operation = v.looseObject({
  "x-right": v.optional(v.picklist(rights)),
  /** Empty: it needs no key. */
  security: v.optional(v.array(v.unknown())),
});
type Scope = (typeof scopes)[number];

let service: Service;
/** By scope, and by scope and right. */
const keys = new Map<string, string>([["admin", adminKey]]);
beforeAll(async () => {
  service = await startService({
    ...{ dataDir: tempFolder(), port: await freePort() },
    env: { PATCHBAY_MCP: "propose" },
  });
  const make = async (name: string, more: object) =>
    keys.set(name, (await service.call<{ key: string }>("POST", "/key", { name, ...more })).body.data.key);
  for (const scope of ["read", "agent", "operate"]) await make(scope, { scope });
  for (const scope of scopes)
    for (const right of [undefined, ...givenRights])
      if (scope !== "agent" || right === undefined || right === "history")
        await make(`${scope}-${right}`, { scope, rights: right === undefined ? [] : [right] });
});
afterAll(() => service?.close());

function scopeOf(operation: string): Scope {
  const fits = (pattern: string) =>
    new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*")}$`).test(operation);
  if (needs.agent.some(fits)) return "agent";
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
  const ofAgents: string[] = [];
  for (const [path, methods] of Object.entries(paths))
    for (const [name, { "x-right": right, security }] of Object.entries(methods)) {
      const method = name.toUpperCase();
      if (!["GET", "POST", "PUT", "PATCH", "DELETE"].includes(method)) continue;
      const needed = scopeOf(`${method} ${path}`);
      for (const scope of scopes) {
        const isEnough = security?.length === 0 || includesScope(scope, needed);
        if (scope === "agent" && isEnough) ofAgents.push(`${method} ${path}`);
        wanted.push(`${method} ${path} ${scope}: ${isEnough ? "taken" : `"${needed}" is needed`}`);
        const why = await refusal(
          method,
          path,
          keys.get(right === undefined || scope === "agent" ? scope : `${scope}-${right}`),
        );
        const named = /"(\w+)\\?" is needed/.exec(why?.replaceAll('\\"', '"') ?? "")?.[1];
        found.push(`${method} ${path} ${scope}: ${why === undefined ? "taken" : `"${named}" is needed`}`);
      }
      if (right === undefined) continue;
      for (const scope of scopes.filter((one) => includesScope(one, needed)))
        for (const held of [undefined, ...givenRights]) {
          const has = hasRight({ scope, rights: held === undefined ? [] : [held] }, right);
          const why = await refusal(method, path, keys.get(`${scope}-${held}`));
          found.push(`${method} ${path} ${scope} ${held}: ${why === undefined}`);
          wanted.push(`${method} ${path} ${scope} ${held}: ${has}`);
        }
    }
  expect(found).toEqual(wanted);
  // All that the key of an agent can do: its end point, and what needs no key.
  expect(ofAgents.sort()).toEqual([
    ...["GET /livez", "GET /login", "GET /login/{name}", "GET /login/{name}/callback"],
    ...[
      "GET /login/{name}/frontchannel",
      "GET /readyz",
      "POST /hook/{name}",
      "POST /login/request",
      "POST /login/token",
    ],
    ...["POST /login/{name}/backchannel", "POST /mcp"],
  ]);
  const { body: trail } = await service.call<{ who: string; action: string }[]>("GET", "/audit?limit=500");
  expect(trail.data.filter(({ who }) => who.startsWith("agent (")).map(({ action }) => action)).toEqual([]);
  expect(found.length).toBeGreaterThan(200);
});
