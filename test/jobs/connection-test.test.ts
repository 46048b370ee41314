/** The connection test says in words what went wrong. */
import { expect, test } from "vitest";
import { ServiceError } from "../../src/base/errors.ts";
import type { Task } from "../../src/protocol/task.ts";
import { fakePool } from "../support/fake-pool.ts";
import { startNode } from "../support/node.ts";
import { admin, bodyOf } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";
import { base, useNode } from "./support.ts";

const node = useNode();

test("the connection test answers in words", async () => {
  const ok = await node().jobs.testConnection(bodyOf(base), admin, new AbortController().signal);
  expect(ok).toMatchObject({ success: true, error_message: null, device_info: { prompt: "R1#" } });
});

test("a failed connection test says in words why", async () => {
  const kinds = [
    ["ConnectionTimeout", "Connection to r1:22 timed out after 20 seconds"],
    ["AuthenticationFailed", "Authentication failed for u@r1"],
    ["ConnectionRefused", "Connection refused by r1:22"],
    ["HostKeyMismatch", "Host key of r1 does not match the known one"],
    ["HostUnreachable", "nothing there"],
  ] as const;
  for (const [kind, text] of kinds) {
    const small = temporary();
    const inner = fakePool();
    const run = (task: Task) =>
      task.kind === "probe"
        ? Promise.reject(new ServiceError(kind, "nothing there"))
        : Promise.reject(new Error("?"));
    const other = await startNode({ directory: small.path, pool: { ...inner, run } });
    const answer = await other.jobs.testConnection(bodyOf(base), admin, new AbortController().signal);
    expect(answer).toMatchObject({
      success: false,
      connection_time: null,
      device_info: null,
      error_message: text,
    });
    await other.stop();
    small.remove();
  }
});
