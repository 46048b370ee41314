/** Drift as it is told: never better than what is known, within reach, and compared once for equal versions. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { builtins } from "../../plugins/index.ts";
import { iosRunning } from "../../plugins/platforms/family/running.ts";
import { intentLimits } from "../../src/api/intent/intent.ts";
import type { Caller } from "../../src/auth/port.ts";
import { ServiceError } from "../../src/base/errors.ts";
import { maskedIntent } from "../../src/configtext/intent/secrets.ts";
import { driftOf } from "../../src/configtext/intent/work.ts";
import { fingerprintWith } from "../../src/configtext/secrets/secrets.ts";
import { createParts, type PartsOptions } from "../../src/intent/parts.ts";
import type { Parts } from "../../src/intent/port.ts";
import type { RunOptions } from "../../src/pool/port.ts";
import type { Task } from "../../src/protocol/task.ts";
import { createRegistry } from "../../src/registry/registry.ts";
import { driftNoticeKinds } from "../../src/store/port.ts";
import { randomFrom } from "../configtree/frr-configurations.ts";
import { fakePool } from "../support/fake-pool.ts";
import { type Node, startNode } from "../support/node.ts";
import { admin as anybody, bodyOf } from "../support/requests.ts";
import { createTaker, type Taker, versionOf } from "../support/takes.ts";
import { temporary } from "../support/temporary.ts";

const hour = 3_600_000;
const names = ["r1", "r2", "r3"];
const good = "ntp server 192.0.2.1\nsnmp-server location here\n";
const bad = "ntp server 192.0.2.9\nsnmp-server location here\n";
const intent = {
  select: "tag:edge",
  text: "ntp server 192.0.2.1\n",
  sections: [
    { name: "ntp", match: ["ntp *"] },
    { name: "telnet", match: ["line vty * > transport input telnet"], mode: "absent" },
  ],
};
const never = new AbortController().signal;

let folder: ReturnType<typeof temporary>;
let node: Node;
let parts: Parts;
let taker: Taker;
let admin: Caller;
let owners: Map<string, Caller>;
let make: (freshMs: number, runner?: PartsOptions["runner"]) => Parts;
/** Devices that were compared in a process. */
let compared: number;

beforeEach(async () => {
  folder = temporary();
  const plugins = createRegistry();
  for (const plugin of builtins) plugins.add(plugin, "builtin");
  compared = 0;
  async function run<T extends Task>(task: T, _: RunOptions) {
    if (task.kind === "render" && task.source === "busy")
      throw new ServiceError("TooManyRequests", "The key has too many renders waiting.");
    if (task.kind === "render") return { text: task.source.replace("{{ device.name }}", "r1") } as never;
    if (task.kind !== "drift") throw new Error(`no ${task.kind} here`);
    compared += task.wanted.devices.length;
    return { found: driftOf(task.wanted) } as never;
  }
  const pool = { ...fakePool(), run };
  node = await startNode({ directory: folder.path, plugins, pool });
  const { store, inventory, jobs } = node;
  const keyId = await store.keys.add({ scope: "admin", hosts: [], name: "ops", key: "k" }, anybody);
  admin = { ...anybody, keyId: keyId ?? "" };
  owners = new Map([[admin.keyId, admin]]);
  taker = await createTaker(store);
  const devices = names.map((name) => ({
    name,
    host: name,
    platform: "cisco_ios",
    driver: "netmiko",
    tags: ["edge"],
  }));
  await inventory.apply({ devices }, {}, anybody);
  make = (freshMs, runner = { wake() {}, moved: async () => {} }) =>
    createParts({
      ...{ store, inventory, jobs, pool, plugins, freshMs, iso: (ms) => new Date(ms).toISOString() },
      platform: (name) => plugins.get("platform", name),
      ownerOf: async (id) => owners.get(id),
      runner,
    });
  parts = make(hour);
});
afterEach(async () => {
  await node.stop();
  folder.remove();
});

const put = (more: object = {}, caller = admin) =>
  parts.intents.put("base", bodyOf({ ...intent, ...more }), caller, undefined);
const take = (text: string, devices = names, more = {}) =>
  taker.take(devices.map((device) => ({ device, versions: [versionOf(text, more)] })));
async function judged() {
  for (;;) {
    const due = await node.store.intents.takeDue(10);
    if (due.length === 0) return;
    await parts.judge(due);
  }
}
const rows = async (filter: object = {}, caller = admin) =>
  (await parts.drift.page(filter, caller, { limit: 100 })).items;
