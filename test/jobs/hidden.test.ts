/** A hidden reply is a password: it reaches the device, and nothing else. */
import { expect, test } from "vitest";
import type { Log } from "../../src/base/log.ts";
import { fakePool } from "../support/fake-pool.ts";
import { startNode } from "../support/node.ts";
import { admin, query } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";

test("a hidden reply stands in no webhook, record, log or audit entry", async () => {
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
  const node = await startNode({ directory: folder.path, pool, log });
  try {
    const command = [
      { send: "enable", expect: "word:", reply: "canary-reply", hidden: true },
      { send: "canary-line", hidden: true },
      { send: "copy a b", expect: "sure", reply: "shown-reply" },
    ];
    const { command: _command, ...rest } = query("r1", "x") as { command: string };
    const id = await node.submit({ ...rest, command, webhook: { url: "http://hooks.example/x" } });
    const record = await node.ended(id);
    const payload = await delivered.promise;
    expect(JSON.stringify(sent)).toContain("canary-reply");
    expect(JSON.parse(payload).command).toEqual([
      { send: "enable", expect: "word:", reply: "[secret]", hidden: true },
      { send: "[secret]", hidden: true },
      { send: "copy a b", expect: "sure", reply: "shown-reply" },
    ]);
    const trail = await node.jobs.audit({ limit: 100 }, admin);
    const told = JSON.stringify([record, trail, lines, payload.replace(/"result":.*/, "")]);
    expect(told).not.toContain("canary-reply");
  } finally {
    await node.stop();
    folder.remove();
  }
});
