/** The driver netconf: one session with a server, its queries and pushes. */
import { type Context, type NetconfSession, type Outputs, type Session, withDetail } from "patchbay/plugin";
import type { ConfigureArgs, QueryArgs } from "./args.ts";
import { change, reopen } from "./change.ts";
import { type Asked, runCommand } from "./commands.ts";
import { sshTargetOf, type Tools } from "./connection.ts";
import { edit } from "./edit.ts";
import { platformOf, readFacts } from "./facts.ts";
import { type Models, readModels } from "./models.ts";
import { notUndone, pushedOperation, runOperation } from "./rpc.ts";

export default async function open(tools: Tools, ctx: Context): Promise<Session<QueryArgs, ConfigureArgs>> {
  const { host, username, timeoutMs, subsystem } = tools.connection;
  const connect = async (ctx: Context): Promise<NetconfSession> =>
    tools.netconf.open(
      {
        ssh: await sshTargetOf(tools),
        replyTimeoutMs: timeoutMs,
        ...(subsystem === undefined ? {} : { subsystem }),
      },
      ctx,
    );
  const session = await connect(ctx);
  const platform = platformOf(session.capabilities);
  /** After an operation of the caller: it may have locked or changed what the next job does not expect. */
  let isTouched = false;
  let known: Models | undefined;
  const models = async (ctx: Context): Promise<Models> => {
    known ??= await readModels(session, ctx);
    return known;
  };
  const asked: Asked = { session, models };

  return {
    ...(platform === undefined ? {} : { platform }),
    async queryAll(commands, args, ctx) {
      const outputs: { command: string; output: unknown }[] = [];
      try {
        for (const command of commands) {
          const name = typeof command === "string" ? command : command.send;
          outputs.push({ command: name, output: await runCommand(command, asked, args, ctx) });
        }
      } catch (error) {
        throw outputs.length === 0 ? error : withPartial(error, outputs);
      }
      return outputs;
    },
    async configure(texts, args, ctx) {
      const operation = pushedOperation(texts, args);
      if (operation !== undefined) {
        isTouched = true;
        return runOperation(session, operation, args, ctx);
      }
      const { revert_in: revertIn, ...rest } = args;
      const { handle, ...edited } = await edit(
        texts.join("\n"),
        { ...rest, revertIn },
        { session, models: await models(ctx) },
        ctx,
      );
      const waits = handle === undefined ? {} : { handle, reverts_in: revertIn };
      return { ...edited, ...(edited.committed ? waits : {}) };
    },
    async change(texts, args, ctx, hold) {
      if (pushedOperation(texts, args) !== undefined) throw notUndone();
      return change(
        texts.join("\n"),
        args,
        { session, models: await models(ctx), another: connect, hold },
        ctx,
      );
    },
    reopen: (open, args, ctx, hold) => reopen(open, { session, args, hold }, ctx),
    async describe(ctx) {
      const { hostname, ...facts } = await readFacts(session, await models(ctx), ctx);
      return {
        prompt: `${username}@${hostname ?? host}`,
        host,
        netconf: session.version,
        session: session.sessionId,
        ...(platform === undefined ? {} : { device_type: platform }),
        ...facts,
      };
    },
    reusable: async () => session.alive() && !isTouched,
    close: session.close,
  };
}

const withPartial = (error: unknown, partial: Outputs): unknown => withDetail(error, { partial });
