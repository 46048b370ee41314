/** Filters that no single index answers look through stored jobs in batches, and find what one statement would. */
import { expect, test } from "vitest";
import type { JobConditions } from "../../../src/store/port.ts";
import { temporary } from "../../support/temporary.ts";
import { closeStore, newJob, openStore } from "../support.ts";

const total = 9_000;
const rareHosts = ["rare0", "rare1", "rare2"];
const failure = JSON.stringify({
  type: "failed",
  retval: null,
  error: { type: "ReadTimeout", message: "none" },
});

/** One job in 1,000 is of another driver, label and host. */
async function storeWithMany(directory: string, reads: string[]) {
  const wrap = (link: Parameters<NonNullable<Parameters<typeof openStore>[1]>["wrap"] & object>[0]) => ({
    ...link,
    read: (statement: Parameters<typeof link.read>[0]) => {
      reads.push(statement.sql);
      return link.read(statement);
    },
  });
  const store = await openStore({ directory }, { wrap });
  const rare: number[] = [];
  for (let from = 0; from < total; from += 500)
    await store.jobs.insert(
      Array.from({ length: 500 }, (_, index) => {
        const at = from + index;
        const isRare = at % 1_000 === 7;
        if (isRare) rare.unshift(at + 1);
        const host = isRare ? (rareHosts[rare.length % 3] ?? "") : "common";
        const more = isRare ? { driver: "paramiko", label: "night" } : {};
        return newJob(store, { host, ...more, strategy: "fifo", failure, errorType: "ReadTimeout" });
      }),
    );
  return { store, rare };
}

test("every filter finds the same jobs in the same order as one statement, in small steps", async () => {
  const folder = temporary();
  const reads: string[] = [];
  const { store, rare } = await storeWithMany(folder.path, reads);
  const rareOnes: JobConditions[] = [
    { status: "failed", driver: "paramiko" },
    { errorType: "ReadTimeout", driver: "paramiko" },
    { errorType: "ReadTimeout", status: "failed", hostKeys: rareHosts },
    { status: ["failed", "queued"], driver: "paramiko" },
    { label: "night", driver: "paramiko" },
    { driver: "paramiko" },
  ];
  for (const conditions of rareOnes) {
    reads.length = 0;
    const page = await store.jobs.heads(conditions, 100);
    expect([conditions, page.map(({ seq }) => seq)]).toEqual([conditions, rare]);
    // Nine jobs of the label are one step; nine thousand of the status are not.
    if (conditions.label === undefined) expect(reads.length).toBeGreaterThan(2);
    const [first] = await store.jobs.heads(conditions, 1);
    expect(first?.seq).toBe(rare[0]);
    const next = await store.jobs.heads({ ...conditions, beforeSeq: rare[3] }, 2);
    expect(next.map(({ seq }) => seq)).toEqual(rare.slice(4, 6));
  }
  expect(await store.jobs.heads({ status: "failed", driver: "none" }, 10)).toEqual([]);
  expect(await store.jobs.heads({ hostKey: "common", driver: "paramiko" }, 10)).toEqual([]);
  await closeStore(store);
  folder.remove();
});
