/**
 * Every operation of the API description with a person in a session, and with a key of the same limits: both get the
 * same status and the same refusal, so no role gives more than it says (P235).
 */
import * as v from "valibot";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { MadeKey } from "../../../src/api/access/key.ts";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { placePerson, placeStore } from "../../support/placed-store.ts";

/** Each is the limits of a role and of a key. */
const shapes = {
  reader: { scope: "read" },
  "reader of hosts": { scope: "read", hosts: ["10.0.0.0/8"] },
  "reader of configurations": { scope: "read", rights: ["history"] },
  operator: { scope: "operate" },
  "operator of hosts": { scope: "operate", hosts: ["10.0.0.0/8"], credentials: ["lab-*"] },
  "operator without credentials": { scope: "operate", credentials: [] },
  "operator with secrets": { scope: "operate", rights: ["history_secrets"] },
  "operator of a selector": { scope: "operate", hosts: ["select:site:berlin"] },
  "reader with a recipe": { scope: "read", recipes: ["nothing*"] },
  "operator of a recipe": { scope: "operate", recipes: ["other"] },
  admin: { scope: "admin" },
  "admin of hosts": { scope: "admin", hosts: ["10.0.0.0/8"] },
} as const;
type Shape = keyof typeof shapes;
const names = Object.keys(shapes) as Shape[];
const groupOf = (shape: Shape) => shape.replaceAll(" ", "-");

/** What differs by what it is about: a session ends itself, a key begins one, and each knows its own name. */
const different = ["POST /session", "DELETE /session/{name}"];
/** Asks for neither, and takes so many deliveries from an address: whose call it is does not count. */
const ofNobody = ["POST /hook/{name}"];
/** About the person who calls: a key of a machine is refused. */
const ofPersons = /^\w+ \/person\/me\//;

let service: Service;
const tokens = new Map<Shape, string>();
const keys = new Map<Shape, string>();

beforeAll(async () => {
  const dataDir = tempFolder();
  await placeStore(dataDir, async (store) => {
    for (const shape of names) {
      const group = groupOf(shape);
      const token = `pbs_${group.padEnd(43, "0")}`;
      await placePerson(store, { name: group, group, token });
      tokens.set(shape, token);
    }
  });
  service = await startService({ dataDir });
  for (const shape of names) {
    const name = groupOf(shape);
    const role = await service.call("PUT", `/role/${name}`, { ...shapes[shape], groups: [name] });
    expect([shape, role.status]).toEqual([shape, 201]);
    const made = await service.call<MadeKey>("POST", "/key", { ...shapes[shape], name });
    keys.set(shape, made.body.data.key);
  }
});
afterAll(() => service?.close());

/** What refusals call the caller, the command that would help, and the name that was asked for. */
const words = /nothing-of-(persons|keys)|This API key|Your role|patchbay role put|patchbay key rights/g;

interface Answer {
  readonly status: number;
  /** Of a refusal: what it says, without what it calls the caller. */
  readonly refusal: string | undefined;
}

/** @param name of what is in the path: a change by one does not stand in the way of the other */
async function ask(
  method: string,
  path: string,
  headers: Record<string, string>,
  name = "nothing",
): Promise<Answer> {
  const leaving = new AbortController();
  const response = await fetch(service.url + path.replace(/\{[^}]+\}/g, name), {
    method,
    headers: { "Content-Type": "application/json", ...headers },
    ...(method === "GET" ? {} : { body: "{}" }),
    signal: leaving.signal,
  });
  // A stream of events would not end.
  const text = response.status === 403 ? await response.text() : undefined;
  leaving.abort();
  return { status: response.status, refusal: text?.replace(words, "it") };
}

test("a person may what a key with the limits of the role may, on every route", async () => {
  const { body } = await service.call<unknown>("GET", "/openapi.json");
  const { paths } = v.parse(
    v.object({ paths: v.record(v.string(), v.record(v.string(), v.unknown())) }),
    body,
  );
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .map((name) => name.toUpperCase())
      .filter((method) => ["GET", "POST", "PUT", "PATCH", "DELETE"].includes(method))
      .map((method) => ({ method, path, name: `${method} ${path}` })),
  );
  const origin = { Origin: service.url };
  const asPerson: string[] = [];
  const asKey: string[] = [];
  for (const { method, path, name } of operations) {
    if (different.includes(name) || ofNobody.includes(name) || ofPersons.test(name)) continue;
    for (const shape of names) {
      const session = { Cookie: `patchbay_session=${tokens.get(shape)}`, ...origin };
      const person = await ask(method, path, session, "nothing-of-persons");
      const key = await ask(method, path, { "X-API-KEY": keys.get(shape) ?? "" }, "nothing-of-keys");
      asPerson.push(`${name} ${shape}: ${person.status} ${person.refusal ?? ""}`);
      asKey.push(`${name} ${shape}: ${key.status} ${key.refusal ?? ""}`);
    }
  }
  expect(asPerson).toEqual(asKey);
  expect(asPerson.length).toBeGreaterThan(1_000);
  // Both are refused much, and allowed much.
  for (const status of [403, 404, 200])
    expect(asPerson.filter((cell) => cell.includes(`: ${status} `)).length).toBeGreaterThan(100);
});

test("without a role a session is worth nothing, on any route", async () => {
  await service.call("DELETE", `/role/${groupOf("reader")}`);
  const session = { Cookie: `patchbay_session=${tokens.get("reader")}`, Origin: service.url };
  for (const path of ["/job", "/person/me", "/inventory/device", "/health"])
    expect([path, (await ask("GET", path, session)).status]).toEqual([path, 403]);
});
