/** A configuration session on a switch, with a generated name or the caller's; it does not outlive its job. */
import type { Context } from "patchbay/plugin";
import { cleanupContext, PluginError, withDetail } from "patchbay/plugin";
import * as v from "valibot";
import type { EapiAnswer, EapiCommand } from "../shared/eos/eapi.ts";
import type { EapiClient } from "../shared/eos/eapi-client.ts";
import { abandonedOf, newSessionName } from "../shared/eos/sessions.ts";
import { messageOf } from "../shared/message.ts";
import type { ConfigureArgs } from "./args.ts";

export interface ConfigurationSession {
  readonly name: string;
  /** Runs commands within the session; the results start with that of entering it. */
  run(commands: readonly EapiCommand[], ctx: Context): Promise<EapiAnswer>;
  /** Works even after the job has ended. Returns false, with a warning, if the switch did not accept it. */
  abort(): Promise<boolean>;
}

const sessionList = v.object({
  sessions: v.optional(v.record(v.string(), v.object({ state: v.optional(v.string(), "") })), {}),
});

/** @throws PluginError CommandError if a session of another user has the name */
export async function sessionFor(
  client: EapiClient,
  args: ConfigureArgs,
  ctx: Context,
): Promise<ConfigurationSession> {
  const open = await openSessions(client, args, ctx);
  for (const leftover of await abandonedOf(open, ctx)) await abort(leftover, ctx);
  const name = typeof args.session === "string" ? args.session : newSessionName(ctx);
  if (open.includes(name)) throw nameTaken(name);
  const enter = `configure session ${name}`;

  async function abort(session: string, ctx: Context): Promise<boolean> {
    try {
      const commands = [`configure session ${session} abort`];
      const { refusal } = await client.run({ commands, format: "text" }, args, ctx);
      if (refusal === undefined) return true;
      ctx.warn(`the session ${session} could not be aborted: ${refusal.text}`);
    } catch (error) {
      ctx.warn(`the session ${session} was left on the switch: ${messageOf(error)}`);
    }
    return false;
  }

  return {
    name,
    run: (commands, ctx) => client.run({ commands: [enter, ...commands], format: "text" }, args, ctx),
    abort: () => abort(name, cleanupContext(ctx)),
  };
}

/** Sessions that are still being edited. */
async function openSessions(
  client: EapiClient,
  args: ConfigureArgs,
  ctx: Context,
): Promise<readonly string[]> {
  const request = { commands: ["show configuration sessions"], format: "json" } as const;
  const { results } = await client.run(request, args, ctx).catch((error) => {
    throw withDetail(error, { outcome: "none" });
  });
  const read = v.safeParse(sessionList, results[0]);
  // If the switch does not list sessions, it accepts or refuses the lines itself.
  if (!read.success) return [];
  return Object.entries(read.output.sessions).flatMap(([name, { state }]) =>
    state === "pending" ? [name] : [],
  );
}

function nameTaken(name: string): PluginError {
  return new PluginError(
    "CommandError",
    `session: a session ${name} is already open on the switch: choose another name, or abort it ("configure session ${name} abort").`,
    { command: `configure session ${name}`, outcome: "none" },
  );
}
