/** Junos CLI commands over NETCONF: the driver implements the filters after `|`. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SystemSession } from "../../../../plugins/drivers/napalm/system.ts";
import junos from "../../../../plugins/drivers/napalm/systems/junos/system.ts";
import { failure } from "../../../device/ssh/support.ts";
import { taskContext } from "../../../plugin/context.ts";
import { openOn } from "../open-netconf.ts";
import { type JunosRouter, startJunosRouter } from "./router.ts";

const ctx = taskContext({}, 120_000);
let router: JunosRouter;
let session: SystemSession;
beforeAll(async () => {
  router = await startJunosRouter([]);
  session = await openOn(junos, router, ctx);
});
afterAll(async () => {
  await session.close();
  await router.close();
});

const lines = ["ge-0/0/0 up", "ge-0/0/1 down", "GE-0/0/2 up"];

test.each([
  ["show interfaces terse", lines.join("\n")],
  ["show interfaces terse | no-more", lines.join("\n")],
  ["show interfaces terse | match ge-", lines.join("\n")],
  ['show interfaces terse | match "0/1|0/2"', lines.slice(1).join("\n")],
  ["show interfaces terse | match [a-g]e.*UP$", [lines[0], lines[2]].join("\n")],
  ["show interfaces terse | except down | match ge-0", [lines[0], lines[2]].join("\n")],
  ["show interfaces terse | match up | count", "Count: 2 lines"],
  ["show interfaces terse | match nothing | count", "Count: 0 lines"],
  ["show interfaces terse | last 1", "GE-0/0/2 up"],
  ["show interfaces terse | trim 9", "up\ndown\nup"],
  ["show interfaces terse | find 0/1", lines.slice(1).join("\n")],
  ["show interfaces terse | find nothing", "\nPattern not found"],
])("the driver applies the filters of %s", async (command, output) => {
  expect(await session.cli(command, ctx)).toBe(output);
});

test("a filter that the device supports over NETCONF is sent with the command", async () => {
  router.heard.length = 0;
  await session.cli("show configuration | display set | match x", ctx);
  expect(router.heard.at(-1)).toContain('<command format="text">show configuration | display set</command>');
});

test.each([
  ["show x | save /tmp/x", /"\| save" is not supported/],
  ["show x | last all", /needs a number/],
  ["show x | match (", /no(?:t a)? regular expression/],
])("%s is rejected before it is sent", async (command, message) => {
  const sentBefore = router.heard.length;
  expect((await failure(session.cli(command, ctx))).message).toMatch(message);
  expect(router.heard).toHaveLength(sentBefore);
});

test("a login succeeds for a user who may not query the version", async () => {
  expect(await session.describe(ctx)).toEqual({ prompt: "admin>", netconf: "1.0" });
});

test("a command can return JSON", async () => {
  expect(await session.cliJson?.("show version", ctx)).toEqual({ command: "done" });
});
