/** A push that can be undone: a configuration session committed with a timer, then confirmed or aborted. */
import { type Change, type Context, PluginError, withDetail } from "patchbay/plugin";
import { textOf } from "../shared/eapi.ts";
import type { EapiClient } from "../shared/eapi-client.ts";
import { entriesOf } from "../shared/eos-lines.ts";
import { requireAsBefore, secondsToHold } from "../shared/rollback.ts";
import type { ConfigureArgs } from "./args.ts";
import { commit, defaultMinutes, ended, fillOrAbort, type PushResult, save } from "./configure.ts";
import { sessionFor } from "./session.ts";

/** The commit timer is entered in hours and minutes of a day. */
const mostMinutes = 1_439;

export async function change(
  client: EapiClient,
  lines: readonly string[],
  args: ConfigureArgs,
  ctx: Context,
): Promise<Change> {
  const configuration = await running(ctx).catch((error) =>
    Promise.reject(withDetail(error, { outcome: "none" })),
  );
  const session = await sessionFor(client, args, ctx);
  const filled = await fillOrAbort(session, entriesOf(lines.join("\n")), ctx);
  const requestedMinutes = args.confirm === true ? defaultMinutes : args.confirm || 0;
  const minutes = Math.min(mostMinutes, Math.ceil(secondsToHold(ctx, requestedMinutes * 60) / 60));
  await commit(session, minutes, ctx);
  const revertsAt = Date.now() + minutes * 60_000;
  const enter = `configure session ${session.name}`;

  async function running(ctx: Context): Promise<string> {
    const commands = ["show running-config"];
    const { results, refusal } = await client.run({ commands, format: "text" }, args, ctx);
    if (refusal !== undefined) throw ended("show running-config", refusal);
    const text = textOf(results[0]);
    if (text.trim() !== "") return text;
    throw new PluginError("CommandError", "The switch did not return its configuration.", {
      command: "show running-config",
    });
  }

  async function end(command: string, ctx: Context): Promise<void> {
    const { refusal } = await client.run({ commands: [command], format: "text" }, args, ctx);
    if (refusal !== undefined) throw ended(command, refusal);
  }

  return {
    output: { ...filled, committed: true, saved: false } satisfies PushResult,
    how: "confirmed_commit",
    revertsAt,
    async confirm(ctx) {
      await end(`${enter} commit`, ctx);
      if (args.save === true) await save(client, args, ctx);
    },
    async undo(ctx) {
      // If the timer has expired, the commit is already reverted and there is no session.
      await end(`${enter} abort`, ctx).catch((error) => ctx.warn(String(error)));
      requireAsBefore(await running(ctx), { configuration, revertsAt });
    },
  };
}
