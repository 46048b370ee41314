/** What a person does bears the person's name, also by a key of theirs; and a person sees the schedules of the own keys (P234). */
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHolders } from "../../src/auth/holders.ts";
import { createAuthentication } from "../../src/auth/keys.ts";
import type { Caller } from "../../src/auth/port.ts";
import { admin, bodyOf } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";
import { query, type ScheduledNode, startScheduled } from "./support.ts";

const folder = temporary();
const operator = { keyId: "command line", name: "ada", from: null };
const byPerson = { kind: "person", name: "anna" };
let node: ScheduledNode;
/** In a session, by a key of hers, and somebody else. */
let [anna, laptop, bert]: Caller[] = [];

async function person(name: string): Promise<Caller> {
  const { persons } = node.store;
  const signIn = { issuer: "https://id", subject: name, name, email: null, groups: ["net"] };
  const { id = "" } = (await persons.signIn(signIn, null)) ?? {};
  return callerOf(id);
}

async function callerOf(id: string): Promise<Caller> {
  const { keys, loginSessions } = node.store;
  const holders = createHolders(node.store);
  const caller = await createAuthentication({ keys, logins: loginSessions, holders }).byId(id);
  if (caller === undefined) throw new Error(`${id} may do nothing`);
  return caller;
}

beforeAll(async () => {
  node = await startScheduled({ directory: folder.path });
  const limits = { scope: "operate", hosts: [], credentials: null, recipes: null, rights: [] };
  const role = { name: "net", position: 1, issuer: null, groups: ["net"], subjects: [], ...limits };
  await node.store.roles.put(role, operator);
  [anna, bert] = [await person("anna"), await person("bert")];
  const key = { name: `${anna.keyId}/laptop`, key: "pb_laptop", ...limits, expiresAt: null };
  laptop = await callerOf((await node.store.keys.add({ ...key, personId: anna.keyId }, anna)) ?? "");
});
afterAll(async () => {
  await node.stop();
  folder.remove();
});

const caller = (one: Caller | undefined): Caller => {
  if (one === undefined) throw new Error("not ready");
  return one;
};

test("jobs and bulks of a person are the person's, whichever key or session submitted them", async () => {
  const { jobs } = node;
  const request = { ...query("r1").request, command: "show clock" };
  for (const one of [anna, laptop, bert]) await jobs.bulk(bodyOf(request), caller(one));
  const page = { limit: 10 };
  const found = async (submitted_by: string, by = anna) =>
    (await jobs.bulks({ submitted_by }, caller(by), page)).bulks.map((bulk) => bulk.submitted_by);
  expect(await found("me")).toEqual([byPerson, byPerson]);
  expect(await found("me", laptop)).toEqual([byPerson, byPerson]);
  expect(await found("anna", bert)).toEqual([byPerson, byPerson]);
  expect(await found("person:bert")).toEqual([{ kind: "person", name: "bert" }]);
  expect(await found("key:anna")).toEqual([]);
});

test("a person sees and changes the schedules of the own keys, a key only its own", async () => {
  const { schedules } = node;
  const of = (name: string) => bodyOf({ name, cron: "30 2 * * *", what: query("r1") });
  const mine = await schedules.add(of("mine"), caller(anna));
  const keys = await schedules.add(of("keys"), caller(laptop));
  await schedules.add(of("mine"), caller(bert));
  expect(mine.owner).toMatchObject({ kind: "person", name: "anna", scope: "operate" });
  expect(keys.owner).toMatchObject({ kind: "key", name: "anna/laptop" });
  const names = async (by: Caller | undefined, submitted_by?: string) => {
    const asked = { limit: 10, ...(submitted_by === undefined ? {} : { submitted_by }) };
    return (await schedules.list(caller(by), asked)).schedules.map(
      ({ name, owner }) => `${owner.name} ${name}`,
    );
  };
  expect(await names(anna)).toEqual(["anna/laptop keys", "anna mine"]);
  expect(await names(laptop)).toEqual(["anna/laptop keys"]);
  expect(await names(bert)).toEqual(["bert mine"]);
  expect(await names(admin, "anna")).toEqual(["anna/laptop keys", "anna mine"]);
  expect(await names(admin, "person:bert")).toEqual(["bert mine"]);
  expect(await names(admin, "key:anna")).toEqual([]);
  expect(await names(anna, "me")).toEqual(["anna/laptop keys", "anna mine"]);
  expect((await schedules.read("keys", caller(anna))).id).toBe(keys.id);
  expect((await schedules.read("mine", caller(anna))).id).toBe(mine.id);
  await expect(schedules.read(mine.id, caller(laptop))).rejects.toMatchObject({ kind: "NotFound" });
  await expect(schedules.remove(keys.id, caller(bert))).rejects.toMatchObject({ kind: "NotFound" });
  expect(await schedules.pause("keys", caller(anna))).toMatchObject({ state: "paused", owner: keys.owner });
  expect(await schedules.resume("keys", caller(anna))).toMatchObject({ state: "active" });
  await schedules.remove("keys", caller(anna));
});

test("entries of the trail that are of no job have the person, too", async () => {
  const { admin: administration } = node;
  const entries = async (submitted_by: string) =>
    (await administration.audit({ submitted_by, limit: 100 }, admin)).entries;
  const found = await entries("person:anna");
  const actions = new Set(found.map(({ action }) => action));
  expect([...actions]).toEqual(expect.arrayContaining(["key.add", "schedule.add", "schedule.pause"]));
  expect(found.every((entry) => entry.submitted_by?.name === "anna")).toBe(true);
  expect(found.map(({ who }) => who)).toContain(`anna/laptop (${caller(laptop).keyId})`);
  expect((await entries("bert")).length).toBeGreaterThan(0);
  expect(await entries("carla")).toEqual([]);
});

test("detached tasks have whoever started them, also when their job is gone", async () => {
  const { detached } = node.store;
  const task = {
    host: "s1",
    hostKey: "s1",
    driver: "paramiko",
    payload: "{}",
    asked: JSON.stringify({ of: "command", brief: "make", all: true, length: 4, sha256: "x", cut: false }),
    dueInMs: 60_000,
  };
  const room = { inAll: 10, perKey: 10 };
  await detached.begin({ ...task, id: "1", caller: caller(laptop).keyId }, room);
  await detached.begin({ ...task, id: "2", caller: caller(bert).keyId }, room);
  await detached.begin({ ...task, id: "3", caller: "gone" }, room);
  const found = async (submitted_by?: string) => {
    const filter = submitted_by === undefined ? {} : { submitted_by };
    const { tasks } = await node.detached.detachedTasks(filter, caller(anna), {});
    return tasks.map(({ id, submitted_by: { kind, name } }) => `${id} ${kind} ${name}`);
  };
  expect(await found()).toEqual(["3 key gone", "2 person bert", "1 person anna"]);
  expect(await found("me")).toEqual(["1 person anna"]);
  expect(await found("person:bert")).toEqual(["2 person bert"]);
  expect(await found("key:bert")).toEqual([]);
});
