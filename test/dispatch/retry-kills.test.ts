/** `kill -9` while a bulk is retried: with the same Idempotency-Key it is retried once. */
import { spawn } from "node:child_process";
import process from "node:process";
import { expect, test } from "vitest";
import { pause } from "../../src/base/time/deadline.ts";
import { closeStore, makePlace, openStore, storeKinds, type TestPlace } from "../store/support.ts";

const kills = 3;

/** @param killAfterMs from when the retry is about to be sent; undefined: until it is answered. */
async function runVictim(place: TestPlace, killAfterMs: number | undefined): Promise<string | undefined> {
  const args = ["test/dispatch/retry-victim.ts", place.directory, place.url ?? ""];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ready = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<string>();
  let text = "";
  child.stdout.on("data", (chunk) => {
    text += String(chunk);
    if (text.includes("ready")) ready.resolve();
    const id = /answered (\S+)\n/.exec(text)?.[1];
    if (id !== undefined) answered.resolve(id);
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  await ready.promise;
  const id =
    killAfterMs === undefined ? await answered.promise : await pause(killAfterMs).then(() => undefined);
  child.kill("SIGKILL");
  await exited;
  return id;
}

test.each(storeKinds)(
  "a bulk retried with one Idempotency-Key across random kills is retried once, store: %s",
  async (kind) => {
    const place = await makePlace(kind);
    for (let kill = 0; kill < kills; kill++) await runVictim(place, Math.random() * 60);
    const id = await runVictim(place, undefined);
    const store = await openStore(place);
    const { rows } = await store.raw("select id from bulks where retry_of is not null");
    expect(rows.map(([bulk]) => bulk)).toEqual([id]);
    const jobs = await store.jobs.page({ bulkId: id }, 1_000);
    expect(jobs).toHaveLength(60);
    expect(new Set(jobs.map(({ retryOf }) => retryOf)).size).toBe(60);
    await closeStore(store);
    await place.remove();
  },
);
