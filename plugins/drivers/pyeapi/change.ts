/** A push that can be undone: a configuration session committed with a timer, then confirmed or aborted. */
import {
  type Change,
  type Context,
  comparableConfiguration,
  type Hold,
  type OpenChange,
  PluginError,
  withDetail,
} from "patchbay/plugin";
import { textOf } from "../shared/eapi.ts";
import type { EapiClient } from "../shared/eapi-client.ts";
import { entriesOf } from "../shared/eos-lines.ts";
import { messageOf } from "../shared/message.ts";
import { notBefore, openText, readOpen, whichOf } from "../shared/open-change.ts";
import { requireAsBefore, secondsToHold } from "../shared/rollback.ts";
import type { ConfigureArgs } from "./args.ts";
import { commit, defaultMinutes, ended, fillOrAbort, type PushResult, save } from "./configure.ts";
import { mostMinutes } from "./limits.ts";
import { sessionFor } from "./session.ts";

export async function change(
  client: EapiClient,
  lines: readonly string[],
  args: ConfigureArgs,
  ctx: Context,
  hold?: Hold,
): Promise<Change> {
  const { running, ...end } = requests(client, args);
  const configuration = await running(ctx).catch((error) =>
    Promise.reject(withDetail(error, { outcome: "none" })),
  );
  const session = await sessionFor(client, args, ctx);
  const filled = await fillOrAbort(session, entriesOf(lines.join("\n")), ctx);
  const requestedMinutes = args.confirm === true ? defaultMinutes : args.confirm || 0;
  const requestedS = hold?.seconds ?? requestedMinutes * 60;
  const minutes = Math.min(mostMinutes, Math.ceil(secondsToHold(ctx, requestedS) / 60));
  await commit(session, minutes, ctx);
  const revertsAt = Date.now() + minutes * 60_000;
  const open = hold && (await opened(hold));

  /** A push whose text cannot be read is not left open: nobody could tell later what became of it. */
  async function opened({ fingerprint }: Hold): Promise<string | undefined> {
    const marked = (text: string) => fingerprint(comparableConfiguration(text));
    try {
      const marks = { before: marked(configuration), after: marked(await running(ctx)) };
      return openText({ ...marks, handle: session.name });
    } catch (error) {
      ctx.warn(`the push is not left open: ${messageOf(error)}`);
      return undefined;
    }
  }

  return {
    output: { ...filled, committed: true, saved: false } satisfies PushResult,
    how: "confirmed_commit",
    revertsAt,
    ...(open === undefined ? {} : { open }),
    confirm: (ctx) => end.confirm(session.name, ctx),
    async undo(ctx) {
      await end.abort(session.name, ctx);
      requireAsBefore(await running(ctx), { configuration, revertsAt });
    },
  };
}

/** A push that another session left open. */
export async function reopen(
  open: string,
  { client, args, hold: { fingerprint } }: ReopenTools,
  ctx: Context,
): Promise<OpenChange> {
  const { running, ...end } = requests(client, args);
  const { handle = "", ...marks } = readOpen(open);
  const now = async (ctx: Context) =>
    whichOf(fingerprint(comparableConfiguration(await running(ctx))), marks);
  return {
    running: await now(ctx),
    confirm: (ctx) => end.confirm(handle, ctx),
    async undo(ctx) {
      await end.abort(handle, ctx);
      const left = await now(ctx);
      if (left !== "before") throw notBefore(left);
    },
  };
}

interface ReopenTools {
  readonly client: EapiClient;
  readonly args: ConfigureArgs;
  readonly hold: Pick<Hold, "fingerprint">;
}

function requests(client: EapiClient, args: ConfigureArgs) {
  async function send(command: string, ctx: Context): Promise<void> {
    const { refusal } = await client.run({ commands: [command], format: "text" }, args, ctx);
    if (refusal !== undefined) throw ended(command, refusal);
  }
  return {
    async running(ctx: Context): Promise<string> {
      const commands = ["show running-config"];
      const { results, refusal } = await client.run({ commands, format: "text" }, args, ctx);
      if (refusal !== undefined) throw ended("show running-config", refusal);
      const text = textOf(results[0]);
      if (text.trim() !== "") return text;
      throw new PluginError("CommandError", "The switch did not return its configuration.", {
        command: "show running-config",
      });
    },
    async confirm(session: string, ctx: Context): Promise<void> {
      await send(`configure session ${session} commit`, ctx);
      if (args.save === true) await save(client, args, ctx);
    },
    /** If the timer has expired, the commit is already reverted and there is no session: what runs decides. */
    abort: (session: string, ctx: Context): Promise<void> =>
      send(`configure session ${session} abort`, ctx).catch((error) => ctx.warn(String(error))),
  };
}
