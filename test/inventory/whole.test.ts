/** An upsert is atomic and applied once: killed midway, on a store that fails or loses its responses. */
import { type ChildProcess, spawn } from "node:child_process";
import process from "node:process";
import { expect, test } from "vitest";
import { pause } from "../../src/base/time/deadline.ts";
import { yieldToEventLoop } from "../../src/base/time/yield.ts";
import { faulty } from "../store/libsql/faulty.ts";
import { closeStore, makePlace, openStore, storeKinds, type TestPlace } from "../store/support.ts";
import { inventoryOn } from "./make.ts";
import { openAt, openInventory } from "./support.ts";

const count = 400;

/** @returns the marker of the last acknowledged upsert. */
async function killedLife({ directory, url = "" }: TestPlace, afterMs: number): Promise<string> {
  const args = ["test/inventory/victim.ts", directory, url, String(count)];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  const once = Promise.withResolvers<void>();
  child.stdout?.on("data", (chunk) => {
    output += String(chunk);
    if (output.includes("\n")) once.resolve();
  });
  const exited = new Promise<void>((resolve) => void child.once("close", () => resolve()));
  await Promise.race([once.promise, exited]);
  await pause(afterMs);
  child.kill("SIGKILL");
  await exited;
  const lines = output.split("\n").slice(0, -1);
  return lines.at(-1)?.replace("done ", "") ?? "nothing";
}

test.each(storeKinds)(
  "an upsert killed at any moment is applied completely or not at all, store: %s",
  async (kind) => {
    const place = await makePlace(kind);
    for (let life = 0; life < 3; life++) {
      const [pid, round] = (await killedLife(place, Math.random() * 150)).split("-");
      const store = await openStore(place, { ownsDirectory: false });
      const inventory = inventoryOn(store);
      const snapshot = await inventory.snapshot();
      const marks = new Set([...snapshot.all(), ...snapshot.groups()].map(({ site }) => site));
      // The last acknowledged one, or the next.
      const expected = [`${pid}-${round}`, `${pid}-${Number(round) + 1}`];
      expect(snapshot.size).toBe(count);
      expect(marks.size).toBe(1);
      expect(expected).toContain([...marks][0]);
      await closeStore(store);
    }
    await place.remove();
  },
);

test("an upsert on a failing store is applied once and completely", async () => {
  const first = await openInventory();
  await first.close();
  const faults = faulty(7, 0.05);
  const { apply, store, inventory } = await openAt(first.place, { store: { wrap: faults.wrap } });
  const isFaulty = () => Object.values(faults.made).some((count) => count > 0);
  for (; !isFaulty(); await yieldToEventLoop()) await store.inventory.revision();
  const revisions: number[] = [];
  for (let round = 0; round < 30; round++) {
    const site = `round-${round}`;
    const devices = Array.from({ length: 20 }, (_, at) => ({ name: `d${at}`, site }));
    const { changed, added, revision } = await apply({ devices, groups: [{ name: "g", site }] });
    expect(changed + added).toBe(21);
    revisions.push(revision);
    const snapshot = await inventory.snapshot();
    expect(new Set([...snapshot.all(), ...snapshot.groups()].map((one) => one.site))).toEqual(
      new Set([site]),
    );
  }
  faults.heal();
  expect(revisions).toEqual(Array.from({ length: 30 }, (_, at) => at + 1));
  const imports = (await store.audit.page({}, 1_000)).filter(({ action }) => action === "inventory.import");
  expect(imports).toHaveLength(30);
  expect(faults.made.applied).toBeGreaterThan(0);
});

test("an upsert applied with a lost response is recognised, even after another node's change", async () => {
  const first = await openInventory();
  let lose = true;
  const second = await openAt(first.place, {
    store: {
      ownsDirectory: false,
      wrap: (connection) => ({
        ...connection,
        async batch(statements) {
          const rows = await connection.batch(statements);
          const isWrite = statements.some(({ sql }) => sql.includes("inventory_writes"));
          if (!isWrite || !lose) return rows;
          lose = false;
          await first.apply({ devices: [{ name: "other" }] });
          throw new DOMException("The operation timed out.", "TimeoutError");
        },
      }),
    },
  });
  expect(await second.apply({ devices: [{ name: "mine" }] })).toMatchObject({ added: 1, revision: 1 });
  expect(lose).toBe(false);
  expect((await first.inventory.snapshot()).all().map(({ name }) => name)).toEqual(["mine", "other"]);
});
