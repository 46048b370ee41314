/** What a query may carry: nothing that changes a device, however it is written; that is a push. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import plugin from "../../../plugins/drivers/netconf/plugin.ts";
import { type NetconfServer, ok, startNetconfServer } from "../../support/netconf-server.ts";
import { type Opened, openOn } from "./open.ts";

const edits = [
  ...["commit", "cancel-commit", "discard-changes", "lock", "unlock"],
  ...["<commit/>", "<nc:commit xmlns:nc='urn:ietf:params:xml:ns:netconf:base:1.0'/>"],
  ...["<rpc><edit-config/></rpc>", "<rpc message-id='1'><!-- get --><kill-session/></rpc>"],
  ...[
    "<?xml version='1.0'?>\n<!-- <get/> --><copy-config/>",
    "<x:rpc xmlns:x='urn:x'><x:delete-config/></x:rpc>",
  ],
  ...[
    "<rpc a='><get/>'><reboot/></rpc>",
    "<reboot/>",
    "<getaway/>",
    "<lock><target><running/></target></lock>",
  ],
];
const reads = [
  "get",
  "get-config",
  "validate",
  "<get/>",
  "<rpc><get-schema/></rpc>",
  "<get-chassis-inventory/>",
];
const faultsOf = (command: string) => plugin.check?.([command], {}) ?? [];

test("a submission with an edit as its query is refused, and one that reads is not", () => {
  // What only a parser can tell is refused by the session.
  for (const edit of edits.filter((one) => !one.includes("get/>'")))
    expect(faultsOf(edit), edit).not.toEqual([]);
  for (const read of reads) expect(faultsOf(read), read).toEqual([]);
  expect(faultsOf("commit")[0]?.message).toContain("a push");
});

test("a text made to take long is read once", () => {
  const before = process.cpuUsage();
  expect(faultsOf(`${"<!---->".repeat(100_000)}<x`)).toEqual([]);
  expect(faultsOf(`<!--${"<!--".repeat(100_000)}`)).toEqual([]);
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(2_000);
});

describe("a session", () => {
  let server: NetconfServer;
  let driver: Opened;
  const heard: string[] = [];
  beforeAll(async () => {
    server = await startNetconfServer(() => ({
      rpc(operation, id, peer) {
        heard.push(operation.name);
        peer.reply(id, operation.name.startsWith("get") ? "<data/>" : ok);
      },
    }));
    driver = await openOn(server);
  });
  afterAll(async () => {
    await driver?.close();
    await server?.close();
  });

  test("sends no edit as a query, also one that the check of the text did not see", async () => {
    for (const edit of edits)
      await expect(driver.ask(edit), edit).rejects.toMatchObject({ detail: { outcome: "none" } });
    expect(heard).toEqual([]);
    await driver.ask("<rpc><get/></rpc>");
    expect(heard.splice(0)).toEqual(["get"]);
  });

  test("takes operations as pushes, by name and as XML, and nothing that has no meaning for them", async () => {
    expect(await driver.operate("commit", { handle: "h" })).toBe("");
    expect(await driver.operate("discard-changes")).toBe("");
    expect(await driver.operate("<rpc><reboot xmlns='urn:x'/></rpc>")).toBe("");
    expect(heard.splice(0)).toEqual(["commit", "discard-changes", "reboot"]);
    for (const [config, args] of [
      ["commit", { dry_run: true }],
      ["<rpc><reboot/></rpc>", { revert_in: 60 }],
      ["<rpc><get/><get/></rpc>", {}],
      ["<x/>", { handle: "h" }],
    ] as const)
      await expect(driver.operate(config, args), config).rejects.toMatchObject({
        kind: "DriverError",
        detail: { outcome: "none" },
      });
    await expect(driver.change("commit")).rejects.toMatchObject({ detail: { outcome: "none" } });
    expect(heard).toEqual([]);
  });
});
