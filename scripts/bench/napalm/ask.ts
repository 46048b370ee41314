/** Runs both getters of the driver on one device, as a job does. */
import plugin from "../../../plugins/drivers/napalm/plugin.ts";
import { driverInProcess, valid } from "../in-process.ts";
import { connectionOf, getters } from "./cases.ts";
import type { Address } from "./floor.ts";

const opened = driverInProcess(plugin);
const queryArgs = await valid(plugin.args.query, {});

/** @throws if a getter failed */
export async function askDriver(system: string, { host, port }: Address): Promise<void> {
  const { session, ctx } = await opened(connectionOf(system, host, port));
  const outputs = await session.queryAll?.(getters, queryArgs, ctx);
  await session.close?.();
  for (const { command, output } of outputs ?? [])
    if (typeof output !== "object" || output === null || "error" in output)
      throw new Error(`${system}: ${command} gave ${JSON.stringify(output)}`);
}
