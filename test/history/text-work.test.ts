/** Comparisons in real processes: the same answers as at once, and hostile ones are killed alone. */
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ServiceError } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import { createDeadline, type Deadline } from "../../src/base/time/deadline.ts";
import { createTextWork, type TextWork } from "../../src/history/reading/text-work.ts";
import type { RunOptions, TemplatePool } from "../../src/pool/port.ts";
import { createTemplatePool } from "../../src/pool/template-pool.ts";
import { templateProcessFlag } from "../../src/protocol/message-port.ts";
import type { Task, TaskValues, TemplateTask } from "../../src/protocol/task.ts";
import { spawnChild } from "../../src/runtime/child.ts";
import { plainSettings } from "../executor/fixtures.ts";

let templates: TemplatePool;
let work: TextWork;
let tasks: Task["kind"][] = [];
let deadline: Deadline;

beforeAll(() => {
  templates = createTemplatePool({
    spawn: () => spawnChild(resolve("src/main.ts"), [templateProcessFlag]),
    processes: 2,
    settings: plainSettings,
    log: silentLog,
    limitMs: 60_000,
    memoryBytes: 1024 * 1024 * 1024,
  });
  work = createTextWork(pooled());
  deadline = createDeadline(120_000, () => new ServiceError("JobTimeout", "too late"));
});
afterAll(() => {
  deadline.dispose();
  templates.close();
});

/** The pool, with other limits. */
function pooled(limits: Partial<RunOptions> = {}) {
  return {
    run<T extends Task>(task: T, options: RunOptions): Promise<TaskValues[T["kind"]]> {
      tasks.push(task.kind);
      return templates.run(task as T & TemplateTask, { ...options, ...limits });
    },
  };
}

const lines = (count: number, of: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => `${of(at)}\n`).join("");
const rules = { unordered: [/^interface/], ignore: [/^! Last/] };
const small = { a: "interface A\ninterface B\n! Last 1\n", b: "interface B\ninterface A\nx\n", rules };
const grown = ({ a, b }: typeof small) => {
  const more = lines(20_000, (at) => `interface ${at}`);
  return { a: a + more, b: b + more, rules };
};

describe("comparisons", () => {
  test("of small texts are made at once, of large ones in a process, with the same result", async () => {
    const options = { deadline };
    for (const texts of [small, grown(small)]) {
      tasks = [];
      const unified = await work.unified({ ...texts, from: "a", to: "b", context: 0 }, options);
      expect(unified).toMatch(/^--- a\n\+\+\+ b\n@@/);
      expect(unified.split("\n")).toEqual(expect.arrayContaining(["+x"]));
      expect(await work.structured(texts, options)).toEqual({
        form: "structured",
        changes: [{ change: "added", text: "x", to: 3, children: [] }],
        isCut: false,
      });
      const { parts, isCut } = await work.side(texts, options);
      expect([parts.length, isCut]).toEqual([1, false]);
      const runs = await work.blame([texts.a, texts.b], options);
      expect(runs.some(({ version }) => version === 1)).toBe(true);
      expect(tasks).toEqual(texts === small ? [] : ["compare", "compare", "compare", "compare"]);
    }
  });

  test("of files of servers give their script, and nothing for texts of something else", async () => {
    const shown = (content: string) => `# file: /etc/a\n${content}\n# end of files\n`;
    const few = lines(5_000, (at) => `line ${at}`);
    for (const [content, kinds] of [
      ["one\n", []],
      [few, ["compare"]],
    ] as const) {
      tasks = [];
      const script = await work.files({ from: shown("old\n"), to: shown(content) }, { deadline });
      const last = content.split("\n").at(-2);
      expect(script?.lines.slice(-2)).toEqual([last, "END-OF-FILE"]);
      expect(tasks).toEqual(kinds);
    }
    expect(await work.files({ from: few, to: shown(few) }, { deadline })).toBeUndefined();
  });

  test("with more rows than anyone reads are cut", async () => {
    const texts = { a: lines(30_000, (at) => `a ${at}`), b: lines(30_000, (at) => `b ${at}`), rules };
    const side = await work.side(texts, { deadline });
    expect([side.parts.flat().length, side.isCut]).toEqual([20_000, true]);
    const structured = await work.structured(texts, { deadline });
    expect([structured.changes.length, structured.isCut]).toEqual([20_000, true]);
    expect((await work.unified({ ...texts, from: "a", to: "b" }, { deadline })).split("\n")).toHaveLength(
      60_004,
    );
  });

  test("that take too long are stopped, and those after them work", async () => {
    const strict = createTextWork(pooled({ limitMs: 1 }));
    const noise = (seed: number) => lines(600_000, (at) => `${Math.imul(at ^ seed, 0x9e3779b1) >>> 23}`);
    const texts = { a: noise(1), b: noise(77_777), rules: {} };
    await expect(strict.structured(texts, { deadline })).rejects.toMatchObject({
      kind: "TemplateTimeout",
      message: expect.stringContaining("The comparison was still running"),
    });
    expect(await work.unified({ ...grown(small), from: "a", to: "b" }, { deadline })).toContain("+x");
  });
});
