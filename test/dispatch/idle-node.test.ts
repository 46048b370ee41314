/** Statements of an idle node on a shared store, counted by purpose. */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { WrapConnection } from "../../src/store/libsql/database/open.ts";
import { makePlace, type TestPlace } from "../store/support.ts";
import { type Node, startNode } from "../support/node.ts";
import { query } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";

let place: TestPlace;
let folder: ReturnType<typeof temporary>;
let node: Node;
let counts: Map<string, number>;
let transactions: string[][];
beforeEach(async () => {
  place = await makePlace("sqld");
  folder = temporary();
  counts = new Map();
  transactions = [];
  node = await startNode({
    directory: folder.path,
    store: { url: place.url, wrap: counting },
    scheduler: { times: { leaseMs: 30_000, renewMs: 400, validMs: 25_000 } },
  });
});
afterEach(async () => {
  await node.stop();
  await place.remove();
  folder.remove();
});

const kinds: readonly [RegExp, string][] = [
  [/^update nodes set lease_t/, "lease"],
  [/^select .* - :grace_ms/s, "upkeep"],
  [/^select .* and seq > :seq/s, "news"],
  [/into workers/, "workers"],
  // Sent only if one of these found something.
  [/^select .* from jobs indexed by jobs_stop/s, "stop requests"],
  [/^select .* from workers where/s, "stop requests of workers"],
  [/group by (lane|caller)/, "what waits"],
  [/indexed by jobs_expiry/, "expired jobs"],
  [/from jobs j indexed by jobs_running/, "orphans and own claims"],
  [/^update nodes set state = 'dead'/, "dead nodes"],
  [/^delete from queues/, "queues of dead nodes"],
  // The clean-up of old jobs, which may be due, asks for bulks within its statements.
  [/^select [^()]* from bulks/, "bulks that hold back"],
  [/^update deliveries/, "webhooks that are due"],
];
const looks = ["lease", "upkeep", "news", "workers"];

const counting: WrapConnection = (link) => {
  const count = (sql: string) => {
    const kind = kinds.find(([pattern]) => pattern.test(sql))?.[1] ?? sql;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  };
  return {
    ...link,
    batch(statements) {
      transactions.push(statements.map(({ sql }) => sql));
      for (const { sql } of statements) count(sql);
      return link.batch(statements);
    },
    read(statement) {
      count(statement.sql);
      return link.read(statement);
    },
  };
};
const countOf = (kind: string) => counts.get(kind) ?? 0;

test("an idle node only renews its lease, reports its workers and polls", async () => {
  await expect.poll(() => countOf("upkeep"), { timeout: 60_000 }).toBeGreaterThan(1);
  counts.clear();
  await expect.poll(() => countOf("upkeep"), { timeout: 60_000 }).toBeGreaterThan(4);
  const named = kinds.map(([, kind]) => kind).filter((kind) => !looks.includes(kind));
  expect(named.filter((kind) => countOf(kind) > 0)).toEqual([]);
  expect(Math.abs(countOf("workers") - countOf("upkeep"))).toBeLessThanOrEqual(1);
});

test("a job on a shared store takes three transactions: submission with claim, intent, end", async () => {
  await node.ended(await node.submit(query("r1", "show clock")));
  const steps = {
    submitted: /insert into jobs/,
    claimed: /set status = 'running'/,
    sent: /with intent/,
    ended: /with ending/,
  };
  const ofJobs = transactions
    .map((sqls) =>
      Object.entries(steps).flatMap(([step, at]) => (sqls.some((sql) => at.test(sql)) ? [step] : [])),
    )
    .filter((found) => found.length > 0);
  // A late response causes a retry, so a step may occur twice.
  expect(new Set(ofJobs.map(String))).toEqual(new Set(["submitted,claimed", "sent", "ended"]));
});
