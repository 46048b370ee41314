/** Killed at random moments and restarted: nothing acknowledged is lost, no configuration runs twice. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import { isFinal } from "../../src/api/jobs/job.ts";
import { pause } from "../../src/base/time/deadline.ts";
import { closeStore, makePlace, openStore, storeKinds, type TestPlace } from "../store/support.ts";
import { isExhaustive } from "../support/sampled.ts";

/** Each life of a node ends at a random moment. */
const [total, kills] = isExhaustive() ? [240, 8] : [90, 3];

/** Jobs acknowledged to the client, by number, over all restarts of the node. */
function createClient(place: TestPlace, devices: string) {
  const acknowledged = new Map<number, string>();
  let started = 0;

  async function life(killAfterMs: number | undefined): Promise<void> {
    const args = [
      "test/dispatch/victim.ts",
      place.directory,
      devices,
      "n1",
      place.url ?? "",
      String(started),
      String(total),
    ];
    const child: ChildProcess = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    let rest = "";
    const up = Promise.withResolvers<void>();
    child.stdout?.on("data", (chunk) => {
      const lines = (rest + String(chunk)).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const [word, at, id] = line.split(" ");
        if (word === "up") up.resolve();
        if (word === "ack" && id) acknowledged.set(Number(at), id);
      }
    });
    const exited = new Promise((resolve) => child.once("exit", resolve));
    await Promise.race([up.promise, exited]);
    if (killAfterMs === undefined) await allEnded();
    else await pause(killAfterMs);
    child.kill("SIGKILL");
    await exited;
    // Unacknowledged submissions are retried with their key, as by a client.
    while (acknowledged.has(started)) started++;
  }

  async function allEnded(): Promise<void> {
    for (let turn = 0; turn < 1_500; turn++) {
      await pause(100);
      if (acknowledged.size < total) continue;
      const store = await openStore(place, { ownsDirectory: false });
      const { rows } = await store.raw("select count(*) from jobs where status in ('queued', 'running')");
      await closeStore(store);
      if (rows[0]?.[0] === 0) return;
    }
  }

  return { acknowledged, life };
}

test.each(storeKinds)(
  "random kills of a node lose no acknowledged job and run no push twice, store: %s",
  async (kind) => {
    const place = await makePlace(kind);
    const devices = join(place.directory, "devices.txt");
    const { acknowledged, life } = createClient(place, devices);
    for (let kill = 0; kill < kills; kill++) await life(Math.random() * 150);
    await life(undefined);

    const store = await openStore(place);
    const jobs = await store.jobs.page({}, 10_000);
    const log = existsSync(devices) ? readFileSync(devices, "utf8").trim().split("\n") : [];
    const seen = (at: number) => log.filter((line) => line.endsWith(` marker ${at}`)).length;
    expect(acknowledged.size).toBe(total);
    expect(jobs).toHaveLength(total);
    for (const [at, id] of acknowledged) {
      const job = jobs.find((stored) => stored.id === id);
      expect(job && isFinal(job.status), `job ${at}`).toBe(true);
      const unknown = job?.result?.includes('"outcome":"unknown"') === true;
      expect(seen(at), `marker ${at}`).toBeLessThanOrEqual(1);
      if (job?.status === "finished") expect(seen(at), `marker ${at}`).toBe(1);
      if (job?.status === "failed")
        expect(unknown || job.attempt >= 3, `job ${at}: ${job.result}`).toBe(true);
    }
    // Each pinned host's jobs run in the order of submission, whatever was lost in between.
    for (let host = 0; host < 7; host++) {
      const markers = log
        .filter((line) => line.split(" ")[1] === `h${host}`)
        .map((line) => Number(line.split(" ").at(-1)))
        .filter((at) => jobs.find((job) => job.id === acknowledged.get(at))?.strategy === "pinned");
      const bySeq = [...markers].sort((a, b) => seqOf(a) - seqOf(b));
      expect(markers).toEqual(bySeq);
    }
    function seqOf(at: number): number {
      return jobs.find((job) => job.id === acknowledged.get(at))?.seq ?? 0;
    }
    await closeStore(store);
    await place.remove();
  },
  // Each life starts a process, on a busy machine in seconds.
  900_000,
);
