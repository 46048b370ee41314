/** `kill -9` at random moments of a paced bulk: one bulk, all its jobs end, never more at once than allowed. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import { isFinal } from "../../src/api/jobs/job.ts";
import { pause } from "../../src/base/time/deadline.ts";
import { closeStore, makePlace, openStore, storeKinds, type TestPlace } from "../store/support.ts";

const kills = 4;

interface Life {
  readonly child: ChildProcess;
  /** The bulk id in the response. */
  readonly answered: Promise<string>;
  readonly gone: Promise<unknown>;
}

function begin(place: TestPlace, devices: string): Life {
  const args = ["test/dispatch/pacing-victim.ts", place.directory, devices, place.url ?? ""];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const answered = Promise.withResolvers<string>();
  child.stdout?.once("data", (chunk) => answered.resolve(String(chunk).trim()));
  const exited = new Promise((resolve) => child.once("exit", resolve));
  return { child, answered: answered.promise, gone: exited };
}

/** Maximum number of jobs that one process had started and not ended. */
function maxAtOnce(devices: string): number {
  const lines = existsSync(devices) ? readFileSync(devices, "utf8").trim().split("\n") : [];
  const running = new Map<string, number>();
  let most = 0;
  for (const line of lines) {
    const [life = "", event] = line.split(" ");
    const now = (running.get(life) ?? 0) + (event === "begin" ? 1 : -1);
    running.set(life, now);
    most = Math.max(most, now);
  }
  return most;
}

async function allEnded(place: TestPlace): Promise<boolean> {
  const store = await openStore(place, { ownsDirectory: false });
  const jobs = await store.jobs.page({}, 1_000);
  await closeStore(store);
  return jobs.length > 0 && jobs.every(({ status }) => isFinal(status));
}

test.each(storeKinds)(
  "random kills during a paced bulk end all its jobs within its concurrency, store: %s",
  async (kind) => {
    const place = await makePlace(kind);
    const devices = join(place.directory, "devices.txt");
    const bulks = new Set<string>();
    for (let kill = 0; kill <= kills; kill++) {
      const { child, answered, gone } = begin(place, devices);
      bulks.add(await answered);
      if (kill < kills) await pause(Math.random() * 60);
      else await expect.poll(() => allEnded(place), { timeout: 150_000, interval: 100 }).toBe(true);
      child.kill("SIGKILL");
      await gone;
    }
    const store = await openStore(place);
    const jobs = await store.jobs.page({}, 1_000);
    expect(bulks.size).toBe(1);
    expect(jobs).toHaveLength(60);
    // A query with a lost worker is started again, so all of them succeed.
    expect(jobs.filter(({ status }) => status !== "finished")).toEqual([]);
    expect(maxAtOnce(devices)).toBeLessThanOrEqual(3);
    await closeStore(store);
    await place.remove();
  },
);
