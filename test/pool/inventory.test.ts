/** Parses inventories in real template processes, through the service's reader. */
import { resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { silentLog } from "../../src/base/log.ts";
import { createPool } from "../../src/pool/pool.ts";
import type { Pool } from "../../src/pool/port.ts";
import { createTemplatePool } from "../../src/pool/template-pool.ts";
import { templateProcessFlag } from "../../src/protocol/message-port.ts";
import { spawnChild } from "../../src/runtime/child.ts";
import { createTextReader } from "../../src/service/wiring/inventory.ts";
import { plainSettings } from "../executor/fixtures.ts";

let pool: Pool;
beforeAll(() => {
  const templates = createTemplatePool({
    spawn: () => spawnChild(resolve("src/main.ts"), [templateProcessFlag]),
    processes: 1,
    settings: plainSettings,
    log: silentLog,
    limitMs: 60_000,
    memoryBytes: 256 * 1024 * 1024,
  });
  pool = createPool({
    threadEntry: "",
    threads: 1,
    outputBytes: 64 * 1024 * 1024,
    settings: plainSettings,
    templates,
    log: silentLog,
    answer: async () => [],
  });
});
afterAll(() => pool.close());

const caller = { keyId: "k1" };
const { signal } = new AbortController();

test("an inventory document is parsed into entries, and errors keep their lines", async () => {
  const read = createTextReader(pool);
  const { devices, groups, warnings } = await read(
    { format: "oxidized", text: "r1:ios:bob:x\n" },
    caller,
    signal,
  );
  expect(devices.flatMap((list) => JSON.parse(list))).toEqual([
    { fields: { name: "r1", platform: "cisco_ios", connection: { username: "bob" } }, at: "line 1" },
  ]);
  expect(groups).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining("password was omitted")]);
  await expect(read({ format: "json", text: "[\n1]" }, caller, signal)).rejects.toMatchObject({
    kind: "Validation",
    detail: { issues: [{ path: "line 2" }] },
  });
});

test("a document that is too expensive ends its process without blocking the event loop", async () => {
  const limited = createTextReader({ run: (task, options) => pool.run(task, { ...options, limitMs: 400 }) });
  let turns = 0;
  let over = false;
  const turn = () => {
    turns++;
    if (!over) setTimeout(turn, 1);
  };
  turn();
  const hostile = `a: ${"a: ".repeat(300_000)}`;
  await expect(limited({ format: "yaml", text: hostile }, caller, signal)).rejects.toMatchObject({
    kind: "PayloadTooLarge",
  });
  over = true;
  expect(turns).toBeGreaterThan(2);
  const { devices } = await createTextReader(pool)({ format: "csv", text: "name\nr1\n" }, caller, signal);
  expect(devices).toHaveLength(1);
});

test("cancelling ends the parsing", async () => {
  const cancel = new AbortController();
  const reading = createTextReader(pool)(
    { format: "yaml", text: `a: ${"a: ".repeat(300_000)}` },
    caller,
    cancel.signal,
  );
  cancel.abort();
  await expect(reading).rejects.toMatchObject({ kind: "Cancelled" });
});
