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

describe("a merge", () => {
  test("is committed with its comment and shown in the router's own words", async () => {
    const done = await change(wanted, { message: 'why "now" & <here>' });
    expect(done).toEqual({ committed: true, diff: '+   description <new> & "better"' });
    expect(device.running).toEqual([...before, ' description <new> & "better"']);
    expect(device.comments).toEqual(['why "now" & <here>']);
    expect([device.locked(), device.candidates()]).toEqual([false, []]);
  });

  test("on a router without words for it is compared here", async () => {
    device.unknown.add("show commit changes diff");
    const done = await change("hostname R2", { dryRun: true });
    expect(done.diff).toBe(
      "@@ -1,4 +1,5 @@\n hostname R1\n interface Loopback0\n  description old\n+hostname R2\n end",
    );
    expectUntouched();
  });

  test("that is tried is cleared, and so is one that changes nothing", async () => {
    expect(await change("hostname R2", { dryRun: true })).toMatchObject({
      diff: "+  hostname R2",
      committed: false,
    });
    expectUntouched();
    expect(await change("hostname R1")).toEqual({ diff: "", committed: false });
    expectUntouched();
  });

  test("a line that is refused is named", async () => {
    await expect(change("hostname R2\n\nbogus line\nhostname R3")).rejects.toMatchObject({
      kind: "CommandError",
      message: expect.stringContaining('line 3, "bogus line"'),
      detail: { line: 3, command: "bogus line", outcome: "none" },
    });
    expectUntouched();
  });

  test("what only a commit finds is told with the router's list of it", async () => {
    await expect(change("hostname R2\nsemantic fault")).rejects.toMatchObject({
      message: expect.stringMatching(/semantic fault\n!!% The value is out of range/),
      detail: { outcome: "none" },
    });
    expectUntouched();
  });
});

test("a replacement takes all else away", async () => {
  const done = await change("hostname R9\n", { replace: true });
  expect(done).toMatchObject({ committed: true, diff: expect.stringContaining("-  interface Loopback0") });
  expect(device.running).toEqual(["hostname R9"]);
  expect(device.locked()).toBe(false);
});

test("a lock of another session is told, and stays theirs", async () => {
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

test("a commit of others in between is no reason to write over it", async () => {
  device.fail(/show commit changes/, { meanwhile: () => device.commitElsewhere("hostname theirs") });
  await expect(change(wanted)).rejects.toThrow(/Another session has committed/);
  expect(device.running).toEqual([...before, "hostname theirs"]);
  expect(device.locked()).toBe(false);
});

describe("a commit that waits for its confirmation", () => {
  test("is confirmed, once", async () => {
    expect(await change(wanted, { revertIn: 60 })).toMatchObject({ committed: true, handle: "1000000001" });
    expect(device.waiting()).toBe(60);
    await session.configuration.confirm?.(undefined, job());
    expect(device.waiting()).toBeUndefined();
    device.expire();
    expect(device.running).toHaveLength(before.length + 1);
    await expect(session.configuration.confirm?.(undefined, job())).rejects.toThrow(/No commit is waiting/);
  });

  test("is undone by the router where nobody confirms it", async () => {
    await change(wanted, { revertIn: 300 });
    device.expire();
    expectUntouched();
  });

  test.each([29, 301])("takes no %d s, and nothing is sent", async (revertIn) => {
    await expect(change(wanted, { revertIn })).rejects.toThrow(/30 to 300 s/);
    expect(device.asked).toEqual([]);
  });
});

test("the last commit is taken back", async () => {
  await change(wanted);
  await session.configuration.rollback?.(undefined, job());
  expectUntouched();
});

test("a lock for the whole session is held until its end, and a rollback works below it", async () => {
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
] as const)("a session that is dropped at %s leaves no lock and no candidate", async (step, outcome) => {
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

test("a job that is cancelled in the middle leaves no lock and no candidate", async () => {
  const ctx = job();
  device.fail(/Loopback0/, { meanwhile: () => ctx.cancel() });
  await expect(change(wanted, {}, ctx)).rejects.toThrow("cancelled");
  await session.close();
  expectUntouched();
});

test("a text that XML cannot carry is refused before the lock", async () => {
  await expect(change("banner motd \u0007")).rejects.toThrow(/U\+0007/);
  expect(device.asked).toEqual([]);
});
