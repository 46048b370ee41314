/** A store with injected faults: nothing acknowledged is lost, and nothing runs twice that must not. */
import { afterAll, expect, test } from "vitest";
import { isFinal } from "../../src/api/jobs/job.ts";
import { pause } from "../../src/base/time/deadline.ts";
import type { LeaseTimes } from "../../src/dispatch/port.ts";
import { faulty } from "../store/libsql/faulty.ts";
import { makePlace, type StoreKind } from "../store/support.ts";
import { startNode } from "../support/node.ts";
import { admin, bodyOf, configure, query } from "../support/requests.ts";
import { sampled } from "../support/sampled.ts";

const times: LeaseTimes = { leaseMs: 6_000, renewMs: 400, validMs: 5_000 };
const seeds = Array.from({ length: 20 }, (_, at) => at + 1);
const all: [StoreKind, number][] = seeds.map((seed) => [seed % 2 === 0 ? "sqld" : "file", seed]);
const rows = sampled(all, 8, ([kind]) => kind);
/** Three times the promised rate: there are few calls, because many jobs share one. */
const share = 0.03;
let faultCount = 0;
afterAll(() => expect(faultCount).toBeGreaterThan(rows.length));

test.each(rows)(
  "a failing store loses no acknowledged job and runs no push twice (%s, seed %i)",
  async (kind, seed) => {
    const place = await makePlace(kind);
    const faults = faulty(seed, share);
    const node = await startNode({
      directory: place.directory,
      scheduler: { times },
      store: { wrap: faults.wrap, ...(place.url === undefined ? {} : { url: place.url }) },
    });
    const total = 80;
    const ids = await Promise.all(
      Array.from({ length: total }, async (_, at) => {
        await pause(at * 4);
        const request =
          at % 2 === 0 ? configure(`h${at % 9}`, [`marker ${at}`]) : query(`h${at % 9}`, `marker ${at}`);
        // As a client does: retries with the same key until it succeeds.
        for (;;) {
          const ticket = await node.jobs.submit(bodyOf(request), admin, `key-${at}`).catch(() => undefined);
          if (ticket) return ticket.id;
          await pause(20);
        }
      }),
    );
    expect(new Set(ids).size).toBe(total);
    const unfinished = async () =>
      (await node.store.raw("select count(*) from jobs where status in ('queued', 'running')")).rows[0]?.[0];
    for (let turn = 0; turn < 2_000 && (await unfinished().catch(() => 1)) !== 0; turn++) await pause(50);
    faults.heal();
    const jobs = await node.store.jobs.page({}, 1_000);
    expect(jobs).toHaveLength(total);
    for (const [at, id] of ids.entries()) {
      const job = jobs.find((entry) => entry.id === id);
      const seen = node.pool.log.filter((entry) => entry.command === `marker ${at}`).length;
      expect(job && isFinal(job.status), `job ${at} is ${job?.status}`).toBe(true);
      expect(seen, `marker ${at}`).toBeLessThanOrEqual(1);
      if (job?.status === "finished") expect(seen, `marker ${at}`).toBe(1);
      else expect(job?.result, `job ${at}`).toContain("WorkerLost");
    }
    faultCount += Object.values(faults.made).reduce((sum, count) => sum + count, 0);
    await node.stop();
    await place.remove();
  },
);
