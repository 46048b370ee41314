/** Notifications to systemd on a real socket: ready, watchdog only while the service responds, reload and stop. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createNotifier } from "../../src/runtime/notify.ts";
import { superviseBy } from "../../src/service/supervisor.ts";
import { startService, tempFolder } from "../../src/testkit/service.ts";
import { type Datagrams, listenForDatagrams } from "../support/datagrams.ts";

let folder: string;
let heard: Datagrams;
const all: string[] = [];
beforeEach(() => {
  folder = tempFolder();
  all.length = 0;
  heard = listenForDatagrams(join(folder, "notify"));
});
afterEach(() => {
  heard.close();
  rmSync(folder, { recursive: true, force: true });
});

/** All lines so far. */
function lines(): string[] {
  all.push(...heard.take());
  return all.flatMap((text) => text.split("\n"));
}

test("the service notifies systemd of ready, watchdog, reload and stop", async () => {
  const env = { NOTIFY_SOCKET: join(folder, "notify"), WATCHDOG_USEC: "300000" };
  const service = await startService({ dataDir: join(folder, "data"), env });
  await expect.poll(lines).toContain("READY=1");
  await expect.poll(() => lines().filter((line) => line === "WATCHDOG=1").length).toBeGreaterThan(2);
  service.child.kill("SIGHUP");
  await expect.poll(lines).toContain("RELOADING=1");
  await expect.poll(() => lines().filter((line) => line === "READY=1").length).toBe(2);
  expect(await service.stop()).toBe(0);
  expect(lines()).toContain("STOPPING=1");
}, 120_000);

test("the watchdog is notified only while the service responds, and ready only when it accepts work", async () => {
  const state = { answers: false, ready: false, over: false, asked: 0 };
  const notifier = createNotifier(join(folder, "notify"));
  const supervisor = superviseBy(notifier, 5, {
    answers: async () => {
      state.asked++;
      // At the end of the test it stops polling.
      if (state.over) await new Promise(() => undefined);
      return state.answers;
    },
    ready: () => state.ready,
  });
  const started = supervisor.started();
  await expect.poll(() => state.asked).toBeGreaterThan(5);
  expect(lines()).toEqual([]);
  state.answers = true;
  await expect.poll(lines).toContain("WATCHDOG=1");
  expect(lines()).not.toContain("READY=1");
  state.ready = true;
  await started;
  expect(lines()).toContain("READY=1");
  state.over = true;
  notifier?.close();
});

test("an abstract socket name is accepted, a long or relative path is not", () => {
  expect(createNotifier("@patchbay-test")?.send("READY=1")).toBe(false);
  expect(createNotifier(`/${"a".repeat(200)}`)).toBeUndefined();
  expect(createNotifier("notify")).toBeUndefined();
});
