/** The netmiko driver alone. */
import plugin from "../../../plugins/drivers/netmiko/plugin.ts";
import { driverInProcess, valid } from "../in-process.ts";
import { type BenchClient, login } from "./rows.ts";

export function driverClient(port: number): BenchClient {
  const opened = driverInProcess(plugin);
  return {
    async open(host) {
      const { session, ctx } = await opened({ device_type: "cisco_ios", host, port, ...login });
      const queryArgs = await valid(plugin.args.query, {});
      const pushArgs = plugin.args.configure && (await valid(plugin.args.configure, {}));
      return {
        show: async (command) => String((await session.queryAll?.([command], queryArgs, ctx))?.[0]?.output),
        push: async (lines) => session.configure?.(lines, pushArgs, ctx),
        close: async () => session.close?.(),
      };
    },
  };
}
