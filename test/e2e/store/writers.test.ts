/** What is kept and written anew says who did it last: webhooks, sources, remotes, credentials, keys. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { MadeKey } from "../../../src/api/access/key.ts";
import type { LedgerRecord } from "../../../src/api/ledger/ledger.ts";
import { adminKey, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { placePerson, placeStore } from "../../support/placed-store.ts";
import { loggedIn } from "../terminal.ts";

const kinds = {
  webhook: {
    put: (name: string) => [
      "POST",
      "/webhook",
      { name, events: ["disk.low"], config: { url: "https://hooks.example/x" } },
    ],
    list: "/webhook",
    change: (name: string) => ["PATCH", `/webhook/${name}`, { config: { url: "https://hooks.example/y" } }],
  },
  source: {
    put: (name: string) => [
      "PUT",
      `/inventory/source/${name}`,
      { kind: "url", format: "csv", url: "https://cmdb.example/d.csv" },
    ],
    list: "/inventory/source",
    change: (name: string) => [
      "PUT",
      `/inventory/source/${name}`,
      { kind: "url", format: "csv", url: "https://cmdb.example/e.csv" },
    ],
  },
  remote: {
    put: (name: string) => [
      "PUT",
      `/history/remote/${name}`,
      { url: "https://git.example/a.git", enabled: false },
    ],
    list: "/history/remote",
    change: (name: string) => [
      "PUT",
      `/history/remote/${name}`,
      { url: "https://git.example/b.git", enabled: false },
    ],
  },
  credential: {
    put: (name: string) => ["PUT", `/credential/${name}`, { username: "u", password: "p" }],
    list: "/credential",
    change: (name: string) => ["PUT", `/credential/${name}`, { username: "v", password: "p" }],
  },
  key: {
    put: (name: string) => ["POST", "/key", { name, scope: "read", expires_days: 1 }],
    list: "/key",
    change: undefined,
  },
} as const satisfies Record<string, object>;
type Kind = keyof typeof kinds;

let service: Service;
const token = `pbs_${"a".repeat(43)}`;
let annas: MadeKey;
const asKey = { "X-API-KEY": adminKey };
const inSession = () => ({ Cookie: `patchbay_session=${token}`, Origin: service.url });

beforeAll(async () => {
  const dataDir = tempFolder();
  await placeStore(dataDir, (store) => placePerson(store, { name: "anna", group: "ops", token }));
  service = await startService({ dataDir });
  const role = { scope: "admin", rights: ["history"], groups: ["ops"] };
  expect((await service.call("PUT", "/role/ops", role)).status).toBe(201);
  annas = await data<MadeKey>("POST", "/person/me/key", { name: "laptop" }, inSession());
});
afterAll(() => service?.close());

async function data<T>(
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<T> {
  const answer = await fetch(service.url + path, {
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...{ method, headers: { "Content-Type": "application/json", ...headers } },
  });
  const text = await answer.text();
  expect(answer.status, `${method} ${path}: ${text}`).toBeLessThan(300);
  return JSON.parse(text).data;
}

interface Shown {
  readonly name?: string;
  readonly ref?: string;
  readonly submitted_by?: { kind: string; name: string } | null;
  readonly owner?: { kind: string; key_id: string; name: string };
}
const nameOf = ({ name, ref }: Shown) => name ?? ref;
/** Whose rights a webhook has is its owner: a key has its own name. */
const writerOf = ({ submitted_by: by, owner }: Shown) => `${(owner ?? by)?.kind} ${(owner ?? by)?.name}`;
const list = (kind: Kind, query = "", headers: Record<string, string> = asKey) =>
  data<Shown[]>("GET", `${kinds[kind].list}${query}`, undefined, headers);

