/** Opens the driver snmp in this process, over the kit's sockets. */
import * as v from "valibot";
import { queryArgs } from "../../../plugins/drivers/snmp/args.ts";
import { connection } from "../../../plugins/drivers/snmp/connection.ts";
import openSnmp from "../../../plugins/drivers/snmp/driver.ts";
import { checkUrl } from "../../../src/executor/kit/http-address.ts";
import { createUdpKit } from "../../../src/executor/kit/udp-kit.ts";
import type { Context, Outputs } from "../../../src/plugin/index.ts";
import { taskContext } from "../../plugin/context.ts";
import { toolsWith } from "../tools.ts";

const loopback = checkUrl({ policy: { allow: ["127.0.0.1"], deny: [] } });

export interface Opened {
  ask(commands: string | readonly string[], args?: Record<string, unknown>, ctx?: Context): Promise<Outputs>;
  /** The output of one command. */
  one(command: string, args?: Record<string, unknown>, ctx?: Context): Promise<unknown>;
  set(config: string | object): Promise<unknown>;
  facts(): Promise<Record<string, string>>;
  close(): Promise<void>;
}

export async function openOn(
  { host, port }: { readonly host: string; readonly port: number },
  login: Record<string, unknown>,
): Promise<Opened> {
  const given = v.parse(connection, { host, port, timeout: 2, ...login });
  const udp = createUdpKit({ check: loopback, checkLease() {} });
  const session = await openSnmp(toolsWith(given, { udp }), taskContext());
  const ask: Opened["ask"] = async (commands, args = {}, ctx = taskContext()) =>
    (await session.queryAll?.([commands].flat(), v.parse(queryArgs, args), ctx)) ?? [];
  return {
    ask,
    one: async (command, args, ctx) => (await ask(command, args, ctx))[0]?.output,
    set: async (config) =>
      session.configure?.([typeof config === "string" ? config : JSON.stringify(config)], {}, taskContext()),
    facts: async () => (await session.describe?.(taskContext())) ?? {},
    close: async () => session.close?.(),
  };
}
