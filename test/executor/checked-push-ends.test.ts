/** P83: interruptions of a push with checks: a cancel, a lost session, an unavailable store, in each phase. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ErrorKind, ServiceError } from "../../src/base/errors.ts";
import { createRig, failure, up } from "./check-rig.ts";

let rig: ReturnType<typeof createRig>;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.deadline.dispose());

describe("a push with checks that is interrupted", () => {
  const cancelled = new ServiceError("Cancelled", "by hand");

  test("by a cancel during the checks before it changes nothing", async () => {
    rig.device.faults.set("query show bgp", () => rig.deadline.abort(cancelled));
    const error = await failure(rig.push({ before: [up] }));
    expect(error.detail).toMatchObject({ outcome: "none", checks: { pushed: false } });
    expect(rig.done()).toEqual([]);
  });

  test("by a cancel after the announcement changes nothing", async () => {
    rig.answer = async () => rig.deadline.abort(cancelled);
    const error = await failure(rig.push({ after: [up] }));
    expect(error.detail).toMatchObject({ outcome: "none", checks: { pushed: false } });
    expect(rig.done()).toEqual([]);
  });

  test.each([
    ["while waiting for the device to settle", "after", true],
    ["while the driver confirms", "confirm", false],
  ] as const)("by a cancel %s completes the decision made so far", async (_, phase, undone) => {
    rig.device.shows.set("show bgp", "Established");
    rig.answer = async (question) => {
      if (question.about === "checks" && question.note.phase === phase) rig.deadline.abort(cancelled);
    };
    const ended = rig.push({ after: [up], settleMs: undone ? 3_600_000 : 0 });
    if (!undone) {
      // The decision was made, so it is completed shortly after the cancel.
      expect((await ended).checks).toMatchObject({ undone: false });
      return expect(rig.done()).toEqual(["change", "confirm"]);
    }
    const error = await failure(ended);
    expect(error.detail).toMatchObject({ outcome: "none", checks: { pushed: true, undone: true } });
    expect(rig.done()).toEqual(["change", "undo"]);
  });

  test.each(["ConnectionLost", "WorkerLost", "ResourceExhausted", "DriverError"] as ErrorKind[])(
    "by %s in a check after the push is rolled back and fails with that error",
    async (kind) => {
      rig.device.faults.set("query show bgp", () => {
        throw new ServiceError(kind, "gone");
      });
      const error = await failure(rig.push({ after: [up] }));
      expect(error).toMatchObject({ kind, detail: { outcome: "none", checks: { undone: true } } });
      expect(rig.done()).toEqual(["change", "undo"]);
    },
  );

  test('has outcome "unknown" if the lines stay on the device', async () => {
    rig.use(undefined);
    rig.device.faults.set("query show bgp", () => {
      throw new ServiceError("ConnectionLost", "gone");
    });
    const error = await failure(rig.push({ after: [up] }));
    expect(error).toMatchObject({
      kind: "ConnectionLost",
      detail: { outcome: "unknown", checks: { pushed: true, undone: false } },
    });
  });

  test("continues if its progress cannot be recorded", async () => {
    rig.device.shows.set("show bgp", "Established");
    rig.answer = async (question) => {
      if (question.about === "checks" && question.note.phase !== "push")
        throw new ServiceError("Unavailable", "no store");
    };
    expect((await rig.push({ after: [up] })).checks).toMatchObject({ pushed: true });
  });

  test("fails if the driver's change has no way to undo it", async () => {
    rig.device.faults.set("query show bgp", () => undefined);
    const { load } = rig.device.plugin;
    const open = (await load()).default;
    Object.assign(rig.device.plugin, {
      load: async () => ({
        default: async (...all: Parameters<typeof open>) => ({
          ...(await open(...all)),
          change: async () => ({ how: "rollback" }),
        }),
      }),
    });
    const error = await failure(rig.push({ after: [up] }));
    expect(error).toMatchObject({ kind: "DriverError", detail: { outcome: "unknown" } });
  });
});
