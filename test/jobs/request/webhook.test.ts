/** A webhook: what is refused, what is stored until the job has ended, and what it never receives. */
import { describe, expect, test } from "vitest";
import type { Log } from "../../../src/base/log.ts";
import { checkWebhook, withWork } from "../../../src/jobs/request/webhook.ts";
import { readWebhookContent } from "../../../src/jobs/request/webhook-content.ts";
import { fakePool } from "../../support/fake-pool.ts";
import { startNode } from "../../support/node.ts";
import { plainRegistry } from "../../support/plugins.ts";
import { admin, query } from "../../support/requests.ts";
import { temporary } from "../../support/temporary.ts";
import { base, expectIssue, type IssueRow, useNode } from "../support.ts";

const node = useNode();

describe("a request with an invalid webhook", () => {
  const rows: IssueRow[] = [
    [
      "an invalid URL",
      { ...base, command: "x", options: { webhook: { url: "canary" } } },
      "options.webhook.url",
      /URL/i,
    ],
    [
      "an unknown webhook",
      { ...base, command: "x", options: { webhook: { name: "other", url: "http://x" } } },
      "options.webhook.name",
      /no webhook/,
    ],
  ];
  test.each(rows)("is rejected with the field at fault: %s", async (_, request, path, message) => {
    await expectIssue(node(), request, path, message);
  });
});

describe("the stored webhook of a job", () => {
  const url = "https://hooks.example/a?b=1";
  const checked = async (more: object = {}) =>
    (await checkWebhook(plainRegistry(), { name: "basic", url, ...more })).webhook;

  test("has the delivery plan with defaults, and its receiver", async () => {
    expect(await checked()).toMatchObject({
      receiver: "https://hooks.example",
      content: {
        webhook: "basic",
        options: { url },
        plan: { retries: 3, intervals: [10, 30, 120], timeout: 5, includeResult: true },
      },
    });
    const own = { max_retries: 1, retry_intervals: [2], timeout: 9, include_result: false };
    expect((await checked(own))?.content.plan).toEqual({
      retries: 1,
      intervals: [2],
      timeout: 9,
      includeResult: false,
    });
    // An empty list of intervals means no waiting, not no retries.
    expect((await checked({ retry_intervals: [] }))?.content.plan.intervals).toEqual([10, 30, 120]);
  });

  test("is read back as it was stored, and by a later version with the default of what is new", () => {
    const plan = { retries: 3, intervals: [10], timeout: 5, includeResult: true };
    const stored = { webhook: "basic", options: { url }, plan, command: ["show a"] };
    expect(readWebhookContent(JSON.stringify(stored))).toEqual(stored);
    const { includeResult: _new, ...older } = plan;
    expect(readWebhookContent(JSON.stringify({ ...stored, plan: older })).plan).toEqual(plan);
    const damaged = { ...stored, plan: { ...plan, intervals: "x" } };
    expect(() => readWebhookContent(JSON.stringify(damaged))).toThrow();
  });

  test("has the requested events, and the default webhook if none is named", async () => {
    const { issues, webhook } = await checkWebhook(plainRegistry(), { url, events: ["job.failed"] });
    expect([issues, webhook?.content.webhook, webhook?.events]).toEqual([[], "basic", ["job.failed"]]);
    expect(await checkWebhook(plainRegistry(), undefined)).toEqual({ issues: [] });
  });

  test("has the command or config under its field name", async () => {
    const webhook = await checked();
    expect(withWork(webhook, "query", "show a")?.content).toMatchObject({ command: "show a" });
    expect(withWork(webhook, "config", ["line"])?.content).toMatchObject({ config: ["line"] });
    expect(withWork(undefined, "query", "show a")).toBeUndefined();
  });
});

test("a hidden reply appears in no webhook, record, log or audit entry", async () => {
  const folder = temporary();
  const lines: unknown[] = [];
  const write = (event: string, fields?: object) => void lines.push(event, fields);
  const log: Log = { debug: write, info: write, warn: write, error: write };
  const delivered = Promise.withResolvers<string>();
  const sent: unknown[] = [];
  const pool = fakePool();
  const run = pool.run.bind(pool);
  pool.run = (task, options) => {
    if (task.kind === "deliver") delivered.resolve(task.payload);
    if (task.kind === "query") sent.push(task.commands);
    return run(task, options);
  };
  const logged = await startNode({ directory: folder.path, pool, log });
  try {
    const command = [
      { send: "enable", expect: "word:", reply: "canary-reply", hidden: true },
      { send: "canary-line", hidden: true },
      { send: "copy a b", expect: "sure", reply: "shown-reply" },
    ];
    const { command: _command, ...rest } = query("r1", "x") as { command: string };
    const id = await logged.submit({ ...rest, command, webhook: { url: "http://hooks.example/x" } });
    const record = await logged.ended(id);
    const payload = await delivered.promise;
    expect(JSON.stringify(sent)).toContain("canary-reply");
    expect(JSON.parse(payload).command).toEqual([
      { send: "enable", expect: "word:", reply: "[secret]", hidden: true },
      { send: "[secret]", hidden: true },
      { send: "copy a b", expect: "sure", reply: "shown-reply" },
    ]);
    const trail = await logged.admin.audit({ limit: 100 }, admin);
    const shown = JSON.stringify([record, trail, lines, payload.replace(/"result":.*/, "")]);
    expect(shown).not.toContain("canary-reply");
  } finally {
    await logged.stop();
    folder.remove();
  }
});
