/** What groups ask of rehearsals: for each device, with this plan, of its configuration of now, and without barred grades. */
import { expect, test } from "vitest";
import { createRehearsalCheck } from "../../src/changes/rehearsing/rehearsal-check.ts";
import type { StoredRehearsal } from "../../src/store/port.ts";

const asking = (name: string, barred: readonly string[], isWhole = false) =>
  ({ name, change: { barred_grades: barred }, changeFrom: { barred_grades: "core" }, isWhole }) as never;

function checkOf(
  said: Readonly<Record<string, Partial<StoredRehearsal>>>,
  heads: Record<string, number> = {},
) {
  const base = { jobId: "j", refusals: 0, version: 1, at: 1, grades: "{}" };
  return createRehearsalCheck({
    changes: {
      rehearsals: async (_: string, names: readonly string[]) =>
        names.flatMap((device) => (said[device] ? [{ ...base, device, ...said[device] }] : [])),
    },
    history: {
      devices: async ({ names }: { names: readonly string[] }) =>
        names.map((name) => ({ device: { name }, latest: { version: heads[name] ?? 1 } })),
    },
  } as never);
}

test("devices of groups that ask for nothing need none", async () => {
  expect(await checkOf({})("c", [asking("R1", [])])).toBeUndefined();
  expect(await checkOf({})("c", [{ name: "r1", change: null, changeFrom: {} }])).toBeUndefined();
});

test("each device needs one, whatever it says, and a few are named", async () => {
  const devices = ["R1", "R2", "R3", "R4", "R5"].map((name) => asking(name, ["locks_out"]));
  expect((await checkOf({ r1: {} })("c", devices))?.why).toMatch(/core .*none for R2, R3, R4, and 1 more$/);
  expect(
    await checkOf({ r1: {}, r2: {}, r3: {}, r4: {}, r5: { grades: '{"unknown":9}' } })("c", devices),
  ).toBeUndefined();
});

test("the worst barred grade is named with its devices; others, and good ones, are not", async () => {
  const devices = ["r1", "r2"].map((name) => asking(name, ["unknown", "locks_out"]));
  const said = { r1: { grades: '{"unknown":2,"refused":1}' }, r2: { grades: '{"seen":4,"locks_out":1}' } };
  expect((await checkOf(said)("c", devices))?.why).toMatch(/grades locks_out: r2 has one$/);
  expect((await checkOf({ ...said, r2: {} })("c", devices))?.why).toMatch(/grades unknown: r1 has 2$/);
});

test("a newer version of the configuration makes it stale, but not where no version is known", async () => {
  const devices = [asking("r1", ["unknown"])];
  expect((await checkOf({ r1: {} }, { r1: 2 })("c", devices))?.why).toMatch(
    /configuration of r1 has changed since$/,
  );
  expect(await checkOf({ r1: { version: null } }, { r1: 2 })("c", devices)).toBeUndefined();
});

test("a version that is given back as a whole has no rehearsal, and the way is another change", async () => {
  const whole = asking("r1", ["unknown"], true);
  expect(await checkOf({ r1: {} })("c", [whole])).toEqual({
    why: "the group core of the inventory asks for a rehearsal, and a version that is given back as a whole has none: r1",
    way: expect.stringMatching(/^Push what is to change as lines, in a change of its own/),
  });
});
