/** Contract of `detached`: sealed tasks are found until deleted, and their number is bounded. */
import { expect, test } from "vitest";
import type { NewDetachedTask } from "../../../src/store/port.ts";
import { type MakeStorePlace, useStore } from "./fixture.ts";

const roomy = { inAll: 10, perKey: 10 };

export function detachedTask(id: string, more: Partial<NewDetachedTask> = {}): NewDetachedTask {
  return {
    id,
    host: "R1",
    hostKey: "r1",
    driver: "paramiko",
    caller: "k1",
    payload: "{}",
    asked: "{}",
    dueInMs: 60_000,
    ...more,
  };
}

const seen = { exitStatus: null, startedAt: 1_000, endedAt: null, dueInMs: 60_000 };

export function detachedContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("a detached task is stored once, updated, and deleted with its secrets", async () => {
    const { detached } = fixture.store;
    const task = detachedTask("d1", { payload: '{"password":"canary"}' });
    expect(await detached.begin(task, roomy)).toBe(true);
    expect(await detached.begin({ ...task, payload: "other" }, roomy)).toBe(true);
    expect(await detached.find("d1")).toMatchObject({
      state: "starting",
      payload: task.payload,
      seenAt: null,
    });
    await detached.note("d1", { ...seen, state: "running" });
    expect(await detached.find("d1")).toMatchObject({ state: "running", startedAt: 1_000, endedAt: null });
    await detached.note("d1", { ...seen, state: "ended", exitStatus: 3, endedAt: 2_000 });
    // A slower poll.
    await detached.note("d1", { ...seen, state: "running" });
    expect(await detached.find("d1")).toMatchObject({ state: "ended", exitStatus: 3, endedAt: 2_000 });
    await detached.forget("d1");
    expect(await detached.find("d1")).toBeUndefined();
  });

  test("detached tasks are limited in total and per key", async () => {
    const { detached } = fixture.store;
    const limits = { inAll: 3, perKey: 2 };
    const begun: boolean[] = [];
    for (const [id, caller] of [
      ["a", "k1"],
      ["b", "k1"],
      ["c", "k1"],
      ["d", "k2"],
      ["e", "k3"],
      ["a", "k1"],
    ] as const)
      begun.push(await detached.begin(detachedTask(id, { caller }), limits));
    expect(begun).toEqual([true, true, false, true, false, true]);
  });

  test("detached tasks are listed by host and state, newest first, without their payload", async () => {
    const { detached } = fixture.store;
    for (const id of ["1", "2", "3"]) await detached.begin(detachedTask(id), roomy);
    await detached.begin(detachedTask("4", { host: "R2", hostKey: "r2" }), roomy);
    await detached.note("2", { ...seen, state: "running" });
    const ids = async (...page: Parameters<typeof detached.page>) =>
      (await detached.page(...page)).map((task) => task.id);
    expect(await ids({}, 2)).toEqual(["4", "3"]);
    expect(await ids({ beforeId: "3" }, 9)).toEqual(["2", "1"]);
    expect(await ids({ hostKey: "r1", state: "running" }, 9)).toEqual(["2"]);
    expect((await detached.page({}, 1))[0]?.payload).toBeNull();
  });

  test("a due detached task is taken once", async () => {
    const { detached } = fixture.store;
    await detached.begin(detachedTask("1", { dueInMs: -1 }), roomy);
    await detached.begin(detachedTask("2"), roomy);
    expect(await detached.takeDue(60_000, 10)).toMatchObject([{ id: "1", payload: "{}" }]);
    expect(await detached.takeDue(60_000, 10)).toEqual([]);
  });
}
