/** The device that a request names, and the fields that its driver knows. */
import { describe, expect, test } from "vitest";
import paramiko from "../../../plugins/drivers/paramiko/plugin.ts";
import { checkConnection } from "../../../src/jobs/request/device/connection.ts";
import { defineDriver } from "../../../src/plugin/index.ts";
import { createRegistry } from "../../../src/registry/registry.ts";
import { admin, bodyOf } from "../../support/requests.ts";
import { base, connection, expectIssue, type IssueRow, useNode } from "../support.ts";

const node = useNode();

describe("a request with an invalid connection", () => {
  const rows: IssueRow[] = [
    [
      "no host",
      { ...base, connection_args: { device_type: "cisco_ios" }, command: "x" },
      "connection_args.host",
      /required/,
    ],
    [
      "bad host",
      { ...base, connection_args: { ...connection, host: "a b" }, command: "x" },
      "connection_args.host",
      /host name/,
    ],
    [
      "host and hostname differ",
      { ...base, connection_args: { ...connection, hostname: "r2" }, command: "x" },
      "connection_args.host",
      /differ/,
    ],
    [
      "unknown device type",
      { ...base, connection_args: { ...connection, device_type: "cisco_iso" }, command: "x" },
      "connection_args.device_type",
      /Did you mean cisco_ios/,
    ],
    [
      "port as text",
      { ...base, connection_args: { ...connection, port: "canary" }, command: "x" },
      "connection_args.port",
      /number/,
    ],
    [
      "port 0",
      { ...base, connection_args: { ...connection, port: 0 }, command: "x" },
      "connection_args.port",
      /./,
    ],
    [
      "password as number",
      { ...base, connection_args: { ...connection, password: 5 }, command: "x" },
      "connection_args.password",
      /must be a string/,
    ],
  ];
  test.each(rows)("is rejected with the field at fault: %s", async (_, request, path, message) => {
    await expectIssue(node(), request, path, message);
  });
});

test("fields that the driver does not know are ignored, with warnings", async () => {
  const ticket = await node().jobs.submit(
    bodyOf({
      ...base,
      connection_args: { ...connection, colour: 1 },
      command: "x",
      driver_args: { speed: 2, save: true },
      other: 3,
    }),
    admin,
  );
  expect(ticket.warnings).toEqual([
    "other is not known and was ignored",
    "connection_args.colour is not known to the driver netmiko and was ignored",
    "driver_args.speed is not known to the driver netmiko and was ignored",
    "driver_args.save does not apply to a query and was ignored",
  ]);
  expect((await node().ended(ticket.id)).warnings).toEqual(ticket.warnings);
});

test("`hostname` is an alias of `host`, and all spellings of one address share a queue", async () => {
  const { host: _host, ...others } = connection;
  const ids = await Promise.all(
    ["2001:DB8::1", "2001:db8:0:0::1", "[2001:db8::1]"].map((hostname) =>
      node().submit({ ...base, connection_args: { ...others, hostname }, command: "x" }),
    ),
  );
  const records = await Promise.all(ids.map((id) => node().ended(id)));
  expect(new Set(records.map((record) => record.queue))).toEqual(new Set(["pinned_2001:db8::1"]));
  // Brackets belong to URLs and are not part of the dialled address.
  expect(records.map((record) => record.host)).toEqual(["2001:DB8::1", "2001:db8:0:0::1", "2001:db8::1"]);
});

test("a job records the device_type even if its driver has no platforms, if it is short and plain", async () => {
  const any = {
    "~standard": { version: 1 as const, vendor: "test", validate: (value: unknown) => ({ value }) },
  };
  const driver = defineDriver({
    ...{
      name: "any",
      connection: any,
      query: any,
      strategy: "fifo",
      target: () => ({ host: "r1", port: 22 }),
    },
    open: async () => ({}),
  });
  const typeOf = async (device_type: unknown) =>
    (await checkConnection(driver, { host: "r1", device_type }, createRegistry())).deviceType;
  expect(await typeOf("linux")).toBe("linux");
  for (const wrong of ["x".repeat(65), "two words", "a\nb", 7]) expect(await typeOf(wrong)).toBeNull();
});

test("the user of each jump host is known before login: that of the device unless set", async () => {
  const through = async (more: object) =>
    (await checkConnection(paramiko, { host: "r1", username: "u", password: "x", ...more }, createRegistry()))
      .through;
  expect(await through({})).toEqual([]);
  expect(await through({ proxy_host: "JUMP.lab", proxy_username: "ops" })).toEqual([
    { host: "jump.lab", user: "ops" },
  ]);
  const list = [{ host: "j1" }, { host: "j2", username: "ops" }];
  expect(await through({ proxy_host: list })).toEqual([
    { host: "j1", user: "u" },
    { host: "j2", user: "ops" },
  ]);
});
