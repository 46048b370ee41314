/** P83: interruptions of a push with checks: a cancel, a lost session, an unavailable store, in each phase. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ErrorKind, ServiceError } from "../../src/base/errors.ts";
import { createRig, failure, up } from "./check-rig.ts";

let rig: ReturnType<typeof createRig>;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.deadline.dispose());

describe("what ends the job", () => {
  const cancelled = new ServiceError("Cancelled", "by hand");

  test("a cancel in the checks before: nothing was pushed", async () => {
    rig.device.faults.set("query show bgp", () => rig.deadline.abort(cancelled));
    const error = await failure(rig.push({ before: [up] }));
    expect(error.detail).toMatchObject({ outcome: "none", checks: { pushed: false } });
    expect(rig.done()).toEqual([]);
  });

  test("a cancel between the intent and the push: nothing was pushed", async () => {
    rig.answer = async () => rig.deadline.abort(cancelled);
    const error = await failure(rig.push({ after: [up] }));
    expect(error.detail).toMatchObject({ outcome: "none", checks: { pushed: false } });
    expect(rig.done()).toEqual([]);
  });

  test.each([
    ["while it settles", "after", true],
    ["while its driver is confirming", "confirm", false],
  ] as const)("a cancel %s", async (_, phase, undone) => {
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
    "%s in a check after the push takes it back, and stays what it is",
    async (kind) => {
      rig.device.faults.set("query show bgp", () => {
        throw new ServiceError(kind, "gone");
      });
      const error = await failure(rig.push({ after: [up] }));
      expect(error).toMatchObject({ kind, detail: { outcome: "none", checks: { undone: true } } });
      expect(rig.done()).toEqual(["change", "undo"]);
    },
  );

  test("where the lines stay, a lost line says that their effect is not known", async () => {
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

  test("notes that cannot be written down hold nothing up", async () => {
    rig.device.shows.set("show bgp", "Established");
    rig.answer = async (question) => {
      if (question.about === "checks" && question.note.phase !== "push")
        throw new ServiceError("Unavailable", "no store");
    };
    expect((await rig.push({ after: [up] })).checks).toMatchObject({ pushed: true });
  });

  test("a change that is none is told as that", async () => {
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
