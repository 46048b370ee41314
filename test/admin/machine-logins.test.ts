/** Logins of command lines: confirmed by a person, bound to the machine that asked, used once, and bounded. */
import { createHash, randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createMachineLogins } from "../../src/admin/machine-logins.ts";
import { createOwnKeys } from "../../src/admin/own-keys.ts";
import { loginRequestLimits, plainUserCode, shownUserCode } from "../../src/api/access/login-request.ts";
import { createHolders } from "../../src/auth/holders.ts";
import { createAuthentication } from "../../src/auth/keys.ts";
import type { Caller } from "../../src/auth/port.ts";
import { neverAborted } from "../../src/base/time/deadline.ts";
import { tempFolder } from "../../src/testkit/service.ts";
import { type Node, startNode } from "../support/node.ts";
import { bodyOf } from "../support/requests.ts";

const directory = tempFolder();
const operator = { keyId: "test", name: "test", from: null };
const role = {
  ...{ name: "net", position: 1, issuer: null, groups: ["net"], subjects: [] },
  ...{ scope: "operate", hosts: [], credentials: null, recipes: null, rights: ["history"] },
};
let node: Node;
let ahead = 0;
let count = 0;
let session: Caller;
let address: string;
beforeAll(async () => {
  const clock = { wall: () => Date.now() + ahead, monotonic: () => performance.now() + ahead };
  node = await startNode({ directory, started: false, store: { clock } });
  await node.store.roles.put(role, operator);
});
afterAll(async () => {
  await node?.stop();
  rmSync(directory, { recursive: true, force: true });
});
beforeEach(async () => {
  count++;
  const signIn = {
    issuer: "https://id",
    subject: `s${count}`,
    name: `anna${count}`,
    email: null,
    groups: ["net"],
  };
  const person = await node.store.persons.signIn(signIn, null);
  const { id = "", name = "" } = person ?? {};
  session = {
    ...{ keyId: id, name, person: { id, name }, sessionId: "s" },
    scope: "operate",
    hosts: [],
    from: null,
  };
  address = `192.0.2.${count}`;
});

/** One of several nodes that share the store. */
function nodeOf(store: Node["store"] = node.store) {
  const iso = (ms: number) => new Date(ms).toISOString();
  const tools = { store, holders: createHolders(store), iso, ownKeyDays: 365 };
  const own = createOwnKeys(tools);
  return createMachineLogins({
    ...{
      store: { ...store, shared: true },
      iso,
      keyDays: own.usualDays,
      addKeyFor: own.addKeyFor,
      lookMs: 5,
    },
  });
}

