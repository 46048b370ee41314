/** Lines by the number of devices: from the counts of the store, in pieces, up to a bound, and pages of one count. */
import { expect, test } from "vitest";
import { intentLimits } from "../../src/api/intent/intent.ts";
import { neverAborted } from "../../src/base/time/deadline.ts";
import { createDriftLines } from "../../src/intent/lines.ts";
import type { DriftPair, DriftText } from "../../src/store/port.ts";

const names = Array.from({ length: 3_000 }, (_, at) => `r${String(at).padStart(4, "0")}`);

/** A store where devices have lines. @param linesOf each once */
function holding(linesOf: (name: string) => readonly string[], isTold = (_name: string) => true) {
  const all = new Map<string, DriftText>();
  const devices = new Map<number, string[]>();
  for (const name of names)
    for (const line of linesOf(name)) {
      const id = all.get(line)?.id ?? all.size + 1;
      devices.set(id, [...(devices.get(id) ?? []), name]);
      all.set(line, {
        ...{ id, intent: "base", section: "ntp", kind: "missing", line },
        devices: devices.get(id)?.length ?? 0,
      });
    }
  const texts = [...all.values()];
  const ranked = texts.toSorted((one, other) => other.devices - one.devices || one.id - other.id);
  const placeOf = new Map(ranked.map(({ id }, at) => [id, at]));
  const read = { pairs: 0, counted: 0, texts: 0, largest: 0 };
  const note = (what: "pairs" | "counted" | "texts", count: number) => {
    read[what] += count;
    read.largest = Math.max(read.largest, count);
  };
  const isIn = ({ device }: DriftPair, name: string) => device === name;
  const lines = createDriftLines({
    lines: {
      async pairs(_, after, limit) {
        const from = after === undefined ? 0 : names.findIndex((name) => isIn(after, name)) + 1;
        const some = names.slice(from, from + limit);
        note("pairs", some.length);
        return some.map((device) => ({ device, intent: "base", isTold: isTold(device) }));
      },
      async count(pairs) {
        note("counted", pairs.length);
        const counts = new Map<number, number>();
        for (const { device } of pairs)
          for (const line of linesOf(device)) {
            const id = all.get(line)?.id ?? 0;
            counts.set(id, (counts.get(id) ?? 0) + 1);
          }
        return [...counts].map(([id, count]) => ({ id, devices: count }));
      },
      async texts(which, limit) {
        const wanted = "ids" in which ? new Set(which.ids) : undefined;
        const from = "after" in which && which.after ? (placeOf.get(which.after.id) ?? 0) + 1 : 0;
        const some = wanted ? texts.filter(({ id }) => wanted.has(id)) : ranked.slice(from, from + limit);
        note("texts", some.length);
        return some;
      },
      devices: async (of, limit) =>
        of.map(({ id, after }) => (devices.get(id) ?? []).filter((name) => name > after).slice(0, limit)),
    },
  });
  const page = (more: object = {}, { offset = 0, limit = 50, signal = neverAborted } = {}) =>
    lines.page({ names, fresh: 0, ...more }, "k1", { offset, limit }, signal);
  return { read, page };
}

test("of all devices the counts of the store are read, and no lines of devices", async () => {
  const { read, page } = holding((name) => ["of all", ...(name === "r2999" ? ["own to one"] : [])]);
  const { lines, isLast } = await page();
  expect(lines.map(({ line, devices, first }) => [line, devices, first.length])).toEqual([
    ["of all", 3_000, intentLimits.firstDevices],
    ["own to one", 1, 1],
  ]);
  expect(isLast).toBe(true);
  expect(lines[1]?.first).toEqual(["r2999"]);
  expect(read).toMatchObject({ pairs: 3_000, counted: 0 });
});

