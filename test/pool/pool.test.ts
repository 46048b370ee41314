/** The pool with real threads and real template processes, and plugins from a folder. */

import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ServiceError } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import { createDeadline } from "../../src/base/time/deadline.ts";
import { createPool } from "../../src/pool/pool.ts";
import type { Pool, TemplatePool } from "../../src/pool/port.ts";
import { createTemplatePool } from "../../src/pool/template-pool.ts";
import { templateProcessFlag, type WorkerSettings } from "../../src/protocol/message-port.ts";
import type { QueryTask, RenderTask } from "../../src/protocol/task.ts";
import { findPlugins } from "../../src/registry/discover.ts";
import { spawnChild } from "../../src/runtime/child.ts";
import { plainSettings } from "../executor/fixtures.ts";

const driver = `
// A loop on it never yields, but leaves the processor to others.
const never = new Int32Array(new SharedArrayBuffer(4));
const any = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
export default { api: 1, kind: "driver", name: "wild", connection: any, args: { query: any }, strategy: "pinned",
  target: ({ host }) => ({ host, port: 22 }),
  load: async () => ({ default: async () => ({
    async query(command) { if (command === "spin") for (;;) Atomics.wait(never, 0, 0, 20); if (command === "stubborn") await new Promise(() => {}); if (command === "slow") await new Promise((done) => setTimeout(done, 16_000)); if (command === "exit") process.exit(3); if (command === "throw") setTimeout(() => { throw new Error("late"); }, 1);
      return command; },
    reusable: async () => true }) }) };
`;
const engine = `
const any = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
export default { api: 1, kind: "template", name: "wild", does: "render", args: any,
  load: async () => ({ default: () => ({ compile: (source) => ({ run: (input) => {
    if (source === "spin") for (;;);
    if (source === "regex") return String(/.*.*.*.*=.*;/.test("x".repeat(40000)));
    if (source === "eat") { const all = []; for (;;) all.push(new Array(1e6).fill(Math.random())); }
    return source + input; } }) }) }) };
`;

describe("the worker pool", () => {
  let pool: Pool;
  let templates: TemplatePool;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "pool-"));
    for (const [name, text] of [
      ["driver", driver],
      ["engine", engine],
    ] as const) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, "plugin.js"), text);
    }
    const settings: Omit<WorkerSettings, "role"> = {
      ...plainSettings,
      maxSessions: 10,
      plugins: await findPlugins([folder]),
    };
    templates = createTemplatePool({
      spawn: () => spawnChild(resolve("src/main.ts"), [templateProcessFlag]),
      processes: 2,
      settings,
      log: silentLog,
      limitMs: 1_000,
      memoryBytes: 400 * 1024 * 1024,
    });
    pool = createPool({
      threadEntry: pathToFileURL(resolve("src/thread.ts")).href,
      threads: 2,
      outputBytes: 64 * 1024 * 1024,
      settings,
      templates,
      log: silentLog,
      answer: async () => [],
    });
  });
  afterAll(() => pool.close());

  const deadline = (ms = 50_000) => createDeadline(ms, () => new ServiceError("JobTimeout", "late"));
  const query = (command: string, host = "r1"): QueryTask => ({
    kind: "query",
    driver: "wild",
    connection: { host },
    args: {},
    reach: [],
    keep: true,
    commands: [command],
  });
  const render = (source: string): RenderTask => ({
    kind: "render",
    engine: "wild",
    source,
    trusted: false,
    args: {},
    contextJson: "{}",
  });

  test("keeps a host on the thread that has its session", async () => {
    expect((await pool.run(query("a"), { deadline: deadline(), host: "r1" })).reused).toBe(false);
    await Promise.all(
      ["r2", "r3", "r4"].map((host) => pool.run(query("a", host), { deadline: deadline(), host })),
    );
    expect((await pool.run(query("b"), { deadline: deadline(), host: "r1" })).reused).toBe(true);
    expect(new Set(pool.sessions().map((session) => session.thread)).size).toBe(2);
    expect(await pool.evict("r1")).toBe(1);
    expect(pool.sessions().map((session) => session.host)).not.toContain("r1");
  });

  test("ends a thread whose driver never yields, and runs the next job", async () => {
    await expect(
      pool.run(query("spin", "hang"), { deadline: deadline(300), host: "hang" }),
    ).rejects.toMatchObject({ kind: "JobTimeout" });
    expect((await pool.run(query("a", "hang"), { deadline: deadline(), host: "hang" })).outputs).toEqual([
      { command: "a", output: "a" },
    ]);
  });

  test("keeps a thread whose driver does not end when it is stopped, with the tasks of others on it", async () => {
    const both = { host: "shared" };
    const innocent = pool.run(query("slow", "shared"), { deadline: deadline(), ...both });
    await expect(
      pool.run(query("stubborn", "shared"), { deadline: deadline(300), ...both }),
    ).rejects.toMatchObject({ kind: "JobTimeout", detail: { warnings: [expect.stringContaining("wild")] } });
    expect((await innocent).outputs).toEqual([{ command: "slow", output: "slow" }]);
  });

  test("fails only the job whose driver would end its thread", async () => {
    await expect(
      pool.run(query("exit", "dead"), { deadline: deadline(), host: "dead" }),
    ).rejects.toMatchObject({ kind: "DriverError", message: expect.stringContaining("process.exit") });
    expect((await pool.run(query("a", "dead"), { deadline: deadline(), host: "dead" })).reused).toBe(false);
  });

  test("renders in a process that is reused", async () => {
    expect(await pool.run(render("x"), { deadline: deadline() })).toEqual({ text: "x{}" });
  });

  test.each(["spin", "regex"])("kills a template that hangs (%s) while others continue", async (source) => {
    // Awaited from the start, because it fails while the others are still being checked.
    const stuck = expect(
      pool.run(render(source), { deadline: deadline(), limitMs: 500 }),
    ).rejects.toMatchObject({
      kind: "TemplateTimeout",
    });
    const others = Promise.all([1, 2, 3].map((n) => pool.run(render(`n${n}`), { deadline: deadline() })));
    expect(await others).toEqual([{ text: "n1{}" }, { text: "n2{}" }, { text: "n3{}" }]);
    await stuck;
    expect(await pool.run(render("y"), { deadline: deadline() })).toEqual({ text: "y{}" });
  });

  test("kills a template that uses too much memory", async () => {
    await expect(pool.run(render("eat"), { deadline: deadline(), limitMs: 15_000 })).rejects.toMatchObject({
      kind: "TemplateLimit",
    });
  });
});
