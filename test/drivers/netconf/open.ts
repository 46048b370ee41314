/** Opens the driver netconf over real SSH, as the service does, but in this process. */
import * as v from "valibot";
import { configureArgs, queryArgs } from "../../../plugins/drivers/netconf/args.ts";
import { connection } from "../../../plugins/drivers/netconf/connection.ts";
import openNetconf from "../../../plugins/drivers/netconf/driver.ts";
import { createNetconfKit } from "../../../src/executor/kit/netconf-kit.ts";
import type { Change, Context, Hold, OpenChange } from "../../../src/plugin/index.ts";
import { newSsh } from "../../device/ssh/support.ts";
import { taskContext } from "../../plugin/context.ts";
import { toolsWith } from "../tools.ts";

interface Server {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

export interface Opened {
  /** The output of one command. */
  ask(command: string, args?: Record<string, unknown>): Promise<unknown>;
  all(commands: readonly string[], args?: Record<string, unknown>): Promise<readonly unknown[]>;
  push(config: string | object, args?: Record<string, unknown>): Promise<Pushed>;
  /** A push that is an operation. */
  operate(config: string, args?: Record<string, unknown>): Promise<unknown>;
  change(config: string, hold?: Hold, args?: Record<string, unknown>): Promise<Change>;
  reopen(open: string, hold: Hold): Promise<OpenChange>;
  facts(): Promise<Record<string, string>>;
  reusable(): Promise<boolean>;
  close(): Promise<void>;
  readonly warnings: string[];
  readonly platform: string | undefined;
}

export interface Pushed {
  readonly diff: string;
  readonly committed: boolean;
  readonly saved: boolean;
  readonly handle?: string;
  readonly reverts_in?: number;
}
const pushed = v.object({
  diff: v.string(),
  committed: v.boolean(),
  saved: v.boolean(),
  handle: v.exactOptional(v.string()),
  reverts_in: v.exactOptional(v.number()),
});

export async function openOn(
  { host, port, user, password }: Server,
  more: Record<string, unknown> = {},
  context: () => Context = () => taskContext(),
): Promise<Opened> {
  const ssh = newSsh();
  const kit = {
    connect: (target: Parameters<typeof ssh.connect>[0], limit: Context) => ssh.connect(target, limit),
  };
  const warnings: string[] = [];
  const ctx = () => ({ ...context(), warn: (text: string) => void warnings.push(text) });
  const given = v.parse(connection, { host, port, username: user, password, timeout: 30, ...more });
  const session = await openNetconf(toolsWith(given, { ssh: kit, netconf: createNetconfKit(kit) }), ctx());
  const textOf = (config: string | object) => (typeof config === "string" ? config : JSON.stringify(config));
  const all: Opened["all"] = async (commands, args = {}) => {
    const outputs = (await session.queryAll?.(commands, v.parse(queryArgs, args), ctx())) ?? [];
    return outputs.map(({ output }) => output);
  };
  const missing = () => Promise.reject(new Error("the driver lacks it"));
  return {
    all,
    ask: async (command, args) => (await all([command], args))[0],
    push: async (config, args = {}) =>
      v.parse(pushed, await session.configure?.([textOf(config)], v.parse(configureArgs, args), ctx())),
    operate: async (config, args = {}) => session.configure?.([config], v.parse(configureArgs, args), ctx()),
    change: (config, hold, args = {}) =>
      session.change?.([config], v.parse(configureArgs, args), ctx(), hold) ?? missing(),
    reopen: (open, hold) => session.reopen?.(open, v.parse(configureArgs, {}), ctx(), hold) ?? missing(),
    facts: () => session.describe?.(ctx()) ?? missing(),
    reusable: async () => (await session.reusable?.(ctx())) ?? false,
    close: async () => session.close?.(),
    warnings,
    platform: session.platform,
  };
}