const states = async (filter: object = {}, caller = admin) =>
  (await rows(filter, caller)).map(({ device, state }) => `${device} ${state}`);

test("a new version is compared by itself, and equal versions are not compared again", async () => {
  await put();
  await judged();
  expect(await states()).toEqual(["r1 unknown", "r2 unknown", "r3 unknown"]);
  expect((await rows())[0]?.reason).toContain("no good running configuration is known");
  await take(good, ["r1", "r2"]);
  await take(bad, ["r3"]);
  await judged();
  expect(await states()).toEqual(["r1 compliant", "r2 compliant", "r3 drifted"]);
  expect(compared).toBe(3);
  await take(good, ["r1"]);
  await parts.drift.run({}, admin);
  await judged();
  expect(compared).toBe(3);
  expect(await parts.drift.lines({}, admin, { limit: 10 })).toMatchObject({
    items: [
      { kind: "missing", line: "ntp server 192.0.2.1", devices: 1, first_devices: ["r3"] },
      { kind: "extra", line: "ntp server 192.0.2.9", devices: 1 },
    ],
  });
  const [detail] = await parts.drift.device("r3", undefined, admin, never);
  expect(detail?.fix).toMatchObject({
    proven: true,
    lines: ["no ntp server 192.0.2.9", "ntp server 192.0.2.1"],
  });
});

test("who waits for what is to be compared does not wait for the next look", async () => {
  await put();
  await take(good);
  let looking = Promise.resolve();
  const wake = () => {
    looking = judged();
  };
  const { drift } = make(hour, { wake, moved: () => looking });
  const found = await drift.summary({}, admin, { waitMs: 2_000, signal: never });
  expect(found).toMatchObject({ waiting: 0, states: { compliant: 3 } });
});

test("what is old, not whole or not compared yet is unknown, in rows and in counts", async () => {
  await put();
  await take(good);
  await judged();
  await take("ntp server", ["r1"], { state: "suspect", reason: "cut off" });
  await take(`${good}ntp server 192.0.2.7\n`, ["r2"]);
  const told = await rows();
  expect(told.map(({ state, sections }) => [state, sections[0]?.state])).toEqual([
    ["unknown", "unknown"],
    ["unknown", "unknown"],
    ["compliant", "compliant"],
  ]);
  expect(told[0]?.reason).toContain("not whole");
  expect(told[1]?.reason).toContain("newer");
  parts = make(-hour);
  expect(await states({ state: "unknown", section: "ntp" })).toHaveLength(3);
  const { states: counts } = await parts.drift.summary({}, admin, { waitMs: 0, signal: never });
  expect(counts).toEqual({ compliant: 0, drifted: 0, unknown: 3, intent_error: 0 });
  expect((await rows())[2]?.reason).toContain("was not read well");
});

type Step = "good" | "bad" | "suspect" | "failed" | "judge" | "old" | "fresh" | "intent";
const steps: readonly Step[] = ["good", "bad", "suspect", "failed", "judge", "old", "fresh", "intent"];

test.each(Array.from({ length: 12 }, (_, at) => at + 1))(
  "whatever happens, nothing complies that is not known to: seed %i",
  { timeout: 120_000 },
  async (seed) => {
    const random = randomFrom(seed);
    await put();
    let newest: "good" | "bad" | "suspect" | undefined;
    /** What the last comparison was of, and whether anything came after it. */
    let judgedOf: string | undefined;
    let isNew = false;
    let isOld = false;
    let revision = 1;
    for (let step = 0; step < 14; step++) {
      const next = random.one(steps);
      if (next === "good" || next === "bad") {
        // The intent wants now the one, now the other.
        await take(next === "good" ? good : bad, ["r1"]);
        if (newest !== next) isNew = true;
        newest = next;
      } else if (next === "suspect") {
        await take("ntp server", ["r1"], { state: "suspect", reason: "cut off" });
        newest = "suspect";
      } else if (next === "failed")
        await taker.take([{ device: "r1", versions: [] }], {
          error: "it did not answer",
        });
      else if (next === "judge") {
        await judged();
        [judgedOf, isNew] = [newest === "suspect" ? judgedOf : newest, false];
      } else if (next === "intent") {
        revision++;
        await put({ text: revision % 2 === 1 ? good : bad });
        [judgedOf, isNew] = [undefined, true];
      } else {
        isOld = next === "old";
        parts = make(isOld ? -hour : hour);
      }
      const wanted = revision % 2 === 1 ? "good" : "bad";
      const complies = newest === wanted && judgedOf === wanted && !isNew && !isOld;
      const of = `seed ${seed}, step ${step}: ${next}`;
      const [row] = await rows({ select: "name:r1" });
      const shown = [row?.state, ...(row?.sections ?? []).map(({ state }) => state)];
      if (!complies) expect([of, row?.state]).not.toEqual([of, "compliant"]);
      if (row !== undefined && (isOld || newest === "suspect" || newest === undefined))
        expect([of, ...shown]).toEqual([of, ...shown.map(() => "unknown")]);
      const { states: counts } = await parts.drift.summary({}, admin, { waitMs: 0, signal: never });
      expect([of, counts.compliant]).toEqual([of, row?.state === "compliant" ? 1 : 0]);
    }
  },
);

