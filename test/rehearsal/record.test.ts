/** The record of lines: what it learns, its bound, and what an import may not bring. */
import { afterAll, beforeAll, expect, test } from "vitest";
import frr from "../../plugins/platforms/frr.ts";
import { silentLog } from "../../src/base/log.ts";
import { sectionOf } from "../../src/configlines/shape.ts";
import { createLineRecord } from "../../src/rehearsal/record.ts";
import { endStore, makePlace, openStore, type TestPlace } from "../store/support.ts";
import type { AnyStore } from "../support/any-store.ts";
import { admin } from "../support/requests.ts";

let place: TestPlace;
let store: AnyStore;
beforeAll(async () => {
  place = await makePlace("file");
  store = await openStore(place);
});
afterAll(async () => {
  await endStore(store);
  await place.remove();
});

const nobody = { devicesAt: () => [], facts: async () => new Map() };

function recordOf(most?: number) {
  return createLineRecord({
    ...{ store, log: silentLog, iso: (ms) => new Date(ms).toISOString() },
    inventory: { snapshot: async () => nobody },
    platform: (name) => (name === "frr" || name === "frr_vtysh" ? frr : undefined),
    ...(most === undefined ? {} : { most }),
  });
}

const given = {
  ...{ platform: "frr", version: "8", section: "router bgp", shape: "neighbor <ip> remote-as <n>" },
  ...{ accepted: 2, refused: 1, error: "% Unknown command", last_at: "2026-11-29T10:00:00Z" },
};

test.each([
  ["section", { section: "router customer-7" }],
  ["shape", { shape: "neighbor customer-7 remote-as <n>" }],
  ["shape", { shape: "snmp-server community hunter2" }],
  ["shape", { shape: "neighbor <ip> remote-as 65001" }],
  ["shape", { shape: "" }],
  ["error", { error: "% Unknown: 192.0.2.9" }],
  ["error", { error: 'no such name "customer"' }],
  ["platform", { platform: "customer_7" }],
  ["version", { version: "customer" }],
  ["accepted", { accepted: -1 }],
  ["accepted", { accepted: 1e12 }],
  ["name", { name: "customer-7" }],
])("an import with another %s is refused as a whole: %o", async (member, more) => {
  const before = await store.evidence.count();
  await expect(recordOf().add({ evidence: [given, { ...given, ...more }] }, admin)).rejects.toMatchObject({
    ...{ kind: "Validation", detail: { issues: [{ path: `evidence.1.${member}` }] } },
  });
  expect(await store.evidence.count()).toBe(before);
});

test("an import needs the scope admin, and has a bound", async () => {
  await expect(recordOf().add({ evidence: [given] }, { ...admin, scope: "operate" })).rejects.toMatchObject({
    kind: "Forbidden",
  });
  await expect(
    recordOf().add({ evidence: Array.from({ length: 5_001 }, () => given) }, admin),
  ).rejects.toMatchObject({ kind: "Validation" });
});

test("whatever is pushed or imported, no more shapes are kept than the bound, and the oldest go", async () => {
  const record = recordOf(50);
  const words = ["as", "bgp", "cost", "delay", "edge", "fast", "group", "hello", "idle", "join-group"];
  const shapes = words.flatMap((one) => words.map((other) => `${one} ${other}`));
  record.pushed({ platform: "frr", host: "r1", lines: ["hostname first"] });
  await record.flush();
  for (const shape of shapes) record.pushed({ platform: "frr", host: "r1", lines: [shape] });
  await record.flush();
  // A little below, so that the next few need no count.
  expect(await store.evidence.count()).toBe(49);
  await record.add({ evidence: shapes.map((shape) => ({ ...given, section: "", shape })) }, admin);
  expect(await store.evidence.count()).toBe(49);
  const { items } = await record.page({}, admin, { limit: 100 });
  expect(items.map(({ shape }) => shape)).not.toContain("hostname <text>");
});

test("shapes are counted after a hundredth of the bound, not at each flush", async () => {
  let counted = 0;
  const evidence = {
    ...store.evidence,
    count: () => {
      counted++;
      return store.evidence.count();
    },
  };
  const record = createLineRecord({
    ...{ store: { ...store, evidence }, log: silentLog, iso: String, most: 10_000 },
    inventory: { snapshot: async () => nobody },
    platform: () => frr,
  });
  for (let flush = 0; flush < 250; flush++) {
    record.pushed({ platform: "frr", host: "r1", lines: [`hostname r${flush}`] });
    await record.flush();
  }
  expect(counted).toBe(3);
});

test("a push teaches what was accepted and what was refused, each line at its place", async () => {
  const record = recordOf();
  record.pushed({
    ...{ platform: "frr_vtysh", host: "r1" },
    lines: ["route-map RM-secret-name permit 10", " set metric 5"],
    refused: { line: " set metrik 5", words: "% Unknown command: set metrik 5" },
  });
  await record.flush();
  const { items } = await record.page({ platform: "frr_vtysh" }, admin, { limit: 1_000 });
  expect(items).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ section: "", shape: "route-map <word> permit <n>", accepted: 1 }),
      expect.objectContaining({ section: "route-map", shape: "set metric <n>", accepted: 1, refused: 0 }),
      expect.objectContaining({
        ...{ section: "route-map", shape: "set <word> <n>", accepted: 0, refused: 1 },
        error: "% Unknown command: set <word> <n>",
      }),
    ]),
  );
  expect(JSON.stringify(items)).not.toMatch(/secret-name|metrik/);
});

test("a first line that is refused is learnt, and of a long push only what it begins with", async () => {
  const record = recordOf();
  const push = { platform: "frr", host: "192.0.2.1" };
  const before = await store.evidence.count();
  record.pushed({ ...push, lines: [], refused: { line: "metric 7", words: "% Unknown command" } });
  await record.flush();
  const found = await store.evidence.find("frr_vtysh", { shapes: ["metric <n>"], sections: [] }, 1);
  expect(found).toMatchObject([{ accepted: 0, refused: 1 }]);
  const lines = Array.from({ length: 30_000 }, () => "cost 7");
  // Where the last line stands is not known of the first ones.
  record.pushed({ ...push, lines, refused: { line: "delay 7", words: "% Unknown command" } });
  await record.flush();
  const of = async (shape: string) =>
    (await store.evidence.find("frr_vtysh", { shapes: [shape], sections: [] }, 1))[0];
  expect((await of("cost <n>"))?.accepted).toBe(500);
  expect(await of("delay <n>")).toBeUndefined();
  expect(await store.evidence.count()).toBe(before + 2);
});

test("sections that no system has so deep name no place, whatever is pushed", () => {
  const deep = Array.from({ length: 900 }, () => "interface Gi1");
  expect(sectionOf(deep)).toBe(sectionOf(deep.slice(0, 8)));
});
