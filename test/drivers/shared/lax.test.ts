/**
 * Other forms that callers of the Python libraries send: strings for numbers and booleans, empty strings,
 * nulls.
 */
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import * as napalmArgs from "../../../plugins/drivers/napalm/args.ts";
import { connection as napalm } from "../../../plugins/drivers/napalm/connection.ts";
import napalmPlugin from "../../../plugins/drivers/napalm/plugin.ts";
import * as netmikoArgs from "../../../plugins/drivers/netmiko/args.ts";
import { connection as netmiko } from "../../../plugins/drivers/netmiko/connection.ts";
import netmikoPlugin from "../../../plugins/drivers/netmiko/plugin.ts";
import * as paramikoArgs from "../../../plugins/drivers/paramiko/args.ts";
import { connection as paramiko } from "../../../plugins/drivers/paramiko/connection.ts";
import paramikoPlugin from "../../../plugins/drivers/paramiko/plugin.ts";
import * as pyeapiArgs from "../../../plugins/drivers/pyeapi/args.ts";
import { connection as pyeapi } from "../../../plugins/drivers/pyeapi/connection.ts";
import pyeapiPlugin from "../../../plugins/drivers/pyeapi/plugin.ts";
import { fieldsOf } from "../../../src/registry/fields.ts";

const whole = { host: "10.0.0.1", username: "ops", password: "x" };
const transfer = { operation: "upload", local_path: "a", remote_path: "/b" };

type Row = readonly [what: string, schema: v.GenericSchema, given: object, expected: object];

const connections: readonly Row[] = [
  [
    "netmiko",
    netmiko,
    { ...whole, device_type: "cisco_ios", timeout: "7", keepalive: "0", fast_cli: "false", use_keys: 0 },
    { timeoutMs: 7000, keepaliveMs: 0 },
  ],
  [
    "netmiko, factors",
    netmiko,
    { ...whole, device_type: "cisco_ios", global_delay_factor: "2", enable_mode: "False" },
    { delayFactor: 2, enable: false },
  ],
  [
    "paramiko",
    paramiko,
    {
      ...whole,
      device_type: "linux",
      timeout: "30.0",
      compress: "true",
      look_for_keys: "no",
      banner_timeout: "5",
    },
    { timeout: 30, compress: true, look_for_keys: false, banner_timeout: 5 },
  ],
  ["pyeapi", pyeapi, { ...whole, timeout: "9", verify: "true" }, { timeoutMs: 9000, verify: true }],
  [
    "napalm",
    napalm,
    { ...whole, device_type: "ios", timeout: "9", optional_args: { inline_transfer: "1", port: "2222" } },
    { timeoutMs: 9000, port: 2222, optional: { inline_transfer: true } },
  ],
];

const args: readonly Row[] = [
  [
    "netmiko, a query",
    netmikoArgs.queryArgs,
    { read_timeout: "60", cmd_verify: "false", max_loops: "500", use_textfsm: "yes" },
    { read_timeout: 60, cmd_verify: false, use_textfsm: true },
  ],
  [
    "netmiko, a configuration",
    netmikoArgs.configureArgs,
    { save: "true", exit_config_mode: 0, delay_factor: "1.5" },
    { save: true, exit_config_mode: false, delay_factor: 1.5 },
  ],
  ["netmiko, minutes", netmikoArgs.configureArgs, { confirm: 1 }, { confirm: 1 }],
  ["netmiko, minutes as text", netmikoArgs.configureArgs, { confirm: "5" }, { confirm: 5 }],
  [
    "paramiko, a query",
    paramikoArgs.queryArgs,
    { timeout: "30", get_pty: "True", bufsize: "-1", stop_on_error: "off" },
    { timeout: 30, get_pty: true, stop_on_error: false },
  ],
  ["paramiko, a configuration", paramikoArgs.configureArgs, { sudo: "true" }, { sudo: true }],
  [
    "paramiko, sudo that is off, with what it would need",
    paramikoArgs.configureArgs,
    { sudo: "false", sudo_password: "x", become_user: "ops" },
    { sudo: false },
  ],
  [
    "paramiko, a transfer",
    paramikoArgs.queryArgs,
    { file_transfer: { ...transfer, resume: "true", chunk_size: "65536", timeout: "60" } },
    { file_transfer: { resume: true, chunk_size: 65_536, timeout: 60 } },
  ],
  [
    "paramiko, a command that is called true",
    paramikoArgs.queryArgs,
    { file_transfer: { ...transfer, execute_after_upload: "true" } },
    { file_transfer: { execute_after_upload: "true" } },
  ],
  ["pyeapi", pyeapiArgs.queryArgs, { verify: "0", timeout: "5" }, { verify: false, timeout: 5 }],
  ["pyeapi, a session by name", pyeapiArgs.configureArgs, { session: "on" }, { session: "on" }],
  ["napalm", napalmArgs.configureArgs, { dry_run: "true" }, { dry_run: true }],
  ["napalm, seconds", napalmArgs.configureArgs, { revert_in: "60" }, { revert_in: 60 }],
];