test("the lines of devices that are not asked for, or not told, are taken off; of few devices theirs are counted", async () => {
  const { read, page } = holding(
    (name) => ["of all", `last ${name.at(-1)}`],
    (name) => name >= "r0100",
  );
  const { lines } = await page();
  expect(lines[0]).toMatchObject({ line: "of all", devices: 2_900 });
  expect(lines[0]?.first[0]).toBe("r0100");
  expect(lines.slice(1).map(({ devices }) => devices)).toEqual(Array.from({ length: 10 }, () => 290));
  expect(read.counted).toBe(100);
  const few = holding((name) => ["of all", `last ${name.at(-1)}`]);
  const some = await few.page({ names: ["r0007", "r2017"] });
  expect(some.lines.map(({ line, devices, first }) => [line, devices, ...first])).toEqual([
    ["of all", 2, "r0007", "r2017"],
    ["last 7", 2, "r0007", "r2017"],
  ]);
  expect(few.read).toMatchObject({ counted: 2, texts: 2 });
  expect(Math.max(read.largest, few.read.largest)).toBeLessThanOrEqual(5_000);
});

test("a further page is of the count of the first one, if it asks for the same", async () => {
  const { read, page } = holding((name) => [`first ${name.slice(0, 3)}`]);
  const first = await page({}, { limit: 10 });
  const asked = { ...read };
  const second = await page({}, { offset: 10, limit: 10 });
  expect(read.pairs).toBe(asked.pairs);
  expect(first.isLast).toBe(false);
  expect(new Set([...first.lines, ...second.lines].map(({ line }) => line)).size).toBe(20);
  await page({ section: "dns" }, { offset: 10, limit: 10 });
  expect(read.pairs).toBe(2 * asked.pairs);
  await page();
  expect(read.pairs).toBe(3 * asked.pairs);
});

test("more different lines than may be held are refused, with what to do", async () => {
  const each = Math.ceil(intentLimits.lines / 1_000);
  const many = (name: string) => Array.from({ length: each }, (_, at) => `${name} ${at}`);
  const refused = {
    kind: "Validation",
    detail: { issues: [{ path: "select", message: expect.stringContaining("`section`") }] },
  };
  const all = holding(many);
  await expect(all.page({}, { offset: intentLimits.lines })).rejects.toMatchObject(refused);
  expect(all.read.texts).toBeLessThan(intentLimits.lines + 5_001);
  // The first ones of as many are told all the same.
  const before = all.read.texts;
  expect((await all.page()).lines).toHaveLength(50);
  expect(all.read.texts - before).toBeLessThan(1_000);
  const few = holding(many, (name) => name >= "r1600");
  await expect(few.page()).rejects.toMatchObject(refused);
  const long = holding((name) => [name.padEnd(10_000, "x")]);
  await expect(long.page({}, { offset: 2_500 })).rejects.toMatchObject({ kind: "Validation" });
});

test("who has gone is not counted for any more", async () => {
  const gone = new AbortController();
  const { read, page } = holding(
    () => ["x"],
    (name) => {
      if (name === "r0000") gone.abort();
      return true;
    },
  );
  await expect(page({}, { signal: gone.signal })).rejects.toMatchObject({ kind: "Cancelled" });
  expect(read.pairs).toBeLessThan(3_000);
});

test("lines are in the order of what is left of their counts, however much is taken off", async () => {
  const isTold = (name: string) => Number(name.slice(1)) % 3 !== 0 || name > "r2500";
  const linesOf = (name: string) => {
    const at = Number(name.slice(1));
    return [`a ${at % 7}`, `b ${at % 50}`, `c ${at % 3}`, `d ${at % 1_000}`];
  };
  const { read, page } = holding(linesOf, isTold);
  const { lines } = await page({}, { limit: 2_000 });
  expect(read.counted).toBe(names.filter((name) => !isTold(name)).length);
  const expected = Map.groupBy(
    names.filter(isTold).flatMap((name) => linesOf(name)),
    (line) => line,
  );
  expect(new Map(lines.map(({ line, devices }) => [line, devices]))).toEqual(
    new Map([...expected].map(([line, all]) => [line, all.length])),
  );
  const counts = lines.map(({ devices }) => devices);
  expect(counts).toEqual(counts.toSorted((one, other) => other - one));
  const pages = [];
  for (let offset = 0; offset < lines.length; offset += 100)
    pages.push(...(await page({}, { offset, limit: 100 })).lines);
  expect(pages.map(({ line }) => line)).toEqual(lines.map(({ line }) => line));
});