test.each(Object.keys(kinds) as Kind[])(
  "%s: a record says who wrote it, and lists find it by that",
  async (kind) => {
    const { put, change } = kinds[kind];
    const write = (asked: readonly unknown[], headers: Record<string, string>) => {
      const [method, path, body] = asked;
      return data(String(method), String(path), body, headers);
    };
    await write(put("of-key"), asKey);
    await write(put("of-session"), inSession());
    await write(put("of-laptop"), { "X-API-KEY": annas.key });
    const byName = async () => new Map((await list(kind)).map((one) => [nameOf(one), writerOf(one)]));
    const found = await byName();
    const laptop = kind === "webhook" ? "key anna/laptop" : "person anna";
    expect(["of-key", "of-session", "of-laptop"].map((name) => found.get(name))).toEqual([
      "key configured",
      "person anna",
      laptop,
    ]);
    const names = async (query: string, headers?: Record<string, string>) =>
      (await list(kind, query, headers)).map(nameOf).filter((name) => name?.startsWith("of-"));
    const mine = ["of-laptop", "of-session"];
    expect((await names("?submitted_by=me", inSession())).sort()).toEqual(mine);
    expect((await names("?submitted_by=me", { "X-API-KEY": annas.key })).sort()).toEqual(mine);
    expect((await names("?submitted_by=person:anna")).sort()).toEqual(mine);
    expect(await names("?submitted_by=me")).toEqual(["of-key"]);
    expect(await names("?submitted_by=key:anna")).toEqual([]);
    expect(await names("?submitted_by=%27%20or%201%3D1")).toEqual([]);
    if (change === undefined) return;
    await write(change("of-key"), inSession());
    expect((await byName()).get("of-key")).toBe("person anna");
    const record = (await list(kind)).find((one) => nameOf(one) === "of-key");
    // What was read can be sent back.
    if (kind === "source" || kind === "remote") await write(["PUT", change("of-key")[1], record], asKey);
    else await write(change("of-key"), asKey);
    expect((await byName()).get("of-key")).toBe("key configured");
  },
);

test("from the shell: who, and whose", async () => {
  const someone = await loggedIn(service.url, adminKey, {});
  for (const command of [
    ["webhook", "list"],
    ["history", "remote", "list"],
  ]) {
    const all = await someone.piped(command);
    expect(all.out, all.err).toMatch(/anna \(person\)/);
    const some = await someone.piped([...command, "--submitted-by", "me"]);
    expect([some.code, some.out.includes("anna"), some.out.includes("of-key")], some.err).toEqual([
      0,
      false,
      true,
    ]);
  }
});

test("entries of the ledger name who acted, and which key it was about, also where it was named by its id", async () => {
  const made = await data<MadeKey>("POST", "/key", { name: "passing", expires_days: 1 }, inSession());
  await data("PATCH", `/key?id=${made.id}`, { recipes: ["vlan"] }, inSession());
  await data("DELETE", `/key?id=${made.id}`, undefined, { "X-API-KEY": annas.key });
  await data("PUT", "/role/more", { scope: "read", groups: ["more"] }, inSession());
  await data("DELETE", "/role/more", undefined, inSession());
  await data("DELETE", "/person/me/key/laptop", undefined, inSession());
  const records = await data<LedgerRecord[]>("GET", "/ledger?limit=500", undefined, asKey);
  const told = records.map((record) => {
    const { kind, detail, actor } = record.entry;
    return `${kind} by ${record.person ?? actor.name}: ${record.about ?? detail}`;
  });
  for (const line of [
    `key.change by anna: passing (${made.id}): recipes vlan`,
    `key.revoke by anna: passing (${made.id})`,
    `key.revoke by anna: anna/laptop (${annas.id})`,
  ])
    expect(told).toContain(line);
  for (const begin of [
    "key.add by anna: anna/laptop: ",
    "key.add by anna: passing: ",
    "role.put by anna: more: ",
  ])
    expect(
      told.filter((line) => line.startsWith(begin)),
      begin,
    ).toHaveLength(1);
  for (const line of [
    "role.remove by anna: more",
    "credential.set by anna: file:of-session: username, password",
  ])
    expect(told).toContain(line);
  // What is hashed has ids.
  expect(JSON.stringify(records.map(({ entry }) => entry))).not.toMatch(/"anna|anna\//);
});

test("a person who is forgotten is a pseudonym there, too", async () => {
  const { name } = await data<{ name: string }>("POST", "/person/anna/forget", {}, asKey);
  for (const kind of ["source", "remote", "credential", "key"] as const) {
    const all = new Map((await list(kind)).map((one) => [nameOf(one), writerOf(one)]));
    expect([kind, all.get("of-session"), all.get("of-laptop")]).toEqual([
      kind,
      `person ${name}`,
      `person ${name}`,
    ]);
  }
  const records = await data<LedgerRecord[]>("GET", "/ledger?limit=500", undefined, asKey);
  const shown = JSON.stringify(records.map(({ entry: _, ...looked }) => looked));
  expect([shown.includes("anna"), shown.includes(`"${name}/laptop: `)]).toEqual([false, true]);
});
