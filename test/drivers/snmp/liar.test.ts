/** Agents that loop, leave gaps, lie about types or never end: the driver ends with the reason. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { afterEach, expect, test } from "vitest";
import { ServiceError } from "../../../src/base/errors.ts";
import { taskContext } from "../../plugin/context.ts";
import { type Answered, endOfView, integer, type Liar, odd, type Request, startLiar, text } from "./liar.ts";
import { type Opened, openOn } from "./open.ts";

const opened: (Liar | Opened)[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

async function play(answer: (request: Request) => Answered | undefined, more: object = {}) {
  const liar = await startLiar(answer);
  const snmp = await openOn(liar, { community: "public", timeout: 0.2, repeats: 1, ...more });
  opened.push(snmp, liar);
  return { liar, snmp };
}

const column = "1.3.6.1.4.1.99.1.1";
/** A column of many rows; `most` fit into an answer. */
const rows =
  (count: number, most = 1_000) =>
  ({ pdu, oids: [oid = ""], repetitions }: Request): Answered => {
    if (pdu === 165 && repetitions > most) return { status: 1 };
    const from = oid === column ? 0 : Number(oid.slice(column.length + 1));
    const wanted = pdu === 165 ? repetitions : 1;
    const varbinds = Array.from({ length: wanted }, (_, at) => from + at + 1).map((row) =>
      row > count
        ? ([`${column}.${count}`, endOfView] as const)
        : ([`${column}.${row}`, integer(row)] as const),
    );
    return { varbinds };
  };

test("a bulk that is too big is halved until it fits", async () => {
  const { snmp, liar } = await play(rows(40, 7));
  expect(Object.keys(Object(await snmp.one(column, { type: "walk", bulk: 50 })))).toHaveLength(40);
  expect(liar.heard.slice(0, 5).map(({ repetitions }) => repetitions)).toEqual([50, 25, 12, 6, 6]);
  const single = await play(rows(4, 0));
  expect(Object.keys(Object(await single.snmp.one(column, { type: "walk" })))).toHaveLength(4);
});

test("a walk that does not grow, or goes back, ends with an error", async () => {
  const same = await play(() => ({ varbinds: [[`${column}.5`, integer(1)]] }));
  await expect(same.snmp.one(column, { type: "walk" })).rejects.toMatchObject({
    kind: "CommandError",
    message: expect.stringContaining("does not grow"),
  });
  const back = await play(({ oids: [oid] }) => ({
    varbinds: [[oid === column ? `${column}.10` : `${column}.9`, integer(1)]],
  }));
  await expect(back.snmp.one(column, { type: "table", bulk: 1 })).rejects.toMatchObject({
    message: expect.stringContaining(`after ${column}.10 it answered ${column}.9`),
  });
});

test("a table of 100,000 rows is read; one that never ends stops at the limit", async () => {
  const { snmp } = await play(rows(100_000), { timeout: 5 });
  const table = await snmp.one("1.3.6.1.4.1.99.1", { type: "table", bulk: 200 });
  expect(table).toHaveLength(100_000);
  expect(Object(table)[99_999]).toEqual({ index: "100000", 1: 100_000 });
  const endless = await play(rows(Number.MAX_SAFE_INTEGER));
  await expect(endless.snmp.one(column, { type: "walk", max_rows: 5_000 })).rejects.toMatchObject({
    kind: "OutputTooLarge",
  });
});

test("gaps in a table leave the rest of its rows", async () => {
  const entry = "1.3.6.1.2.1.2.2.1";
  const cells = [
    [`${entry}.2.1`, text("one")],
    [`${entry}.2.2`, text("two")],
    [`${entry}.8.2`, integer(2)],
  ] as const;
  const { snmp } = await play(({ oids: [oid = ""] }) => ({
    varbinds: [...(oid === entry ? cells : []), ["1.3.6.1.2.1.3.1.0", integer(1)]],
  }));
  expect(await snmp.one("ifTable", { type: "table" })).toEqual([
    { ifIndex: 1, ifDescr: "one" },
    { ifIndex: 2, ifDescr: "two", ifOperStatus: "down" },
  ]);
});

