/** A change on junos that is interrupted or cancelled at each of its steps. */
import { describe, expect, test } from "vitest";
import { ServiceError } from "../../../../src/base/errors.ts";
import { failure, scopeOf } from "../../../device/ssh/support.ts";
import { taskContext } from "../../../plugin/context.ts";
import { changed, diff, first, lab, merge, text } from "./support.ts";

const on = lab();

const steps = ["lock-configuration", "load-configuration", "get-configuration", "commit-configuration"];

describe("a junos change interrupted", () => {
  test.each(
    steps.flatMap((at) => [
      { at, what: "dropBefore" as const },
      { at, what: "dropAfter" as const },
    ]),
  )("by $what at $at leaves the device unchanged or committed", async (fault) => {
    const session = await on().open();
    on().router.fault = fault;
    const lost = await failure(session.configuration.change(text, merge, on().contextOf()));
    const isCommit = fault.at === "commit-configuration";
    expect(lost).toMatchObject({
      kind: "ConnectionLost",
      detail: { outcome: isCommit ? "unknown" : "none" },
    });
    await on().router.store.clean();
    expect(on().router.store.running()).toEqual(isCommit && fault.what === "dropAfter" ? changed : first);
    expect(await session.alive(on().contextOf())).toBe(false);
  });

  test("without a lock leaves the change in the candidate, with a warning", async () => {
    const session = await on().open({ lock_disable: true });
    on().router.fault = { at: "commit-configuration", what: "dropBefore" };
    await failure(session.configuration.change(text, merge, on().contextOf()));
    expect(on().warnings).toEqual([expect.stringContaining("may still contain the change")]);
    expect(on().router.store.candidate()).toEqual(changed);
  });

  test.each(["discard", "unlock-configuration"])("by dropBefore %s still reports the dry run", async (at) => {
    const session = await on().open();
    on().router.fault = { at, what: "dropBefore" };
    const dry = await session.configuration.change(text, { ...merge, dryRun: true }, on().contextOf());
    expect(dry).toEqual({ diff, committed: false });
    expect(on().warnings[0]).toContain("may be left on the device");
    await on().expectUntouched();
  });

  test.each(steps)("by a cancel during %s leaves the device unchanged or committed", async (at) => {
    const session = await on().open();
    const reached = Promise.withResolvers<void>();
    on().router.fault = { at, what: "silent", reached: reached.resolve };
    const scope = scopeOf();
    const task = taskContext({ signal: scope.signal, remaining: scope.remaining });
    const cancelled = failure(session.configuration.change(text, merge, task));
    await reached.promise;
    scope.abort(new ServiceError("Cancelled", "enough"));
    expect(await cancelled).toMatchObject({ kind: "Cancelled" });
    await session.close();
    await on().router.store.clean();
    expect(on().router.store.running()).toEqual(at === "commit-configuration" ? changed : first);
  });
});