test("a caller sees and counts the devices within its reach, and an intent reaches those of its writer", async () => {
  await put();
  await take(bad);
  await judged();
  const limited: Caller = { ...admin, hosts: ["r2"] };
  expect(await states({}, limited)).toEqual(["r2 drifted"]);
  const { pairs } = await parts.drift.summary({}, limited, { waitMs: 0, signal: never });
  expect(pairs).toBe(1);
  const lines = await parts.drift.lines({}, limited, { limit: 10 });
  expect(lines.items.map(({ devices, first_devices }) => [devices, first_devices])).toEqual([
    [1, ["r2"]],
    [1, ["r2"]],
  ]);
  await expect(parts.drift.device("r1", undefined, limited, never)).rejects.toMatchObject({
    kind: "NotFound",
  });
  const value = (await parts.drift.draft(bodyOf({ intents: ["base"] }), limited)).value;
  expect(value).toMatchObject({ devices: ["r2"], fix: { intents: ["base"] } });
  await expect(
    parts.drift.page({}, { ...admin, scope: "read", rights: [] }, { limit: 1 }),
  ).rejects.toMatchObject({
    kind: "Forbidden",
  });
});

test("an intent that no longer is for a device has no result of it, and one that is removed none at all", async () => {
  await put();
  await take(good);
  await judged();
  await put({ select: "name:r1" });
  await judged();
  expect(await states()).toEqual(["r1 compliant"]);
  await parts.intents.remove("base", admin, undefined);
  expect(await states()).toEqual([]);
});

test("an intent whose template fails, or whose writer has no rights any more, says so and complies nowhere", async () => {
  const writer = { ...admin, keyId: "gone" };
  await put({}, writer);
  await take(good);
  await judged();
  expect((await rows()).map(({ state }) => state)).toEqual(["intent_error", "intent_error", "intent_error"]);
  await put({ sections: [{ name: "ntp", match: ["ntp *"], mode: "absent" }] });
  await judged();
  const [row] = await rows();
  expect(row).toMatchObject({ state: "intent_error", reason: expect.stringContaining("absent: ntp") });
});

test("an intent is refused with what it does not know, with marks, and beyond its bounds", async () => {
  const refused = async (more: object) =>
    put(more).then(
      () => "put",
      (error: { kind?: string }) => error.kind,
    );
  expect(await refused({ sectionss: [] })).toBe("Validation");
  expect(await refused({ sections: [{ name: "a", match: ["x"], mode: "exactly" }] })).toBe("Validation");
  expect(await refused({ sections: [{ name: "a", match: ["x"], modes: "exact" }] })).toBe("Validation");
  expect(await refused({ text: "username a password <secret 7c41d0>" })).toBe("Validation");
  expect(await refused({ text: undefined, rendering: { name: "jinja3", template: "x" } })).toBe("Validation");
  expect(await refused({ text: "x".repeat(300_000) })).toBe("PayloadTooLarge");
  expect(await refused({ select: "tag:(" })).toBe("Validation");
  for (let at = 0; at < intentLimits.most; at++)
    await parts.intents.put(`i${at}`, bodyOf({ ...intent, select: "name:none" }), admin, "none");
  expect(await refused({})).toBe("PayloadTooLarge");
  await expect(parts.intents.put("i1", bodyOf(intent), admin, 7)).rejects.toMatchObject({
    kind: "PreconditionFailed",
  });
});

