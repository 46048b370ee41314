/** Submissions are written in order of arrival, however long one takes to be sealed. */
import { expect, test, vi } from "vitest";
import { temporary } from "../../support/temporary.ts";
import { closeStore, newJob, openStore } from "../support.ts";

test("a job with Idempotency-Key that is slow to seal is not overtaken by the next one", async () => {
  const folder = temporary();
  const store = await openStore({ directory: folder.path });
  const [first, second] = [newJob(store, { host: "r1" }), newJob(store, { host: "r1" })];
  const once = (key: string) => ({ caller: "k1", key, body: "b", token: key, answer: "{}" });
  // The machine is busy while the first one is sealed.
  let isBusy = true;
  let now = performance.now();
  const clock = vi.spyOn(performance, "now").mockImplementation(() => {
    if (isBusy) now += 20;
    return now;
  });
  try {
    const inserting = store.jobs.insert([first], { once: once("a") });
    isBusy = false;
    const other = store.jobs.insert([second], { once: once("b") });
    clock.mockRestore();
    await Promise.all([inserting, other]);
  } finally {
    clock.mockRestore();
  }
  const [newest, oldest] = await store.jobs.page({}, 2);
  expect([oldest?.id, newest?.id]).toEqual([first.id, second.id]);
  await closeStore(store);
  folder.remove();
});
