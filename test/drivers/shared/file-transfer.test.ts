/** The marker of a file transfer and its arguments belong together: what is wrong is told at the submission. */
import { expect, test } from "vitest";
import netmiko from "../../../plugins/drivers/netmiko/plugin.ts";
import paramiko from "../../../plugins/drivers/paramiko/plugin.ts";

const file_transfer = { operation: "upload", local_path: "a", remote_path: "b" } as const;
const marker = "__FILE_TRANSFER__";

test.each([netmiko, paramiko])("$name: the marker stands alone, with its arguments", ({ check }) => {
  const paths = (commands: string[], args: object) => check?.(commands, args).map(({ path }) => path);
  expect(paths([marker], { file_transfer })).toEqual([]);
  expect(paths(["show clock"], {})).toEqual([]);
  expect(paths([marker], {})).toEqual(["driver_args.file_transfer"]);
  expect(paths(["show clock", marker], {})).toEqual(["driver_args.file_transfer"]);
  expect(paths([marker, "show clock"], { file_transfer })).toEqual(["command"]);
  expect(paths(["show clock"], { file_transfer })).toEqual(["command"]);
});
