/** A driver with a stateful device: pushes change it, checks read it, and each step can be made to fail. */
import * as v from "valibot";
import { ServiceError } from "../../src/base/errors.ts";
import type { Change, Context, DriverPlugin, Session, UndoWay } from "../../src/plugin/index.ts";

export interface Double {
  readonly plugin: DriverPlugin;
  /** Operations in order. */
  readonly log: string[];
  /** Output by command. */
  readonly shows: Map<string, unknown>;
  /** Faults by step: `query x`, `change`, `confirm`, `undo`. */
  readonly faults: Map<string, () => unknown>;
}

export function checksDouble(how: UndoWay | undefined): Double {
  const log: string[] = [];
  const shows = new Map<string, unknown>();
  const faults = new Map<string, () => unknown>();

  async function step(name: string, ctx: Context): Promise<void> {
    log.push(name);
    await faults.get(name)?.();
    if (ctx.signal.aborted) throw ctx.signal.reason;
  }

  const change = async (lines: readonly string[], _args: unknown, ctx: Context): Promise<Change> => {
    await step("change", ctx);
    shows.set("show config", lines.join("\n"));
    return {
      output: "taken",
      how: how ?? "none",
      confirm: (late) => step("confirm", late),
      undo: async (late) => {
        await step("undo", late);
        shows.delete("show config");
      },
    };
  };
  const session: Session = {
    async query(command, _args, ctx) {
      const text = typeof command === "string" ? command : command.send;
      // As a terminal driver does for all input.
      await ctx.announce([text]);
      await step(`query ${text}`, ctx);
      if (text.startsWith("refused"))
        throw new ServiceError("CommandError", "The device refused it.", { command: text });
      return shows.get(text) ?? "";
    },
    async configure(lines, _args, ctx) {
      await step("configure", ctx);
      shows.set("show config", lines.join("\n"));
      return "pushed";
    },
    ...(how === undefined ? {} : { change }),
    reusable: async () => true,
    close: async () => void log.push("close"),
  };
  const plugin: DriverPlugin = {
    api: 1,
    kind: "driver",
    name: "double",
    connection: v.looseObject({ host: v.string() }),
    args: { query: v.object({}), configure: v.object({}) },
    strategy: "pinned",
    target: () => ({ host: "r1", port: 22 }),
    ...(how === undefined ? {} : { undo: () => how }),
    load: async () => ({ default: async () => session }),
  };
  return { plugin, log, shows, faults };
}