test("three fixes that were pushed and did not help need a person, until the intent is changed", async () => {
  await put();
  await take(bad, ["r1"]);
  await judged();
  const device = (await node.inventory.snapshot()).device("r1");
  if (device === undefined) throw new Error("there is no r1");
  const fixOf = () => parts.fixes.fixOf(device, { intents: ["base"] }, { caller: admin, signal: never });
  expect(await fixOf()).toMatchObject({ lines: ["no ntp server 192.0.2.9", "ntp server 192.0.2.1"] });
  for (let round = 1; round <= 3; round++) {
    const id = `change-${round}`;
    await parts.fixes.planned(id, [{ device: "r1", intents: ["base"] }]);
    await pushed(id);
    await judged();
    expect((await rows({ select: "name:r1" }))[0]).toMatchObject({
      rounds: round,
      needs_person: round === 3,
    });
  }
  expect(await fixOf()).toMatchObject({ why: expect.stringContaining("person") });
  await put({ ignore: ["snmp *"] });
  await judged();
  expect((await rows({ select: "name:r1" }))[0]).toMatchObject({ rounds: 0, needs_person: false });
});

/** A change has pushed its lines to r1, and read what they left. */
async function pushed(id: string): Promise<void> {
  const { changes } = node.store;
  const by = { holder: "k1", submitterKind: "key", submitter: "ops" } as const;
  await changes.add({ id, name: id, ticket: null, needed: 0, request: "{}", ...by }, admin);
  const target = { position: 0, device: "r1", host: "r1", wave: 1, sha256: "a", beforeVersion: 1 };
  await changes.setTargets({ id, step: 1 }, [target], new Map(), 1);
  const targets = [{ position: 0, state: "pushed", afterVersion: 1 } as const];
  expect(await changes.move({ id, step: 1 }, { targets }, { what: "soaking", by: null })).toBe(true);
}

test("a limited key replaces and removes no intent that is for more than it reaches", async () => {
  await put();
  const keyId = await node.store.keys.add(
    { scope: "operate", hosts: ["r2"], name: "limited", key: "l", rights: ["history"] },
    anybody,
  );
  const limited: Caller = {
    ...{ ...admin, keyId: keyId ?? "", name: "limited", scope: "operate" },
    ...{ hosts: ["r2"], rights: ["history"] },
  };
  owners.set(limited.keyId, limited);
  const forbidden = { kind: "Forbidden", message: expect.stringContaining('the intent "base"') };
  await expect(put({}, limited)).rejects.toMatchObject(forbidden);
  await expect(parts.intents.remove("base", limited, undefined)).rejects.toMatchObject(forbidden);
  const own = (text: string) => parts.intents.put("own", bodyOf({ ...intent, text }), limited, undefined);
  await own("ntp server 192.0.2.1\n");
  expect((await own("ntp server 192.0.2.2\n")).record.revision).toBe(2);
  await put({ text: "ntp server 192.0.2.2\n" }, { ...limited, hosts: [] });
  await parts.intents.remove("own", admin, undefined);
});

test("an intent that is removed and written anew is for the devices of the new one", async () => {
  await put({ select: "name:r1" });
  await judged();
  await parts.intents.remove("base", admin, undefined);
  await put({ select: "name:r2" });
  await judged();
  expect(await states()).toEqual(["r2 unknown"]);
});

test("a template that cannot be rendered for the moment keeps no other intent waiting", async () => {
  await put();
  const rendering = { name: "jinja2", template: "busy" };
  const { text: _, ...more } = intent;
  const value = { ...more, select: "name:r1", rendering };
  await parts.intents.put("busy", bodyOf(value), admin, undefined);
  await take(bad);
  await judged();
  expect(await states({ intent: "base" })).toEqual(["r1 drifted", "r2 drifted", "r3 drifted"]);
  expect(await node.store.intents.countDue(names)).toBe(1);
});

test("a fix leaves out none of the devices that it is asked for", async () => {
  const devices = Array.from({ length: 1_200 }, (_, at) => `r${at}`);
  const { value } = await parts.drift.draft(bodyOf({ intents: ["base"], devices }), admin);
  expect(value).toMatchObject({ devices });
});

