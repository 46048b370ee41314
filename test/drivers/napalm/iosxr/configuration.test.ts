/**
 * Configuration of `iosxr`: the router always ends in the old or the requested state, without a lock or
 * candidate left.
 */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ChangeOptions, SystemSession } from "../../../../plugins/drivers/napalm/system.ts";
import iosxr from "../../../../plugins/drivers/napalm/systems/iosxr/system.ts";
import { job, openOn, password } from "../open.ts";
import { type Router, startRouter } from "./router.ts";

let device: Router;
let session: SystemSession;
let before: readonly string[];
beforeEach(async () => {
  device = await startRouter({ password });
  before = [...device.running];
  session = await openOn(iosxr, { port: device.port }, job());
});
afterEach(async () => {
  await session.close();
  device.close();
});

const merge: ChangeOptions = { replace: false, dryRun: false };
const change = (text: string, how: Partial<ChangeOptions> = {}, ctx = job()) =>
  session.configuration.change(text, { ...merge, ...how }, ctx);
const wanted = 'interface Loopback0\n description <new> & "better"\n';

function expectUntouched() {
  expect(device.running).toEqual(before);
  expect(device.locked()).toBe(false);
  expect(device.candidates()).toEqual([]);
}

describe("an iosxr merge", () => {
  test("is committed with its comment and returns the router's own diff", async () => {
    const done = await change(wanted, { message: 'why "now" & <here>' });
    expect(done).toEqual({ committed: true, diff: '+   description <new> & "better"' });
    expect(device.running).toEqual([...before, ' description <new> & "better"']);
    expect(device.comments).toEqual(['why "now" & <here>']);
    expect([device.locked(), device.candidates()]).toEqual([false, []]);
  });

  test("is compared by the service if the router cannot", async () => {
    device.unknown.add("show commit changes diff");
    const done = await change("hostname R2", { dryRun: true });
    expect(done.diff).toBe(
      "@@ -1,4 +1,5 @@\n hostname R1\n interface Loopback0\n  description old\n+hostname R2\n end",
    );
    expectUntouched();
  });

  test("in a dry run is discarded, and so is one that changes nothing", async () => {
    expect(await change("hostname R2", { dryRun: true })).toMatchObject({
      diff: "+  hostname R2",
      committed: false,
    });
    expectUntouched();
    expect(await change("hostname R1")).toEqual({ diff: "", committed: false });
    expectUntouched();
  });

  test("with a refused line names it", async () => {
    await expect(change("hostname R2\n\nbogus line\nhostname R3")).rejects.toMatchObject({
      kind: "CommandError",
      message: expect.stringContaining('line 3, "bogus line"'),
      detail: { line: 3, command: "bogus line", outcome: "none" },
    });
    expectUntouched();
  });

  test("whose commit fails returns the router's list of errors", async () => {
    await expect(change("hostname R2\nsemantic fault")).rejects.toMatchObject({
      message: expect.stringMatching(/semantic fault\n!!% The value is out of range/),
      detail: { outcome: "none" },
    });
    expectUntouched();
  });
});

test("an iosxr replacement removes everything else", async () => {
  const done = await change("hostname R9\n", { replace: true });
  expect(done).toMatchObject({ committed: true, diff: expect.stringContaining("-  interface Loopback0") });
  expect(device.running).toEqual(["hostname R9"]);
  expect(device.locked()).toBe(false);
});

test("a lock of another session is reported and kept", async () => {
  const other = device.open();
  other.lock();
  await expect(change(wanted)).rejects.toMatchObject({
    kind: "CommandError",
    message: expect.stringMatching(/locked by another session.*00000201/),
    detail: { outcome: "none" },
  });
  expect(device.running).toEqual(before);
  expect(device.locked()).toBe(true);
});

test("a commit by another session in between fails the change", async () => {
  device.fail(/show commit changes/, { meanwhile: () => device.commitElsewhere("hostname theirs") });
  await expect(change(wanted)).rejects.toThrow(/Another session has committed/);
  expect(device.running).toEqual([...before, "hostname theirs"]);
  expect(device.locked()).toBe(false);
});

describe("an iosxr commit that awaits confirmation", () => {
  test("can be confirmed once", async () => {
    expect(await change(wanted, { revertIn: 60 })).toMatchObject({ committed: true, handle: "1000000001" });
    expect(device.waiting()).toBe(60);
    await session.configuration.confirm?.(undefined, job());
    expect(device.waiting()).toBeUndefined();
    device.expire();
    expect(device.running).toHaveLength(before.length + 1);
    await expect(session.configuration.confirm?.(undefined, job())).rejects.toThrow(/No commit is waiting/);
  });

  test("is reverted by the router if nobody confirms it", async () => {
    await change(wanted, { revertIn: 300 });
    device.expire();
    expectUntouched();
  });

  test.each([29, 301])("is rejected with a time of %d s before anything is sent", async (revertIn) => {
    await expect(change(wanted, { revertIn })).rejects.toThrow(/30 to 300 s/);
    expect(device.asked).toEqual([]);
  });
});

test("the last iosxr commit can be rolled back", async () => {
  await change(wanted);
  await session.configuration.rollback?.(undefined, job());
  expectUntouched();
});

test("config_lock holds the lock until the session ends, and a rollback still works", async () => {
  const held = await openOn(iosxr, { port: device.port, optional_args: { config_lock: true } }, job());
  expect(device.locked()).toBe(true);
  await held.configuration.change("hostname R5", merge, job());
  await held.configuration.rollback?.(undefined, job());
  expect(device.running).toEqual(before);
  expect(device.locked()).toBe(true);
  expect(await held.reusable(job())).toBe(false);
  await held.close();
});

test.each([
  ["<Lock/>", "none"],
  ["Loopback0", "none"],
  ["show commit changes", "none"],
  ["<Commit", "unknown"],
] as const)("a session dropped at %s leaves no lock and no candidate", async (step, outcome) => {
  for (const how of ["drop", "cut", "leave"] as const) {
    const lost = await openOn(iosxr, { port: device.port }, job());
    device.fail(new RegExp(step), how);
    await expect(lost.configuration.change(`${wanted}hostname ${how}`, merge, job())).rejects.toMatchObject({
      kind: "ConnectionLost",
      detail: { outcome },
    });
    expect([device.locked(), device.candidates()]).toEqual([false, []]);
    expect([await lost.alive(job()), await lost.reusable(job())]).toEqual([false, false]);
    await lost.close();
  }
});

test("a cancelled job leaves no lock and no candidate", async () => {
  const ctx = job();
  device.fail(/Loopback0/, { meanwhile: () => ctx.cancel() });
  await expect(change(wanted, {}, ctx)).rejects.toThrow("cancelled");
  await session.close();
  expectUntouched();
});

test("characters that XML cannot represent are rejected before the lock", async () => {
  await expect(change("banner motd \u0007")).rejects.toThrow(/U\+0007/);
  expect(device.asked).toEqual([]);
});