test.each([...connections, ...args])(
  "numbers and booleans as strings are accepted: %s",
  (_what, schema, given, expected) => {
    const read = v.safeParse(schema, given);
    expect(read.issues ?? []).toEqual([]);
    expect(read.output).toMatchObject(expected);
  },
);

test.each([512, 4_194_304, 1])(
  "any chunk_size such as %d is accepted and limited to what servers support",
  (size) => {
    const queryArgs = { file_transfer: { ...transfer, chunk_size: size } };
    expect(v.safeParse(paramikoArgs.queryArgs, queryArgs).issues).toBeUndefined();
  },
);

describe("an empty string counts as absent", () => {
  const blank = { key_filename: "", pkey: "", passphrase: "", certificate: "", ssh_config_file: "" };
  const noHop = {
    ...{ proxy_host: "", proxy_username: "", proxy_password: "", proxy_key_filename: "" },
    ...{ proxy_pkey: "", proxy_passphrase: "", proxy_certificate: "" },
  };
  test.each<Row>([
    ["paramiko", paramiko, { ...whole, ...blank, ...noHop }, { hops: [], pkey: undefined }],
    [
      "netmiko",
      netmiko,
      { ...whole, device_type: "cisco_ios", ...blank, ...noHop, key_file: "" },
      { route: { hops: [], configFile: undefined }, keys: { paths: [], pem: undefined } },
    ],
    [
      "napalm",
      napalm,
      { ...whole, device_type: "ios", ...blank, ...noHop, optional_args: { key_file: "", passphrase: "" } },
      { hops: [], pkey: undefined, optional: { key_file: undefined } },
    ],
    ["pyeapi", pyeapi, { ...whole, ca_file: "" }, { ca_file: undefined }],
    ["sudo", paramikoArgs.configureArgs, { sudo: true, sudo_password: "" }, { sudo_password: undefined }],
    [
      "a hop",
      paramiko,
      { ...whole, proxy_host: [{ host: "jump", username: "", pkey: "" }] },
      { hops: [{ host: "jump", username: undefined, pkey: undefined }] },
    ],
  ])("in %s", (_what, schema, given, expected) => {
    const read = v.safeParse(schema, given);
    expect(read.issues ?? []).toEqual([]);
    expect(read.output).toMatchObject(expected);
  });

  test("so a login is still required", () => {
    const blankLogin = { host: "10.0.0.1", username: "ops", ...blank };
    const issues = v.safeParse(paramiko, blankLogin).issues?.map((issue) => v.getDotPath(issue));
    expect(issues).toEqual(["password"]);
  });

  test("so there is no jump host", () => {
    expect(paramikoPlugin.hops?.({ ...whole, proxy_host: "" })).toEqual([]);
  });
});

test("no driver warns of device_type, because a bulk may mix drivers", () => {
  for (const { connection } of [napalmPlugin, netmikoPlugin, paramikoPlugin, pyeapiPlugin])
    expect(fieldsOf(connection)).toContain("device_type");
});
