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

describe("an nxos merge", () => {
  test("is committed and saved, and returns the switch's own diff", async () => {
    const done = await change(`!\n${wanted}\n`, merge);
    expect(done).toEqual({ committed: true, diff: expect.stringContaining("  description new") });
    expect(done.diff).not.toMatch(/Rollback|Collecting|!!/);
    expect(device.running).toContain("interface Ethernet1/1\n  description new");
    expect(device.startup).toEqual(device.running);
    expect([...device.files.keys()]).toEqual(["patchbay-rollback"]);
  });

  test("in a dry run returns the missing lines with their context, and sends nothing", async () => {
    const done = await change(`interface Ethernet1/1\n  description old\n  description new\n`, {
      ...merge,
      dryRun: true,
    });
    expect(done).toEqual({ committed: false, diff: "interface Ethernet1/1\n  description new" });
    expect(device.asked.slice(1)).toEqual(["show running-config all"]);
    expectUntouched();
  });

  test("without an effect is not committed", async () => {
    expect(await change("hostname sw1", merge)).toEqual({ committed: false, diff: "" });
    expectUntouched();
  });

  test("with a refused line names it and restores the configuration", async () => {
    const failed = change("!\nhostname sw9\nbogus line\nhostname sw8", merge);
    await expect(failed).rejects.toMatchObject({
      kind: "CommandError",
      message: expect.stringMatching(/line 3, "bogus line"/),
      detail: { line: 3, command: "bogus line", outcome: "none" },
    });
    expectUntouched();
  });

  test("with an error text in an accepted response is a refusal", async () => {
    device.fail(/description new/, { text: "ERROR: Unable to set the description" });
    await expect(change(wanted, merge)).rejects.toMatchObject({ detail: { line: 2, outcome: "none" } });
    expectUntouched();
  });

  test("sends a banner as one command", async () => {
    await change("banner motd #\nWelcome!\n! not a comment\n#\nhostname sw2", merge);
    expect(device.asked).toContain("banner motd #\nWelcome!\n! not a comment\n#");
  });
});

describe("an nxos replacement", () => {
  const lines = ["hostname sw3", "interface Ethernet1/2"];

  test("is sent as a file, compared, committed and saved", async () => {
    const done = await change(candidate(lines), replace);
    expect(done.committed).toBe(true);
    expect(done.diff).toMatch(/no hostname sw1\n[\s\S]*hostname sw3/);
    expect(device.running).toEqual(lines);
    expect(device.startup).toEqual(lines);
    expect([...device.files.keys()]).toEqual(["patchbay-rollback"]);
  });

  test("in a dry run returns the diff and leaves no file", async () => {
    const done = await change(candidate(lines), { ...replace, dryRun: true });
    expect(done).toMatchObject({ committed: false, diff: expect.stringContaining("hostname sw3") });
    expectUntouched();
  });

  test("that fails in its output text is an error", async () => {
    const failed = change(candidate(["hostname sw3", "bogus"]), replace);
    await expect(failed).rejects.toMatchObject({
      message: expect.stringContaining("Rollback failed"),
      detail: { outcome: "none" },
    });
    expectUntouched();
  });

  test.each([
    ["refuses the file", { error: "Permission denied" } as const, /Permission denied.*scp-server/],
    ["stores a different file", "drop" as const, /differs from the one sent/],
  ])("on a switch that %s changes nothing", async (_name, how, message) => {
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
] as const)("a connection lost at `%s` leaves the nxos switch unchanged", async (step) => {
  for (const how of ["drop", "cut"] as const) {
    device.fail(new RegExp(step), how);
    await expect(change(wanted, merge)).rejects.toMatchObject({ kind: "ConnectionLost" });
    expect(device.running).toEqual(before);
    expect([...device.files.keys()]).toEqual([]);
  }
});

test("a failed save on nxos reverts the change", async () => {
  device.fail(/copy running/, { text: "Error: startup-config is locked\n" });
  await expect(change(wanted, merge)).rejects.toThrow(/did not save/);
  expectUntouched();
});

test("a failed rollback on nxos is reported with the differing lines", async () => {
  device.fail(/^rollback/, { text: "Rollback failed.\n" });
  await expect(change("hostname sw9\nbogus", merge)).rejects.toMatchObject({
    message: expect.stringMatching(/could not be restored.*Rollback failed/s),
    detail: { outcome: "unknown", line: 2 },
  });
});

test("a cancelled job leaves the nxos switch unchanged", async () => {
  const ctx = job();
  device.fail(/description new/, { meanwhile: () => ctx.cancel() });
  await expect(change(wanted, merge, ctx)).rejects.toThrow("cancelled");
  expect(device.running).toEqual(before);
  expect([...device.files.keys()]).toEqual([]);
});

test("the last nxos commit can be rolled back and saved once", async () => {
  await change(wanted, merge);
  const ctx = job();
  expect(await session.configuration.rollback?.(undefined, ctx)).toContain("completed");
  expectUntouched();
  await expect(session.configuration.rollback?.(undefined, ctx)).rejects.toThrow(/no commit of this service/);
});

test("options that nxos does not support are rejected before anything is sent, or cause a warning", async () => {
  const requestsBefore = device.asked.length;
  await expect(change(wanted, { ...merge, revertIn: 60 })).rejects.toThrow(/revert_in/);
  expect(device.asked).toHaveLength(requestsBefore);
  const ctx = job();
  await change("", { ...merge, message: "why" }, ctx);
  expect(ctx.warnings).toEqual([expect.stringContaining("does not store commit comments")]);
});