test("whoever may not read secrets learns from no answer whether a guess is the secret of a device", async () => {
  const operator: Caller = {
    ...{ ...admin, keyId: "operator", name: "operator", scope: "operate", rights: ["history"] },
  };
  owners.set(operator.keyId, operator);
  const configuration =
    "snmp-server community s3cretWord RO\nsnmp-server community 0therWord RO\nusername a password 0 pa55Word\n";
  const marks = fingerprintWith(await node.store.history.markKey());
  await take(maskedIntent(configuration, iosRunning, marks).text, ["r1"]);
  const guess = async (community: string, password: string, caller: Caller) => {
    const text = `snmp-server community ${community} RO\nusername a password 0 ${password}\n`;
    const sections = [
      { name: "snmp", match: ["snmp-server *"] },
      { name: "users", match: ["username *"], mode: "contains" },
    ];
    const { record } = await put({ select: "name:r1", text, sections }, caller);
    await judged();
    const answers = [
      record,
      await parts.intents.list(caller),
      await rows({}, caller),
      await parts.drift.device("r1", undefined, caller, never),
      (await parts.drift.lines({}, caller, { limit: 10 })).items,
    ];
    // Times, revisions and the marks of what was written are other ones each time, whatever is guessed.
    return JSON.stringify(answers)
      .replaceAll(/"(?:revision|changed_at|checked_at|since)":[^,}]*/g, "")
      .replaceAll(/<secret [0-9a-f]{8}>/g, "<written>");
  };
  const wrong = await guess("wr0ngWord", "wr0ng", operator);
  for (const [community, password] of [
    ["s3cretWord", "wr0ng"],
    ["0therWord", "wr0ng"],
    ["wr0ngWord", "pa55Word"],
  ] as const)
    expect(await guess(community, password, operator)).toBe(wrong);
  expect(wrong).toContain(`"unverified":1`);
  // Who may read them is told.
  const reader: Caller = { ...operator, keyId: "reader", rights: ["history_secrets"] };
  owners.set(reader.keyId, reader);
  await guess("s3cretWord", "pa55Word", reader);
  expect((await rows({}, reader))[0]?.sections.map(({ state }) => state)).toEqual(["drifted", "compliant"]);
  await guess("s3cretWord", "wr0ng", reader);
  expect((await rows({}, reader))[0]?.sections.map(({ state }) => state)).toEqual(["drifted", "drifted"]);
});

test("webhooks are told when drift is found, is gone and cannot be judged, once each", async () => {
  const { store } = node;
  const webhook = {
    ...{ name: "noc", owner: admin.keyId, limited: false, receiver: "12345678noc" },
    ...{ spec: "{}", content: "{}" },
  };
  expect(await store.webhooks.put(webhook, true, admin)).toBe("added");
  const told = async () => {
    const notices = await store.webhooks.notices(50, driftNoticeKinds);
    for (const { id } of notices) await store.webhooks.tell(id, []);
    return notices.map(({ kind, subject, detail }) => `${kind} ${subject} ${detail}`).sort();
  };
  await take(good, ["r1"]);
  await take(bad, ["r2"]);
  await put();
  await judged();
  expect(await told()).toEqual(["drift.found r2 base", "drift.unknown r3 base"]);
  await take(bad, ["r1"]);
  await take(good, ["r2", "r3"]);
  await judged();
  expect(await told()).toEqual(["drift.found r1 base", "drift.gone r2 base", "drift.gone r3 base"]);
  // Suspect, and read again with the same text.
  await take("ntp server", ["r2"], { state: "suspect", reason: "cut off" });
  await judged();
  expect(await told()).toEqual(["drift.unknown r2 base"]);
  await judged();
  await put();
  await judged();
  expect(await told()).toEqual([]);
  await take(good, ["r2"]);
  await judged();
  expect(await told()).toEqual(["drift.gone r2 base"]);
  await store.intents.tell(store.clock.wall() + hour);
  expect(await told()).toEqual(["drift.unknown r1 base", "drift.unknown r2 base", "drift.unknown r3 base"]);
  const news = await parts.news([
    { device: "r1", intent: "base" },
    { device: "r1", intent: "none" },
  ]);
  expect(news[0]?.record).toMatchObject({ device: "r1", state: "drifted" });
  expect(await news[0]?.difference()).toBe("+ntp server 192.0.2.1\n-ntp server 192.0.2.9\n");
  expect(news[1]).toBeUndefined();
  expect(news[0]?.isVisibleTo({ ...admin, hosts: ["r2"] })).toBe(false);
});

test("a device that has left the inventory has no results", async () => {
  await put();
  await take(bad);
  await judged();
  await node.inventory.remove("device", "r3", anybody, undefined);
  await judged();
  expect((await node.store.intents.known(names)).map(({ device }) => device)).toEqual(["r1", "r2"]);
  expect(
    (await node.store.intents.lines.texts({ after: undefined }, 9)).map(({ devices }) => devices),
  ).toEqual([2, 2]);
});
