/** The marker of a file transfer and its arguments must match: errors are reported at submission. */
import { expect, test } from "vitest";
import netmiko from "../../../plugins/drivers/netmiko/plugin.ts";
import paramiko from "../../../plugins/drivers/paramiko/plugin.ts";
import platforms from "../../../plugins/platforms/cisco.ts";
import textfsm from "../../../plugins/templates/textfsm/plugin.ts";
import ttp from "../../../plugins/templates/ttp/plugin.ts";
import { noNamedTexts } from "../../../src/jobs/request/named-templates.ts";
import { checkOperation } from "../../../src/jobs/request/operation.ts";
import { createRegistry } from "../../../src/registry/registry.ts";

const file_transfer = { operation: "upload", local_path: "a", remote_path: "b" } as const;
const marker = "__FILE_TRANSFER__";

test.each([netmiko, paramiko])(
  "$name: the transfer marker is the only command, and needs its arguments",
  ({ check }) => {
    const paths = (commands: string[], args: object) => check?.(commands, args).map(({ path }) => path);
    expect(paths([marker], { file_transfer })).toEqual([]);
    expect(paths(["show clock"], {})).toEqual([]);
    expect(paths([marker], {})).toEqual(["driver_args.file_transfer"]);
    expect(paths(["show clock", marker], {})).toEqual(["driver_args.file_transfer"]);
    expect(paths([marker, "show clock"], { file_transfer })).toEqual(["command"]);
    expect(paths(["show clock"], { file_transfer })).toEqual(["command"]);
  },
);

const parsing = { name: "textfsm", template: "Value X (.*)\n\nStart\n" };
test.each([
  ["netmiko", { parsing }, "parsing"],
  ["paramiko", { parsing }, "parsing"],
  ["paramiko", { options: { retries: 0, parsing } }, "parsing"],
  ["netmiko", { driver_args: { file_transfer, use_textfsm: true } }, "driver_args.use_textfsm"],
  ["netmiko", { driver_args: { file_transfer, use_ttp: true, ttp_template: "x" } }, "driver_args.use_ttp"],
])(
  "%s: parsing with a file transfer is rejected before the file is moved (%j)",
  async (driver, more, path) => {
    const connection = { host: "r1", username: "u", password: "p", ...platformOf(driver) };
    const request = { driver, command: [marker], driver_args: { file_transfer }, ...more };
    const registry = createRegistry();
    for (const plugin of [netmiko, paramiko, textfsm, ttp, ...platforms]) registry.add(plugin, "builtin");
    const rehearsing = { device: undefined, asksDevices: false, shows: false, comparesSecrets: false };
    const texts = noNamedTexts;
    const input = {
      request,
      connection,
      rehearsing,
      texts,
      bulk: false,
      raw: () => undefined,
      configPath: [],
    };
    const checked = await checkOperation(input, registry, 1);
    expect(checked).toMatchObject({ ok: false });
    const issues = checked.ok ? [] : checked.issues;
    const message = expect.stringContaining("cannot be used with a file transfer");
    expect(issues).toEqual([expect.objectContaining({ path, message })]);
  },
);

const platformOf = (driver: string) => (driver === "netmiko" ? { device_type: "cisco_ios" } : {});