function machine() {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

async function callerOf(key: string | undefined) {
  const { keys, loginSessions } = node.store;
  const authentication = createAuthentication({
    keys,
    logins: loginSessions,
    holders: createHolders(node.store),
  });
  return authentication.byKey(key ?? "", null);
}

const codeIn = (url: string | null) => new URL(url ?? "").searchParams.get("code");

test("through a browser: the machine gets a key of the person for the code that only its loopback address is sent", async () => {
  const [here, there] = [nodeOf(), nodeOf()];
  const { verifier, challenge } = machine();
  const asked = await here.askForLogin(
    bodyOf({ challenge, machine: "Laptop.example.net", port: 40_123 }),
    address,
  );
  expect(asked).toMatchObject({ user_code: null, page: `/#/confirm?request=${asked.request}` });
  expect(await there.waitingLogin({ request: asked.request }, session)).toMatchObject({
    ...{ machine: "Laptop.example.net", address, port: 40_123, key_days: 90 },
  });
  const exchange = (more: object, on = here) =>
    on.exchangeLogin(bodyOf({ request: asked.request, verifier, ...more }), address, neverAborted);
  const { return_to } = await there.decideLogin(bodyOf({ request: asked.request, confirm: true }), session);
  expect(return_to).toMatch(/^http:\/\/127\.0\.0\.1:40123\/\?code=[\w-]{43}$/);
  const code = codeIn(return_to);
  for (const wrong of [{ verifier: machine().verifier, code }, { code: machine().verifier }, {}])
    await expect(exchange(wrong)).rejects.toMatchObject({ kind: "NotFound" });
  const outcomes = await Promise.allSettled([exchange({ code }), exchange({ code }, there)]);
  const [done] = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(1);
  expect(done).toMatchObject({
    state: "done",
    person: session.name,
    key: { name: `${session.name}/Laptop` },
  });
  expect(await callerOf(done?.key?.key)).toMatchObject({
    person: session.person,
    scope: "operate",
    rights: ["history"],
  });
  // Answered once.
  const again = there.decideLogin(bodyOf({ request: asked.request, confirm: true }), session);
  await expect(again).rejects.toMatchObject({ kind: "NotFound" });
});

test("by a code: the machine waits for the person, whichever node each of them asks", async () => {
  const [here, there] = [nodeOf(), nodeOf()];
  const { verifier, challenge } = machine();
  const { request, user_code, page } = await here.askForLogin(
    bodyOf({ challenge, machine: "core-1" }),
    address,
  );
  expect(page).toBe("/#/confirm");
  const waiting = here.exchangeLogin(bodyOf({ request, verifier }), address, neverAborted);
  const typed = (user_code ?? "").toLowerCase().replace("-", " ");
  expect(await there.waitingLogin({ user_code: typed }, session)).toMatchObject({
    machine: "core-1",
    port: null,
  });
  // A link leads to no request with a code.
  await expect(there.waitingLogin({ request }, session)).rejects.toMatchObject({ kind: "NotFound" });
  await expect(there.decideLogin(bodyOf({ request, confirm: true }), session)).rejects.toMatchObject({
    kind: "NotFound",
  });
  expect(await there.decideLogin(bodyOf({ user_code: typed, confirm: true }), session)).toEqual({
    return_to: null,
  });
  expect(await waiting).toMatchObject({ state: "done", key: { name: `${session.name}/core-1` } });
});

test("a second login of a machine gets another key, and the first one stays", async () => {
  const here = nodeOf();
  const names: (string | undefined)[] = [];
  for (let n = 0; n < 2; n++) {
    const { verifier, challenge } = machine();
    const { request, user_code } = await here.askForLogin(bodyOf({ challenge, machine: "pc" }), address);
    await here.decideLogin(bodyOf({ user_code, confirm: true }), session);
    const { key } = await here.exchangeLogin(bodyOf({ request, verifier }), address, neverAborted);
    names.push(key?.name);
  }
  expect(names).toEqual([`${session.name}/pc`, `${session.name}/pc-2`]);
});

test("a denied login gives nothing, and says so to the machine that waits", async () => {
  const here = nodeOf();
  const { verifier, challenge } = machine();
  const { request, user_code } = await here.askForLogin(bodyOf({ challenge, machine: "pc" }), address);
  const waiting = here.exchangeLogin(bodyOf({ request, verifier }), address, neverAborted);
  await here.decideLogin(bodyOf({ user_code, confirm: false }), session);
  await expect(waiting).rejects.toMatchObject({
    kind: "Forbidden",
    message: expect.stringContaining("denied"),
  });
  const browser = await here.askForLogin(bodyOf({ challenge, machine: "pc", port: 1_234 }), address);
  const { return_to } = await here.decideLogin(bodyOf({ request: browser.request, confirm: false }), session);
  expect(return_to).toBe("http://127.0.0.1:1234/?denied=1");
});

test("it ends after ten minutes, and two minutes after it was confirmed", async () => {
  const here = nodeOf();
  const { verifier, challenge } = machine();
  const ask = () => here.askForLogin(bodyOf({ challenge, machine: "pc", port: 1_234 }), address);
  const first = await ask();
  ahead += loginRequestLimits.waitMs + 1;
  await expect(here.waitingLogin({ request: first.request }, session)).rejects.toMatchObject({
    kind: "NotFound",
  });
  const second = await ask();
  const { return_to } = await here.decideLogin(bodyOf({ request: second.request, confirm: true }), session);
  ahead += loginRequestLimits.useMs + 1;
  const late = here.exchangeLogin(
    bodyOf({ request: second.request, verifier, code: codeIn(return_to) }),
    address,
    neverAborted,
  );
  await expect(late).rejects.toMatchObject({ kind: "NotFound" });
});

test("only a person in a session confirms: no key, not even one of the person", async () => {
  const here = nodeOf();
  const { challenge } = machine();
  const { user_code } = await here.askForLogin(bodyOf({ challenge, machine: "pc" }), address);
  const { sessionId: _none, ...ofPerson } = session;
  const ofKey = { ...session, keyId: "key" };
  const machineKey: Caller = { keyId: "k", name: "k", scope: "admin", hosts: [], from: null, sessionId: "s" };
  for (const caller of [ofPerson, ofKey, machineKey]) {
    await expect(here.decideLogin(bodyOf({ user_code, confirm: true }), caller)).rejects.toMatchObject({
      kind: "Forbidden",
    });
    await expect(here.waitingLogin({ user_code: user_code ?? "" }, caller)).rejects.toMatchObject({
      kind: "Forbidden",
    });
  }
});

test("a person who lost the role in the meantime gives nothing", async () => {
  const here = nodeOf();
  const { verifier, challenge } = machine();
  const { request, user_code } = await here.askForLogin(bodyOf({ challenge, machine: "pc" }), address);
  await here.decideLogin(bodyOf({ user_code, confirm: true }), session);
  await node.store.persons.block(session.keyId, true, operator);
  const late = here.exchangeLogin(bodyOf({ request, verifier }), address, neverAborted);
  await expect(late).rejects.toMatchObject({ kind: "Forbidden" });
});

test("codes are guessed ten times by one person, and typed by another", async () => {
  const here = nodeOf();
  const { challenge } = machine();
  const { user_code } = await here.askForLogin(bodyOf({ challenge, machine: "pc" }), address);
  const look = (typed: string, caller = session) => here.waitingLogin({ user_code: typed }, caller);
  for (let n = 0; n < loginRequestLimits.guesses; n++)
    await expect(look("BBBB-BBBB")).rejects.toMatchObject({ kind: "NotFound" });
  await expect(look(user_code ?? "")).rejects.toMatchObject({ kind: "TooManyRequests" });
  const other = { ...session, keyId: "other", person: { id: "other", name: "berta" } };
  expect(await look(user_code ?? "", other)).toMatchObject({ machine: "pc" });
  ahead += loginRequestLimits.guessMs;
  const later = await here.askForLogin(bodyOf({ challenge, machine: "pc" }), address);
  expect(await look(later.user_code ?? "")).toMatchObject({ machine: "pc" });
});

test("so many wait of one address", async () => {
  const here = nodeOf();
  const ask = () => here.askForLogin(bodyOf({ challenge: machine().challenge, machine: "pc" }), address);
  for (let n = 0; n < loginRequestLimits.perAddress; n++) await ask();
  await expect(ask()).rejects.toMatchObject({ kind: "TooManyRequests" });
});

test("what a machine calls itself cannot pass for something else", async () => {
  const here = nodeOf();
  const { challenge } = machine();
  const name = "pc\u202e (confirmed by IT)\n<b>";
  const { user_code } = await here.askForLogin(bodyOf({ challenge, machine: name }), address);
  const { machine: shown } = await here.waitingLogin({ user_code: user_code ?? "" }, session);
  expect(shown).toMatch(/^[\w .@+'-]+$/);
});

test("a code is read in any spelling, and nothing else is", () => {
  expect(plainUserCode(" wdjb-mjht ")).toBe("WDJBMJHT");
  expect(shownUserCode("WDJBMJHT")).toBe("WDJB-MJHT");
  for (const typed of ["", "WDJB-MJH", "WDJB-MJHTT", "WDJB-MJHA", "WDJB_MJHT"])
    expect(plainUserCode(typed)).toBeUndefined();
});
