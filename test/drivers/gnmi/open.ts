/** Opens the driver gnmi in this process, over the kit's connections. */
import * as v from "valibot";
import { configureArgs, queryArgs } from "../../../plugins/drivers/gnmi/args.ts";
import { connection } from "../../../plugins/drivers/gnmi/connection.ts";
import openGnmi from "../../../plugins/drivers/gnmi/driver.ts";
import type { Change, Context, Hold, OpenChange, Outputs } from "../../../src/plugin/index.ts";
import { loopbackKit } from "../../device/grpc/open.ts";
import { taskContext } from "../../plugin/context.ts";
import { keysAnywhere, toolsWith } from "../tools.ts";

const pushed = v.looseObject({
  diff: v.exactOptional(v.string()),
  handle: v.exactOptional(v.string()),
  results: v.array(v.object({ operation: v.string(), path: v.string() })),
});
export type Pushed = v.InferOutput<typeof pushed>;

export interface Opened {
  ask(commands: string | readonly string[], args?: Record<string, unknown>): Promise<Outputs>;
  /** The output of one command. */
  one(command: string, args?: Record<string, unknown>): Promise<unknown>;
  push(config: string | object, args?: Record<string, unknown>): Promise<Pushed>;
  change(config: string | object, args?: Record<string, unknown>, hold?: Hold): Promise<Change>;
  reopen(open: string, hold: Hold): Promise<OpenChange>;
  facts(): Promise<Record<string, string>>;
  close(): Promise<void>;
  readonly warnings: string[];
  readonly seen: string[];
}

export async function openOn(
  port: number,
  more: Record<string, unknown> = {},
  context: () => Context = () => taskContext(),
): Promise<Opened> {
  const warnings: string[] = [];
  const seen: string[] = [];
  const ctx = (): Context => ({
    ...context(),
    warn: (text) => void warnings.push(text),
    output: (text) => void seen.push(text),
  });
  const given = v.parse(connection, {
    ...{ host: "127.0.0.1", port, transport: "insecure", username: "admin", password: "admin" },
    ...more,
  });
  const session = await openGnmi(toolsWith(given, { grpc: loopbackKit(), files: keysAnywhere }), ctx());
  const lacking = () => Promise.reject(new Error("the driver lacks it"));
  const textOf = (config: string | object) => (typeof config === "string" ? config : JSON.stringify(config));
  const ask: Opened["ask"] = async (commands, args = {}) =>
    (await session.queryAll?.([commands].flat(), v.parse(queryArgs, args), ctx())) ?? [];
  return {
    ask,
    one: async (command, args) => {
      const [output] = await ask(command, args);
      return output?.output;
    },
    push: async (config, args = {}) =>
      v.parse(pushed, await session.configure?.([textOf(config)], v.parse(configureArgs, args), ctx())),
    change: (config, args = {}, hold) =>
      session.change?.([textOf(config)], v.parse(configureArgs, args), ctx(), hold) ?? lacking(),
    reopen: (open, hold) => session.reopen?.(open, v.parse(configureArgs, {}), ctx(), hold) ?? lacking(),
    facts: async () => (await session.describe?.(ctx())) ?? {},
    close: async () => session.close?.(),
    warnings,
    seen,
  };
}
