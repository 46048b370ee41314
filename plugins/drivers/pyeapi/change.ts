/** A push that can be undone: a configuration session committed with a timer, then confirmed or aborted. */
import {
  type Change,
  type Context,
  type Hold,
  type OpenChange,
  PluginError,
  withDetail,
} from "patchbay/plugin";
import { textOf } from "../shared/eos/eapi.ts";
import type { EapiClient } from "../shared/eos/eapi-client.ts";
import { entriesOf } from "../shared/eos/lines.ts";
import { leftOpen, openChange } from "../shared/push/open-change.ts";
import { requireAsBefore, secondsToHold } from "../shared/push/rollback.ts";
import { type ConfigureArgs, mostMinutes } from "./args.ts";
import { commit, defaultMinutes, ended, fillOrAbort, type PushResult, save, timer } from "./configure.ts";
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
  const left = { before: configuration, handle: session.name, running: () => running(ctx) };
  const open = hold ? await leftOpen(hold, left, ctx) : {};

  return {
    output: { ...filled, committed: true, saved: false } satisfies PushResult,
    how: "confirmed_commit",
    revertsAt,
    ...open,
    confirm: (ctx) => end.confirm(session.name, ctx),
    async undo(ctx) {
      await end.abort(session.name, ctx);
      requireAsBefore(await running(ctx), { configuration, revertsAt });
    },
  };
}

/** A push that another session left open. */
export function reopen(open: string, { client, args, hold }: ReopenTools, ctx: Context): Promise<OpenChange> {
  const { running, ...end } = requests(client, args);
  return openChange(
    open,
    hold,
    {
      running,
      confirm: (handle = "", ctx) => end.confirm(handle, ctx),
      cancel: (handle = "", ctx) => end.abort(handle, ctx),
      extend: (handle = "", seconds, ctx) =>
        end.extend(handle, Math.min(mostMinutes, Math.ceil(seconds / 60)), ctx),
    },
    ctx,
  );
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
    extend: (session: string, minutes: number, ctx: Context): Promise<void> =>
      send(`configure session ${session} commit timer ${timer(minutes)}`, ctx),
    /** If the timer has expired, the commit is already reverted and there is no session: what runs decides. */
    abort: (session: string, ctx: Context): Promise<void> =>
      send(`configure session ${session} abort`, ctx).catch((error) => ctx.warn(String(error))),
  };
}
