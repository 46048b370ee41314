/** The driver napalm: opens a system, runs methods, changes the configuration. */
import type { Context, Session } from "patchbay/plugin";
import { PluginError } from "patchbay/plugin";
import { type ConfigureArgs, commitOf, type QueryArgs } from "./args.ts";
import { readCalls, uselessArguments } from "./calls.ts";
import { change, reopen } from "./change.ts";
import type { Tools } from "./connection.ts";
import { unknownOptionalArgs } from "./optional-args.ts";
import { runCalls } from "./run.ts";
import type { Change } from "./system.ts";
import { systems } from "./systems.ts";

export default async function open(tools: Tools, ctx: Context): Promise<Session<QueryArgs, ConfigureArgs>> {
  const { device_type, optional, host } = tools.connection;
  const { default: system } = await systems[device_type]();
  const session = await system.open(tools, ctx);
  const { ignore } = tools.platform(session.platform).running ?? {};
  const unknown = unknownOptionalArgs(optional);
  const warn = (ctx: Context) => {
    for (const name of unknown.slice(0, 20))
      ctx.warn(`optional_args.${name.slice(0, 64)} is unknown and was ignored`);
  };

  return {
    platform: session.platform,
    async queryAll(commands, args, ctx) {
      warn(ctx);
      const { calls, faults } = readCalls(commands, args);
      if (faults.length > 0)
        throw new PluginError(
          "DriverError",
          faults.map(({ path, message }) => `${path}: ${message}`).join("; "),
          { outcome: "none" },
        );
      for (const name of uselessArguments(commands, args))
        ctx.warn(`driver_args.${name} is not an argument of any requested method and was ignored`);
      return runCalls(calls, { session, system: system.name, methods: system.methods }, args, ctx);
    },
    async configure(texts, args, ctx) {
      warn(ctx);
      const options = { replace: args.replace === true, dryRun: args.dry_run === true, ...commitOf(args) };
      return changed(await session.configuration.change(texts.join("\n"), options, ctx), options.revertIn);
    },
    async change(texts, args, ctx, hold) {
      warn(ctx);
      const changing = {
        session,
        system: device_type,
        ignore,
        another: (ctx: Context) => system.open(tools, ctx),
        output: (committed: Change) => changed(committed, undefined),
        hold,
      };
      const options = { replace: args.replace === true, ...commitOf(args) };
      return change(texts.join("\n"), options, changing, ctx);
    },
    reopen: (open, _, ctx, hold) => reopen(open, { session, ignore, hold }, ctx),
    describe: async (ctx) => ({ device_type: system.name, host, ...(await session.describe(ctx)) }),
    reusable: session.reusable,
    close: session.close,
  };
}

function changed({ diff, committed, handle }: Change, revertIn: number | undefined) {
  return {
    diff,
    committed,
    ...(handle === undefined ? {} : { handle }),
    ...(revertIn === undefined || !committed ? {} : { reverts_in: revertIn }),
  };
}
