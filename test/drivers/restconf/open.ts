/** Opens the driver restconf in this process, over the kit's connections. */
import * as v from "valibot";
import { configureArgs, queryArgs } from "../../../plugins/drivers/restconf/args.ts";
import { connection } from "../../../plugins/drivers/restconf/connection.ts";
import openRestconf from "../../../plugins/drivers/restconf/driver.ts";
import { checkUrl } from "../../../src/executor/kit/http-address.ts";
import { createHttpKit } from "../../../src/executor/kit/http-kit.ts";
import type { Change, Context, Outputs } from "../../../src/plugin/index.ts";
import { taskContext } from "../../plugin/context.ts";
import { keysAnywhere, toolsWith } from "../tools.ts";

const loopback = checkUrl({ policy: { allow: ["127.0.0.1"], deny: [] } });

export interface Opened {
  ask(commands: string | readonly string[], args?: Record<string, unknown>): Promise<Outputs>;
  /** The output of one command. */
  one(command: string, args?: Record<string, unknown>): Promise<unknown>;
  push(config: string | object, args?: Record<string, unknown>): Promise<Pushed>;
  change(config: string | object, args?: Record<string, unknown>): Promise<Change>;
  facts(): Promise<Record<string, string>>;
  close(): Promise<void>;
  readonly warnings: string[];
  readonly differences: string[];
}

const pushed = v.looseObject({
  status: v.number(),
  diff: v.exactOptional(v.string()),
  location: v.exactOptional(v.string()),
  etag: v.exactOptional(v.string()),
  output: v.exactOptional(v.unknown()),
});
export type Pushed = v.InferOutput<typeof pushed>;

export async function openOn(
  port: number,
  more: Record<string, unknown> = {},
  context: () => Context = () => taskContext(),
): Promise<Opened> {
  const warnings: string[] = [];
  const differences: string[] = [];
  const ctx = (): Context => ({
    ...context(),
    warn: (text) => void warnings.push(text),
    difference: (text) => void differences.push(text),
  });
  const given = v.parse(connection, {
    ...{ host: "127.0.0.1", port, transport: "http", username: "admin", password: "admin" },
    ...more,
  });
  const session = await openRestconf(
    toolsWith(given, { http: createHttpKit({ check: loopback }), files: keysAnywhere }),
    ctx(),
  );
  const textOf = (config: string | object) => (typeof config === "string" ? config : JSON.stringify(config));
  const ask: Opened["ask"] = async (commands, args = {}) =>
    (await session.queryAll?.([commands].flat(), v.parse(queryArgs, args), ctx())) ?? [];
  return {
    ask,
    one: async (command, args) => (await ask(command, args))[0]?.output,
    push: async (config, args = {}) =>
      v.parse(pushed, await session.configure?.([textOf(config)], v.parse(configureArgs, args), ctx())),
    change: (config, args = {}) =>
      session.change?.([textOf(config)], v.parse(configureArgs, args), ctx()) ??
      Promise.reject(new Error("the driver lacks it")),
    facts: async () => (await session.describe?.(ctx())) ?? {},
    close: async () => session.close?.(),
    warnings,
    differences,
  };
}
