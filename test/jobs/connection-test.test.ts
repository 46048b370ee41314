/** The connection test explains what failed. */
import { expect, test } from "vitest";
import { builtins } from "../../plugins/index.ts";
import { ServiceError } from "../../src/base/errors.ts";
import { neverAborted } from "../../src/base/time/deadline.ts";
import type { Task } from "../../src/protocol/task.ts";
import { createRegistry } from "../../src/registry/registry.ts";
import { fakePool } from "../support/fake-pool.ts";
import { startNode } from "../support/node.ts";
import { admin, bodyOf } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";
import { base, connection, useNode } from "./support.ts";

const node = useNode();

test("a successful connection test returns the prompt", async () => {
  const ok = await node().jobs.testConnection(bodyOf(base), admin, new AbortController().signal);
  expect(ok).toMatchObject({ success: true, error_message: null, device_info: { prompt: "R1#" } });
});

test("a failed connection test explains the reason in plain words", async () => {
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

test("a connection test reports the timeout that the driver uses, whichever field sets it", async () => {
  const late = async () => {
    throw new ServiceError("ConnectionTimeout", "nothing there");
  };
  const small = temporary();
  const plugins = createRegistry();
  for (const plugin of builtins) plugins.add(plugin, "builtin");
  const other = await startNode({ directory: small.path, pool: { ...fakePool(), run: late }, plugins });
  const keyId = await other.store.keys.add(
    { name: "a", key: "a".repeat(32), scope: "admin", hosts: [] },
    admin,
  );
  const caller = { ...admin, keyId: String(keyId) };
  const { password: _password, ...login } = connection;
  const rows: [more: object, seconds: number][] = [
    [{ ...connection, timeout: "45" }, 45],
    [{ ...connection, conn_timeout: 45 }, 45],
    [{ ...connection, timeout: 0 }, 20],
    // Its password is not resolved yet.
    [{ ...login, conn_timeout: 45, credential: { name: "file", ref: "lab" } }, 45],
  ];
  for (const [connection_args, seconds] of rows) {
    const body = bodyOf({ ...base, connection_args });
    const { error_message } = await other.jobs.testConnection(body, caller, neverAborted);
    expect(error_message).toBe(`Connection to r1:22 timed out after ${seconds} seconds`);
  }
  await other.stop();
  small.remove();
});
