/** Opens the driver on an in-memory device, for tests of queries, pushes and connections. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import plugin from "../../../plugins/drivers/netmiko/plugin.ts";
import { ServiceError } from "../../../src/base/errors.ts";
import type { FileTransfers } from "../../../src/device/cli/files.ts";
import { openCliSession } from "../../../src/device/cli/session.ts";
import type { CliTarget, Command, PlatformPlugin, Schema } from "../../../src/plugin/index.ts";
import { type DeviceOptions, fakeDevice } from "../../device/cli/fake-device.ts";
import { router } from "../../device/cli/router-platform.ts";
import { testContext } from "../../device/cli/test-context.ts";
import { toolsWith } from "../tools.ts";

export async function checked(schema: Schema, value: unknown): Promise<unknown> {
  const result = await schema["~standard"].validate(value);
  if (result.issues !== undefined) throw new Error(JSON.stringify(result.issues));
  return result.value;
}

export interface OpenedWith {
  readonly device?: DeviceOptions;
  readonly connection?: Record<string, unknown>;
  readonly platform?: Partial<PlatformPlugin>;
  readonly base?: PlatformPlugin;
  readonly files?: FileTransfers;
}

export async function opened({
  device: script = {},
  connection = {},
  platform = {},
  base = router,
  files,
}: OpenedWith = {}) {
  const device = fakeDevice(script);
  const targets: CliTarget[] = [];
  const kits: Parameters<typeof toolsWith>[1] = {
    cli: {
      open(target, ctx) {
        targets.push(target);
        return openCliSession(
          {
            stream: device.stream,
            transport: target.transport,
            platform: target.platform,
            host: target.ssh.host,
            username: target.username ?? target.ssh.username,
            delayFactor: target.delayFactor,
            readTimeoutMs: target.readTimeoutMs,
            openTimeoutMs: target.ssh.connectTimeoutMs,
            ...(target.secret === undefined ? {} : { secret: target.secret }),
            ...(files === undefined ? {} : { files }),
          },
          ctx,
        );
      },
    },
    platform(name) {
      if (!name.startsWith("test_ios")) throw new ServiceError("DriverError", "unknown");
      return { ...base, ...platform };
    },
    files: {
      async localFile(path) {
        if (path.includes("..")) throw new ServiceError("Forbidden", "path is outside the allowed folders");
        return `/srv/transfer/${path}`;
      },
      localFolder: async (path) => path,
      keyFile: async (path) => join(tmpdir(), path),
      discoverKeys: async () => [],
    },
  };
  const ctx = testContext();
  const checkedConnection = await checked(plugin.connection, {
    device_type: "test_ios",
    host: "10.0.0.1",
    username: "admin",
    password: "pass-canary",
    ...connection,
  });
  const { default: open } = await plugin.load();
  const session = await open(toolsWith(checkedConnection, kits), ctx);
  const query = async (commands: readonly Command[], args: Record<string, unknown> = {}) =>
    (await session.queryAll?.(commands, await checked(plugin.args.query, args), ctx)) ?? [];
  const configure = async (lines: string[], args: Record<string, unknown> = {}) => {
    const pushArgs = plugin.args.configure && (await checked(plugin.args.configure, args));
    return [{ command: lines.join("\n"), output: await session.configure?.(lines, pushArgs, ctx) }];
  };
  return { device, session, ctx, query, configure, targets };
}

export const outputs = { "show clock": "10:00:00\n", "show version": "Version 15.2\nuptime 1 day\n\n" };
