/** Which credential of a request counts, and what follows from it: as docs/reference/who-is-who.md says. */
import { readFileSync, rmSync } from "node:fs";
import * as v from "valibot";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shareOf } from "../../../src/auth/caller.ts";
import { createHolders, storedKeyName } from "../../../src/auth/holders.ts";
import { createAuthentication } from "../../../src/auth/keys.ts";
import type { Caller } from "../../../src/auth/port.ts";
import { route } from "../../../src/http/route.ts";
import { tempFolder } from "../../../src/testkit/service.ts";
import { type Node, startNode } from "../../support/node.ts";
import { query } from "../../support/requests.ts";
import { createApp } from "../doubles/fixtures.ts";

const page = readFileSync(new URL("../../../docs/reference/who-is-who.md", import.meta.url), "utf8");
const rowsBelow = (heading: string) =>
  (page.split(`## ${heading}\n`)[1]?.split("\n## ")[0] ?? "")
    .split("\n")
    .filter((line) => /^\| (?!Order|Who asks|-)/.test(line) && !line.startsWith("|---"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

const who = route({
  id: "who",
  method: "GET",
  path: "/oxidized/who",
  scope: "read",
  summary: "For the test",
  answer: v.string(),
  handle: ({ caller }) => caller.name,
});

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly certificate?: string;
}

/** Each with a key that has its name. */
const carriers: readonly (readonly [where: string, sent: (key: string) => Sent])[] = [
  ["header `X-API-KEY`", (key) => ({ headers: { "X-API-KEY": key } })],
  ["header `Authorization: Bearer`", (key) => ({ headers: { Authorization: `Bearer ${key}` } })],
  [
    "password of `Authorization: Basic`",
    (key) => ({ headers: { Authorization: `Basic ${Buffer.from(`anybody:${key}`).toString("base64")}` } }),
  ],
  ["query parameter `X-API-KEY`", (key) => ({ query: `X-API-KEY=${key}` })],
  ["cookie `X-API-KEY`", (key) => ({ headers: { Cookie: `X-API-KEY=${key}` } })],
  ["cookie `patchbay_session`", (key) => ({ headers: { Cookie: `patchbay_session=${key}` } })],
  ["TLS connection", (key) => ({ certificate: key })],
];

const callerNamed = async (name: string): Promise<Caller | undefined> =>
  name === "wrong" || name === "" ? undefined : { keyId: name, name, scope: "read", hosts: [], from: null };

async function ask(...sent: Sent[]): Promise<string> {
  const options = {
    authenticate: callerNamed,
    authenticateSession: callerNamed,
    authenticateCertificate: callerNamed,
  };
  const { app } = createApp({}, options, [who]);
  const headers = new Headers();
  for (const { headers: more = {} } of sent)
    for (const [name, value] of Object.entries(more))
      headers.set(name, name === "Cookie" && headers.has(name) ? `${headers.get(name)}; ${value}` : value);
  const query = sent
    .map(({ query }) => query)
    .filter(Boolean)
    .join("&");
  const certificate = sent.map(({ certificate }) => certificate).find(Boolean);
  const request = new Request(`http://localhost/oxidized/who${query === "" ? "" : `?${query}`}`, { headers });
  const response = await app.fetch(request, {
    ...{ from: "192.0.2.1", extendTimeout() {}, restoreTimeout() {} },
    ...(certificate === undefined ? {} : { certificate }),
  });
  const { data } = (await response.json()) as { data?: string };
  return response.status === 200 ? (data ?? "") : String(response.status);
}

describe("the order of credentials", () => {
  test("is the one of the page", () => {
    const rows = rowsBelow("Which one counts");
    expect(rows.map(([order]) => order)).toEqual(carriers.map((_, at) => String(at + 1)));
    for (const [at, [where]] of carriers.entries()) expect(rows[at]?.[2]).toContain(where);
  });

  const pairs = carriers.flatMap((first, at) =>
    carriers.slice(at + 1).map((second) => [first, second] as const),
  );
  // One header holds one scheme.
  const possible = pairs.filter(
    ([[a], [b]]) => !(a.includes("Authorization") && b.includes("Authorization")),
  );
  test.each(possible.map(([first, second]) => [first[0], second[0], first[1], second[1]] as const))(
    "%s counts before %s",
    async (_first, _second, first, second) => {
      expect(await ask(first("one"), second("two"))).toBe("one");
      expect(await ask(second("two"))).toBe("two");
      for (const useless of ["wrong", ""]) expect(await ask(first(useless), second("two"))).not.toBe("two");
    },
  );

  test("nothing is 403", async () => {
    expect(await ask()).toBe("403");
  });
});

describe("what follows from who asks", () => {
  const directory = tempFolder();
  const operator = { keyId: "test", name: "test", from: null };
  let node: Node;
  const callers: Record<string, Caller | undefined> = {};
  beforeAll(async () => {
    node = await startNode({ directory });
    const { store } = node;
    const { keys, loginSessions, persons, roles } = store;
    const limits = { scope: "operate", hosts: [], credentials: null, recipes: null, rights: [] };
    await roles.put(
      { ...limits, name: "net", position: 1, issuer: null, groups: ["net"], subjects: [] },
      operator,
    );
    const signIn = { issuer: "https://id", subject: "s", name: "anna", email: null, groups: ["net"] };
    const personId = (await persons.signIn(signIn, null))?.id ?? "";
    const berlin = (await keys.add({ ...limits, name: "berlin", key: "berlin" }, operator)) ?? "";
    const fingerprint = "a".repeat(64);
    const own = await keys.addOwn(
      { ...limits, name: storedKeyName(personId, "laptop"), key: "laptop", personId },
      operator,
    );
    const glass = {
      ...limits,
      scope: "admin",
      recipes: null,
      rights: ["break_glass"],
      name: "break-glass-1",
      key: "glass",
    };
    await keys.addBreakGlass(glass, operator);
    const begin = (token: string, holder: string) =>
      loginSessions.add({ token, holder, address: null, agent: null }, operator);
    await begin("of-key", berlin);
    await begin("of-person", personId);
    await begin("of-own", typeof own === "object" ? own.id : "");
    const authentication = createAuthentication({
      keys,
      logins: loginSessions,
      holders: createHolders(store),
    });
    const found = async (asking: Promise<Caller | { lockedForS: number } | undefined>) => {
      const caller = await asking;
      return caller !== undefined && "keyId" in caller ? caller : undefined;
    };
    callers["key of a machine"] = await found(authentication.byKey("berlin", null));
    callers["session of a key"] = await found(authentication.bySession("of-key", null));
    callers["session of a person"] = await found(authentication.bySession("of-person", null));
    callers["key of a person"] = await found(authentication.byKey("laptop", null));
    callers["session of a key of a person"] = await found(authentication.bySession("of-own", null));
    callers["key for emergencies"] = await found(authentication.byKey("glass", null));
    // A key is either a text or a certificate.
    await keys.revoke("berlin", operator);
    await keys.add({ ...limits, name: "berlin2", key: { certificate: fingerprint } }, operator);
    callers["client certificate"] = await found(authentication.byCertificate(fingerprint, null));
  });
  afterAll(async () => {
    await node?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  test("the page has a row for each", () => {
    expect(
      rowsBelow("What follows")
        .map(([who]) => who)
        .sort(),
    ).toEqual(Object.keys(callers).sort());
  });

  test.each(rowsBelow("What follows").map((cells) => [cells[0] ?? "", cells] as const))(
    "%s",
    async (name, cells) => {
      const caller = callers[name];
      if (caller === undefined) throw new Error(`nobody is ${name}`);
      const [, , submittedBy = "", inTrail = "", share = ""] = cells;
      const shown = (text: string) => text.replace("berlin2", "berlin");
      const id = await node.submit(query("192.0.2.1", "show clock"), caller);
      const { submitted_by } = await node.ended(id, 1);
      expect(`\`${submitted_by.kind} ${shown(submitted_by.name)}\``).toBe(submittedBy);
      const entry = (await node.store.audit.page({}, 50)).find(({ jobId }) => jobId === id);
      expect(inTrail).toContain(`\`${shown(entry?.who.split(" (")[0] ?? "")}\``);
      expect(shareOf(caller) === caller.person?.id).toBe(share === "the person");
    },
  );
});
