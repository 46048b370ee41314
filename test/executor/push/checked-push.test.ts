/** P83: a push with checks: what is checked, pushed, rolled back and reported. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServiceError } from "../../../src/base/errors.ts";
import { createRig, failure, reportOf, up } from "../check-rig.ts";

let rig: ReturnType<typeof createRig>;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.deadline.dispose());

describe("a push with checks", () => {
  test("pushes and announces nothing if a check before it fails", async () => {
    const error = await failure(rig.push({ before: [up, { command: "show x", not_contains: "y" }] }));
    expect(error).toMatchObject({ kind: "CheckFailed", detail: { outcome: "none" } });
    expect(error.message).toBe(
      "1 of 2 checks before the push failed: show bgp: The output does not contain the text. Nothing was pushed.",
    );
    expect(reportOf(error)).toMatchObject({
      pushed: false,
      undone: false,
      before: [{ ok: false, value: false, expected: { contains: "Established" }, output: "" }, { ok: true }],
    });
    expect(rig.device.log).toEqual(["query show bgp", "query show x", "close"]);
    expect(rig.asked).toEqual([]);
  });

  test("announces the lines before the push, and confirms the change if all checks pass", async () => {
    rig.device.shows.set("show bgp", "Established");
    const value = await rig.push({ before: [up], after: [up] });
    expect(value).toMatchObject({
      outputs: [{ output: "taken" }],
      checks: { pushed: true, undone: false, how: "rollback", before: [{ ok: true }], after: [{ ok: true }] },
    });
    const order = ["query show bgp", "announced", "change", "query show bgp", "confirm"];
    expect(rig.device.log.slice(0, 5)).toEqual(order);
    expect(rig.announced).toEqual(["no neighbor", "exit"]);
    expect(rig.phases()).toEqual(["push", "after", "confirm"]);
  });

  test("is rolled back if a check after it fails, and the remaining checks are skipped", async () => {
    rig.breaks();
    const error = await failure(rig.push({ after: [up, { command: "show y", contains: "z" }] }));
    expect(error).toMatchObject({
      kind: "CheckFailed",
      detail: { outcome: "none", partial: [{ output: "taken" }] },
    });
    expect(error.message).toMatch(/^1 of 2 checks after the push failed: .* The lines were rolled back\.$/);
    expect(reportOf(error)).toMatchObject({
      pushed: true,
      undone: true,
      after: [{ ok: false }, { ok: null, message: "Not run: a check before it failed." }],
    });
    expect(rig.done()).toEqual(["change", "undo"]);
    expect(rig.phases()).toEqual(["push", "after", "undo"]);
  });

  test.each([
    ["a platform without rollback", undefined, "undo", "it cannot roll them back"],
    ['on_failure "keep"', "rollback", "keep", "as requested"],
  ] as const)("keeps its lines and runs all checks for %s", async (_, how, onFailure, words) => {
    rig.use(how);
    rig.breaks();
    const error = await failure(rig.push({ after: [up, up], onFailure }));
    expect(error.kind).toBe("CheckFailed");
    expect(error.detail).not.toHaveProperty("outcome");
    expect(reportOf(error)).toMatchObject({
      ...{ pushed: true, undone: false, how: "none", message: expect.stringContaining(words) },
      after: [{ ok: false }, { ok: false }],
    });
    expect(rig.done()).toEqual(["configure"]);
  });

  test.each([
    ["unknown", "unknown", "It is unknown whether the lines were rolled back: it broke"],
    ["none", false, "stay on the device: it broke"],
  ] as const)("reports an undo that fails with outcome %s", async (outcome, undone, words) => {
    rig.breaks();
    rig.device.faults.set("undo", () => {
      throw new ServiceError("ConnectionLost", "it broke", { outcome });
    });
    const error = await failure(rig.push({ after: [up] }));
    expect(error.kind).toBe("CheckFailed");
    expect(reportOf(error)).toMatchObject({ undone, message: expect.stringContaining(words) });
    expect(error.detail?.outcome).toBe(undone === "unknown" ? "unknown" : undefined);
    expect(rig.done()).toEqual(["change", "undo"]);
  });

  test('has outcome "unknown" if its confirm fails, and is not rolled back', async () => {
    rig.device.shows.set("show bgp", "Established");
    rig.device.faults.set("confirm", () => {
      throw new ServiceError("ConnectionLost", "it broke");
    });
    const error = await failure(rig.push({ after: [up] }));
    expect(error).toMatchObject({ kind: "ConnectionLost", detail: { outcome: "unknown" } });
    expect(reportOf(error)).toMatchObject({ undone: "unknown", message: "The change was not confirmed." });
    expect(rig.done()).toEqual(["change", "confirm"]);
  });

  test.each([
    ["CommandError", undefined, "unknown", "unknown"],
    ["CommandError", "none", false, false],
    ["CommandError", "unknown", "unknown", "unknown"],
    ["ConnectionLost", undefined, "unknown", "unknown"],
    ["ConnectionLost", "none", false, false],
  ] as const)("reports a push that fails with %s (%s)", async (kind, outcome, pushed, undone) => {
    rig.device.faults.set("change", () => {
      throw new ServiceError(kind, "no", outcome === undefined ? {} : { outcome });
    });
    const error = await failure(rig.push({ after: [up] }));
    expect(error.kind).toBe(kind);
    expect(reportOf(error)).toMatchObject({ pushed, undone, after: [] });
    expect(rig.done()).toEqual(["change"]);
  });
});

describe("the checks of a push", () => {
  test("run each command once per phase; a refused command fails its check; secrets are masked", async () => {
    rig.device.shows.set("show bgp", "Established canary-pass");
    const checks = [up, { ...up, name: "again" }, { command: "refused x", not_contains: "y" }];
    const error = await failure(rig.push({ before: checks }));
    expect(rig.device.log.filter((line) => line === "query show bgp")).toHaveLength(1);
    expect(reportOf(error)).toMatchObject({
      before: [
        { ok: true, output: "Established [secret]" },
        { ok: true, name: "again" },
        { ok: false, value: null, message: "CommandError: The device refused it." },
      ],
    });
  });

  test("measure a relative value before the push too", async () => {
    let peers = 40;
    rig.device.faults.set("change", () => {
      peers = 37;
    });
    rig.answer = async (question) => (question.about === "value" ? JSON.stringify(peers) : undefined);
    const check = { command: "show bgp", expression: "$count($)", at_least: 0.95, relative: true };
    const error = await failure(rig.push({ after: [check] }));
    expect(reportOf(error)).toMatchObject({
      undone: true,
      before: [{ ok: null, value: 40, message: "Its value before the push." }],
      after: [
        { ok: false, value: 37, message: "The value is 37, less than 38 (0.95 of 40 before the push)." },
      ],
    });
    expect(rig.asked.filter(({ about }) => about === "value")).toEqual([
      { about: "value", phase: "after", at: 0, output: "" },
      { about: "value", phase: "after", at: 0, output: "" },
    ]);
  });

  test("prevent the push if a value cannot be measured before it", async () => {
    rig.answer = async (question) => {
      if (question.about === "value") throw new ServiceError("ParseError", "does not fit");
    };
    const error = await failure(
      rig.push({ after: [{ command: "show x", parse: { name: "ttp" }, unchanged: true }] }),
    );
    expect(error).toMatchObject({ kind: "CheckFailed", detail: { outcome: "none" } });
    expect(rig.done()).toEqual([]);
  });
});
