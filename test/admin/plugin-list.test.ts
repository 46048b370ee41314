/** Settings of plugins: an admin key that is limited to hosts learns none, as of the settings of the node. */
import { expect, test } from "vitest";
import { createPluginList } from "../../src/admin/plugin-list.ts";
import { callerWith } from "../http/doubles/fixtures.ts";

const env = { name: "env", kind: "credential", settings: undefined };
const registry = {
  all: () => [env],
  originOf: () => "builtin",
  settings: () => ({ core_username: "root-of-core" }),
  refusals: () => [],
};

test("names and user names of credentials are told to keys only that may reach all hosts", async () => {
  const { listPlugins } = createPluginList({
    plugins: registry,
  } as unknown as Parameters<typeof createPluginList>[0]);
  const admin = callerWith("admin", null);
  expect(JSON.stringify(await listPlugins(admin))).toContain("root-of-core");
  expect(await listPlugins({ ...admin, hosts: ["10.1.0.0/16"] })).toMatchObject([
    { name: "env", settings: [] },
  ]);
});
