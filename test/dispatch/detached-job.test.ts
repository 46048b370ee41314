/** A job that starts a detached task: recorded before it begins, deleted if it never began, kept if unknown. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { defineDriver } from "../../src/plugin/index.ts";
import { createRegistry } from "../../src/registry/registry.ts";
import { type Node, startNode } from "../support/node.ts";
import { admin, query } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";

let folder: ReturnType<typeof temporary>;
let node: Node;

beforeEach(async () => {
  folder = temporary();
  const plugins = createRegistry();
  const any = {
    "~standard": { version: 1 as const, vendor: "test", validate: (value: unknown) => ({ value }) },
  };
  plugins.add(
    defineDriver({
      name: "netmiko",
      connection: any,
      query: any,
      strategy: "fifo",
      target: () => ({ host: "r1", port: 22 }),
      repeatable: () => false,
      detaches: () => ({ keeps: ["sudo"] }),
      open: async () => ({}),
    }),
    "builtin",
  );
  node = await startNode({ directory: folder.path, plugins });
});
afterEach(async () => {
  await node.stop();
  folder.remove();
});

const detachedQuery = (command: string) =>
  query("r1", command, {
    driver_args: { detach: true, sudo: true, environment: { A: "value-of-a-variable" } },
  });

test("a finished detached job leaves a task with what is needed to find the work again", async () => {
  const id = await node.submit(detachedQuery("make"));
  expect(await node.ended(id)).toMatchObject({ status: "finished" });
  const task = await node.store.detached.find(id);
  expect(task).toMatchObject({ id, state: "running", host: "r1", driver: "netmiko" });
  expect(JSON.parse(task?.payload ?? "{}")).toMatchObject({
    operation: "query",
    args: { sudo: true },
    reach: [],
  });
  expect(task?.payload).not.toContain("value-of-a-variable");
  expect((await node.detached.detachedTasks({}, admin, {})).tasks).toMatchObject([{ id, command: "make" }]);
});

test("the secrets of a detached job are sealed with its task, to mask output read later", async () => {
  const command = [{ send: "login", reply: "typed-unseen", hidden: true }];
  const driver_args = { detach: true, environment: { API_TOKEN: "value-of-a-token" } };
  const id = await node.submit(query("r1", "make", { command, driver_args }));
  await node.ended(id);
  const task = await node.store.detached.find(id);
  const { secrets, args } = JSON.parse(task?.payload ?? "{}");
  expect(secrets).toEqual(expect.arrayContaining(["value-of-a-token", "typed-unseen"]));
  expect(JSON.stringify(args)).not.toContain("value-of-a-token");
});

test("a detached job of unknown outcome leaves its task; one that never started leaves none", async () => {
  const lost = await node.submit(detachedQuery("lose"));
  expect((await node.ended(lost)).result?.error).toMatchObject({ outcome: "unknown" });
  expect(await node.store.detached.find(lost)).toMatchObject({ state: "starting" });
  const refused = await node.submit(detachedQuery("wrong password"));
  expect((await node.ended(refused)).result?.error).toMatchObject({ type: "AuthenticationFailed" });
  expect(await node.store.detached.find(refused)).toBeUndefined();
});
