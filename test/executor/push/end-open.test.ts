/** Ending a push that another job has left open: only what it left is confirmed, and nothing is sent otherwise. */
import { expect, test } from "vitest";
import { endOpen } from "../../../src/executor/push/end-open.ts";
import type { FoundRunning, Session } from "../../../src/plugin/index.ts";
import { quietContext } from "../../../src/plugin/quiet-context.ts";
import type { ConfigureTask } from "../../../src/protocol/task.ts";
import { checksDouble } from "../checks-double.ts";

/** @param reads what runs, at each look */
function ending(word: "confirm" | "cancel" | "extend", reads: FoundRunning[], isAble = true) {
  const log: string[] = [];
  const session: Session = {
    async reopen(open) {
      log.push(`look ${open}`);
      return {
        running: reads.shift() ?? "other",
        confirm: async () => void log.push("confirm"),
        undo: async () => void log.push("undo"),
        ...(isAble ? { extend: async (seconds: number) => void log.push(`extend ${seconds}`) } : {}),
      };
    },
  };
  const ctx = quietContext({
    signal: new AbortController().signal,
    remaining: () => 60_000,
    announce: (lines) => void log.push(`announced ${lines.join()}`),
  });
  const task: ConfigureTask & { ends: NonNullable<ConfigureTask["ends"]>; markKey: string } = {
    ...{ kind: "configure", driver: "double", connection: {}, args: {}, reach: [], keep: false },
    ...{ lines: [word], markKey: "key" },
    ends: word === "extend" ? { word, open: "it", seconds: 900 } : { word, open: "it" },
  };
  const { plugin } = checksDouble("confirmed_commit");
  const done = endOpen({ session, plugin, task, args: {}, ctx }).then(
    ([output]) => output?.output,
    (error) => error,
  );
  return { done, log };
}

test("a push that still runs is confirmed, and read again", async () => {
  const { done, log } = ending("confirm", ["pushed", "pushed"]);
  expect(await done).toBe("confirmed");
  expect(log).toEqual(["look it", "announced confirm", "confirm", "look it"]);
});

test.each<[string, FoundRunning, string]>([
  ["has come back by itself", "before", "before"],
  ["was changed by somebody else", "other", "other"],
])("a push that %s gets no word", async (_title, running, found) => {
  const { done, log } = ending("confirm", [running]);
  expect(await done).toMatchObject({ kind: "CommandError", detail: { outcome: "none", found } });
  expect(log).toEqual(["look it"]);
});

test("a confirmation that the device took too late is told", async () => {
  const { done } = ending("confirm", ["pushed", "before"]);
  expect(await done).toMatchObject({ detail: { outcome: "unknown", found: "before" } });
});

test("a push is cancelled once, and not if it has come back or is no more ours", async () => {
  const running = ending("cancel", ["pushed"]);
  expect(await running.done).toBe("rolled back");
  expect(running.log).toEqual(["look it", "announced cancel", "undo"]);
  const back = ending("cancel", ["before"]);
  expect(await back.done).toContain("by itself");
  expect(back.log).toEqual(["look it"]);
  expect(await ending("cancel", ["other"]).done).toMatchObject({ detail: { found: "other" } });
});

test("a timer starts anew only of a push that still runs, and where the driver can", async () => {
  const running = ending("extend", ["pushed"]);
  expect(await running.done).toBe("extended");
  expect(running.log).toEqual(["look it", "announced extend", "extend 900"]);
  for (const found of ["before", "other"] as const) {
    const { done, log } = ending("extend", [found]);
    expect(await done).toMatchObject({ kind: "CommandError", detail: { outcome: "none", found } });
    expect(log).toEqual(["look it"]);
  }
  const unable = ending("extend", ["pushed"], false);
  expect(await unable.done).toMatchObject({ kind: "DriverError" });
  expect(unable.log).toEqual(["look it"]);
});
