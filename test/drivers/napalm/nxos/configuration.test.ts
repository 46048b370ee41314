/**
 * Configuration of `nxos`: the switch always ends in the old or the requested state, without any of our files
 * left.
 */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ChangeOptions, SystemSession } from "../../../../plugins/drivers/napalm/system.ts";
import nxos from "../../../../plugins/drivers/napalm/systems/nxos/system.ts";
import { job, openOn, password } from "../open.ts";
import { type NxosSwitch, startNxosSwitch } from "./switch.ts";

let device: NxosSwitch;
let session: SystemSession;
let before: readonly string[];
beforeEach(async () => {
  device = await startNxosSwitch({ password });
  before = [...device.running];
  const optional_args = { transport: "http", port: device.port, ssh_port: device.sshPort };
  session = await openOn(nxos, { optional_args }, job());
});
afterEach(async () => {
  await session.close();
  device.close();
});

const merge: ChangeOptions = { replace: false, dryRun: false };
const replace: ChangeOptions = { replace: true, dryRun: false };
const change = (text: string, how: ChangeOptions, ctx = job()) =>
  session.configuration.change(text, how, ctx);
const candidate = (lines: readonly string[]) => `!Command: Checkpoint cmd vdc 1\n\n${lines.join("\n\n")}\n`;
const wanted = "interface Ethernet1/1\n  description new\nhostname sw2";

function expectUntouched() {
  expect(device.running).toEqual(before);
  expect(device.startup).toEqual(before);
  expect([...device.files.keys()]).toEqual([]);
}

describe("a merge", () => {
  test("is committed, saved, and told in the switch's own words", async () => {
    const done = await change(`!\n${wanted}\n`, merge);
    expect(done).toEqual({ committed: true, diff: expect.stringContaining("  description new") });
    expect(done.diff).not.toMatch(/Rollback|Collecting|!!/);
    expect(device.running).toContain("interface Ethernet1/1\n  description new");
    expect(device.startup).toEqual(device.running);
    expect([...device.files.keys()]).toEqual(["patchbay-rollback"]);
  });

  test("that is tried shows what is missing, with the lines it stands under, and sends nothing", async () => {
    const done = await change(`interface Ethernet1/1\n  description old\n  description new\n`, {
      ...merge,
      dryRun: true,
    });
    expect(done).toEqual({ committed: false, diff: "interface Ethernet1/1\n  description new" });
    expect(device.asked.slice(1)).toEqual(["show running-config all"]);
    expectUntouched();
  });

  test("that changes nothing is no commit", async () => {
    expect(await change("hostname sw1", merge)).toEqual({ committed: false, diff: "" });
    expectUntouched();
  });

  test("a line that is refused is named, and all is as before", async () => {
    const failed = change("!\nhostname sw9\nbogus line\nhostname sw8", merge);
    await expect(failed).rejects.toMatchObject({
      kind: "CommandError",
      message: expect.stringMatching(/line 3, "bogus line"/),
      detail: { line: 3, command: "bogus line", outcome: "none" },
    });
    expectUntouched();
  });

  test("a line that is taken with an error in its text is one that was refused", async () => {
    device.fail(/description new/, { text: "ERROR: Unable to set the description" });
    await expect(change(wanted, merge)).rejects.toMatchObject({ detail: { line: 2, outcome: "none" } });
    expectUntouched();
  });

  test("lines of a banner are one command", async () => {
    await change("banner motd #\nWelcome!\n! not a comment\n#\nhostname sw2", merge);
    expect(device.asked).toContain("banner motd #\nWelcome!\n! not a comment\n#");
  });
});

describe("a replacement", () => {
  const lines = ["hostname sw3", "interface Ethernet1/2"];

  test("is sent as a file, compared, committed and saved", async () => {
    const done = await change(candidate(lines), replace);
    expect(done.committed).toBe(true);
    expect(done.diff).toMatch(/no hostname sw1\n[\s\S]*hostname sw3/);
    expect(device.running).toEqual(lines);
    expect(device.startup).toEqual(lines);
    expect([...device.files.keys()]).toEqual(["patchbay-rollback"]);
  });

  test("that is tried shows the difference of two files and leaves none", async () => {
    const done = await change(candidate(lines), { ...replace, dryRun: true });
    expect(done).toMatchObject({ committed: false, diff: expect.stringContaining("hostname sw3") });
    expectUntouched();
  });

  test("that fails in its text is no success", async () => {
    const failed = change(candidate(["hostname sw3", "bogus"]), replace);
    await expect(failed).rejects.toMatchObject({
      message: expect.stringContaining("Rollback failed"),
      detail: { outcome: "none" },
    });
    expectUntouched();
  });

  test.each([
    ["refuses the file", { error: "Permission denied" } as const, /Permission denied.*scp-server/],
    ["keeps another file than was sent", "drop" as const, /differs from the one sent/],
  ])("a switch that %s is left as it was", async (_name, how, message) => {
    device.fail(/^scp$/, how);
    await expect(change(candidate(lines), replace)).rejects.toThrow(message);
    expectUntouched();
  });
});

test.each([
  ["checkpoint file"],
  ["configure terminal"],
  ["description new"],
  ["show diff"],
  ["copy running"],
] as const)("a connection that is lost at `%s` leaves the switch as it was", async (step) => {
  for (const how of ["drop", "cut"] as const) {
    device.fail(new RegExp(step), how);
    await expect(change(wanted, merge)).rejects.toMatchObject({ kind: "ConnectionLost" });
    expect(device.running).toEqual(before);
    expect([...device.files.keys()]).toEqual([]);
  }
});

test("a save that fails takes the change back", async () => {
  device.fail(/copy running/, { text: "Error: startup-config is locked\n" });
  await expect(change(wanted, merge)).rejects.toThrow(/did not save/);
  expectUntouched();
});

test("a way back that fails is told, with the lines that differ", async () => {
  device.fail(/^rollback/, { text: "Rollback failed.\n" });
  await expect(change("hostname sw9\nbogus", merge)).rejects.toMatchObject({
    message: expect.stringMatching(/could not be restored.*Rollback failed/s),
    detail: { outcome: "unknown", line: 2 },
  });
});

test("a job that is cancelled in the middle leaves the switch as it was", async () => {
  const ctx = job();
  device.fail(/description new/, { meanwhile: () => ctx.cancel() });
  await expect(change(wanted, merge, ctx)).rejects.toThrow("cancelled");
  expect(device.running).toEqual(before);
  expect([...device.files.keys()]).toEqual([]);
});

test("the last commit is taken back and saved, once", async () => {
  await change(wanted, merge);
  const ctx = job();
  expect(await session.configuration.rollback?.(undefined, ctx)).toContain("completed");
  expectUntouched();
  await expect(session.configuration.rollback?.(undefined, ctx)).rejects.toThrow(/no commit of this service/);
});

test("what the switch does not have is refused before it is asked, or told", async () => {
  const asked = device.asked.length;
  await expect(change(wanted, { ...merge, revertIn: 60 })).rejects.toThrow(/revert_in/);
  expect(device.asked).toHaveLength(asked);
  const ctx = job();
  await change("", { ...merge, message: "why" }, ctx);
  expect(ctx.warnings).toEqual([expect.stringContaining("does not store commit comments")]);
});