const mac = (last: number) => text(Buffer.from([2, 0, 0, 0, 0, last]));
test.each<[string, readonly (readonly [oid: string, value: Buffer])[], object]>([
  [
    "lldpRemTable",
    [
      ["1.0.8802.1.1.2.1.4.1.1.4.0.7.1", integer(4)],
      ["1.0.8802.1.1.2.1.4.1.1.5.0.7.1", mac(9)],
      ["1.0.8802.1.1.2.1.4.1.1.6.0.7.1", integer(5)],
      ["1.0.8802.1.1.2.1.4.1.1.7.0.7.1", text("Gi0/1")],
      ["1.0.8802.1.1.2.1.4.1.1.9.0.7.1", text("core-1")],
      ["1.0.8802.1.1.2.1.4.1.1.12.0.7.1", text(Buffer.from([0x28, 0]))],
    ],
    {
      ...{ lldpRemTimeMark: 0, lldpRemLocalPortNum: 7, lldpRemIndex: 1, lldpRemSysName: "core-1" },
      ...{ lldpRemChassisIdSubtype: "macAddress", lldpRemChassisId: "02:00:00:00:00:09" },
      ...{ lldpRemPortIdSubtype: "interfaceName", lldpRemPortId: "Gi0/1", lldpRemSysCapEnabled: "2800" },
    },
  ],
  [
    "entPhysicalTable",
    [
      ["1.3.6.1.2.1.47.1.1.1.1.5.1001", integer(3)],
      ["1.3.6.1.2.1.47.1.1.1.1.11.1001", text("S1")],
      ["1.3.6.1.2.1.47.1.1.1.1.13.1001", text("M9")],
      ["1.3.6.1.2.1.47.1.1.1.1.16.1001", integer(1)],
    ],
    {
      ...{ entPhysicalIndex: 1001, entPhysicalClass: "chassis", entPhysicalSerialNum: "S1" },
      ...{ entPhysicalModelName: "M9", entPhysicalIsFRU: "true" },
    },
  ],
  [
    "dot1dTpFdbTable",
    [
      ["1.3.6.1.2.1.17.4.3.1.1.2.0.0.0.0.9", mac(9)],
      ["1.3.6.1.2.1.17.4.3.1.2.2.0.0.0.0.9", integer(3)],
      ["1.3.6.1.2.1.17.4.3.1.3.2.0.0.0.0.9", integer(3)],
    ],
    { dot1dTpFdbAddress: "02:00:00:00:00:09", dot1dTpFdbPort: 3, dot1dTpFdbStatus: "learned" },
  ],
  [
    "dot1qTpFdbTable",
    [
      ["1.3.6.1.2.1.17.7.1.2.2.1.2.20.2.0.0.0.0.9", integer(3)],
      ["1.3.6.1.2.1.17.7.1.2.2.1.3.20.2.0.0.0.0.9", integer(4)],
    ],
    {
      ...{ dot1qFdbId: 20, dot1qTpFdbAddress: "02:00:00:00:00:09" },
      ...{ dot1qTpFdbPort: 3, dot1qTpFdbStatus: "self" },
    },
  ],
])("%s has its index and its words by name", async (name, cells, row) => {
  const { snmp } = await play(({ oids: [oid = ""] }) => ({
    varbinds: [...(cells.some(([cell]) => cell === oid) ? [] : cells), ["1.3.6.1.6.1.1.0", integer(1)]],
  }));
  expect(await snmp.one(name, { type: "table" })).toEqual([row]);
});

test("wrong types are shown as what they are, and bytes that are no text as digits", async () => {
  const { snmp } = await play(({ oids }) => ({
    varbinds: oids.map((oid, at) => [
      oid,
      [integer(7), text(Buffer.from([0xff, 0, 1])), text("a\0")][at] ?? text(""),
    ]),
  }));
  expect((await snmp.ask(["sysName", "sysDescr", "sysContact"])).map(({ output }) => output)).toEqual([
    7,
    "ff0001",
    "a",
  ]);
});

test("an answer about other objects, nonsense, a flood and silence are told", async () => {
  const other = await play(() => ({ varbinds: [["1.3.6.1.2.1.1.1.0", integer(1)]] }));
  await expect(other.snmp.one("sysName")).rejects.toMatchObject({ kind: "DriverError" });
  for (const raw of [
    Buffer.from("hello"),
    Buffer.alloc(60_000, 0x30),
    Buffer.from([0x30, 0x84, 255, 255, 255, 255]),
  ]) {
    const { snmp } = await play(() => ({ raw, times: 20 }));
    await expect(snmp.one("sysName")).rejects.toMatchObject({
      kind: "DriverError",
      message: expect.stringContaining("not SNMP"),
    });
  }
  const type = await play(() => ({ varbinds: [["1.3.6.1.2.1.1.5.0", odd]] }));
  await expect(type.snmp.one("sysName")).rejects.toMatchObject({ kind: "DriverError" });
  const flood = await play(({ oids }) => ({ varbinds: oids.map((oid) => [oid, text("x")]), times: 2_000 }));
  expect(await flood.snmp.one("sysName")).toBe("x");
  expect(await flood.snmp.one("sysDescr")).toBe("x");
  const mute = await play(() => undefined);
  await expect(mute.snmp.one("sysName")).rejects.toMatchObject({ kind: "ConnectionTimeout" });
  expect(mute.liar.heard).toHaveLength(2);
});

test("a set is sent once, also without an answer", async () => {
  const { snmp, liar } = await play(() => undefined);
  await expect(snmp.set({ sysContact: "x" })).rejects.toMatchObject({
    kind: "ConnectionTimeout",
    detail: { outcome: "unknown" },
  });
  expect(liar.heard).toHaveLength(1);
});

test("a cancelled task ends at once, and a port where nobody listens is told", async () => {
  const { snmp } = await play(() => undefined, { timeout: 60 });
  const stop = new AbortController();
  const asked = snmp.one("sysName", {}, taskContext({ signal: stop.signal }));
  stop.abort(new ServiceError("Cancelled", "enough"));
  await expect(asked).rejects.toMatchObject({ kind: "Cancelled" });
  const socket = createSocket("udp4").bind(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(() => resolve()));
  const nobody = await openOn({ host: "127.0.0.1", port }, { community: "x", timeout: 5, repeats: 0 });
  opened.push(nobody);
  await expect(nobody.one("sysName")).rejects.toMatchObject({ kind: "ConnectionRefused" });
});
