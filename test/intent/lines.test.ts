/** Lines by the number of devices: counted in pieces, up to a bound, and pages of one count. */
import { expect, test } from "vitest";
import { intentLimits } from "../../src/api/intent.ts";
import { neverAborted } from "../../src/base/time/deadline.ts";
import { createDriftLines } from "../../src/intent/lines.ts";
import type { CountedLine } from "../../src/store/port.ts";

const names = Array.from({ length: 3_000 }, (_, at) => `r${String(at).padStart(4, "0")}`);
const line = (text: string, devices: readonly string[]): CountedLine => ({
  ...{ intent: "base", section: "ntp", kind: "missing", line: text },
  ...{ devices: devices.length, first: devices.slice(0, intentLimits.firstDevices) },
});

/** @param linesOf of the devices of a piece */
function counting(linesOf: (names: readonly string[]) => CountedLine[]) {
  const pieces: number[] = [];
  const lines = createDriftLines({
    async lines({ names }) {
      pieces.push(names.length);
      return linesOf(names);
    },
  });
  const counted = (isFurther = false, signal = neverAborted, more: object = {}) =>
    lines.counted({ names, fresh: 0, ...more }, "k1", isFurther, signal);
  return { pieces, counted };
}

test("devices are asked for in pieces, and their counts and first names are added up", async () => {
  const { pieces, counted } = counting((names) => [
    line("own to one", names.includes("r2999") ? ["r2999"] : []),
    line("of all", names),
  ]);
  const [first, second] = await counted();
  expect(first).toEqual({ ...line("of all", names), devices: 3_000 });
  expect(second).toMatchObject({ line: "own to one", devices: 1, first: ["r2999"] });
  expect(pieces.length).toBeGreaterThan(5);
  expect(Math.max(...pieces)).toBeLessThanOrEqual(500);
  expect(pieces.reduce((sum, count) => sum + count, 0)).toBe(3_000);
});

test("a further page is of the count of the first one, if it asks for the same", async () => {
  let turn = 0;
  const { pieces, counted } = counting((names) => [line(`count ${turn}`, names)]);
  const before = await counted();
  const asked = pieces.length;
  turn = 1;
  expect(await counted(true)).toBe(before);
  expect(pieces.length).toBe(asked);
  expect((await counted(true, neverAborted, { section: "dns" }))[0]?.line).toBe("count 1");
  expect((await counted())[0]?.line).toBe("count 1");
});

test("more different lines than may be held are refused, with what to do, before all have been read", async () => {
  const each = Math.ceil(intentLimits.lines / 1_000);
  const { pieces, counted } = counting((names) =>
    names.flatMap((name) => Array.from({ length: each }, (_, at) => line(`${name} ${at}`, [name]))),
  );
  await expect(counted()).rejects.toMatchObject({
    kind: "Validation",
    detail: { issues: [{ path: "select", message: expect.stringContaining("`section`") }] },
  });
  expect(pieces.reduce((sum, count) => sum + count, 0)).toBeLessThan(2_500);
  const long = counting((names) => names.map((name) => line(name.padEnd(10_000, "x"), [name])));
  await expect(long.counted()).rejects.toMatchObject({ kind: "Validation" });
});

test("who has gone is not counted for any more", async () => {
  const gone = new AbortController();
  const { pieces, counted } = counting((names) => {
    gone.abort();
    return [line("x", names)];
  });
  await expect(counted(false, gone.signal)).rejects.toMatchObject({ kind: "Cancelled" });
  expect(pieces.length).toBe(1);
});
