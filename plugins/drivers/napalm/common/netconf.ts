/** What getters over NETCONF ask through: each operation once for a job, its reply as a tree. */
import {
  type Context,
  type NetconfReply,
  type NetconfSession,
  parseXml,
  type XmlElement,
  type XmlFragment,
} from "patchbay/plugin";
import type { Answers } from "../system.ts";

export interface NetconfDevice {
  /** @returns `<rpc-reply>` @throws PluginError CommandError: the device refused, in its own words */
  ask(operation: XmlFragment): Promise<XmlElement>;
  /** An operation that does something: it is sent each time, and errors are an answer. */
  run(operation: XmlFragment, timeoutMs: number): Promise<NetconfReply>;
  warn(message: string): void;
}

/** Trees of the replies of one job: they are read once, by the session. */
const trees = new WeakMap<AbortSignal, Map<string, XmlElement>>();

/** How many operations were run in one job. */
const runs = new WeakMap<AbortSignal, number>();

export function netconfDevice(
  session: Pick<NetconfSession, "rpc">,
  answers: Answers,
  ctx: Context,
): NetconfDevice {
  const known = trees.get(ctx.signal) ?? new Map<string, XmlElement>();
  trees.set(ctx.signal, known);
  return {
    ask: (operation) =>
      answers.once(
        operation.source,
        async () => {
          const { source, root } = await session.rpc(operation, {}, ctx);
          known.set(source, root);
          return source;
        },
        (source) => known.get(source) ?? parseXml(source),
      ),
    async run(operation, timeoutMs) {
      const count = (runs.get(ctx.signal) ?? 0) + 1;
      runs.set(ctx.signal, count);
      const reply = session.rpc(operation, { errors: "give", timeoutMs }, ctx);
      // A name of its own: the same operation may be run twice, with another answer.
      const name = count === 1 ? operation.source : `${operation.source} #${count}`;
      await answers.once(name, async () => (await reply).source);
      return reply;
    },
    warn: ctx.warn,
  };
}

/** A lock for as long as the session lives: one that is denied ends it. */
export async function lockOrClose(
  session: NetconfSession,
  lock: (session: NetconfSession, ctx: Context) => Promise<void>,
  ctx: Context,
): Promise<void> {
  try {
    await lock(session, ctx);
  } catch (error) {
    await session.close();
    throw error;
  }
}
