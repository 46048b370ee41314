/** The NETCONF interface of getters: sends each operation once per job and parses its reply. */
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
  /**
   * @returns `<rpc-reply>`
   * @throws PluginError CommandError with the device's message if it refused
   */
  ask(operation: XmlFragment): Promise<XmlElement>;
  /** An operation with side effects: sent on every call; errors are part of the reply. */
  run(operation: XmlFragment, timeoutMs: number): Promise<NetconfReply>;
  warn(message: string): void;
}

/** Parsed replies of one job, as the session parsed them. */
const trees = new WeakMap<AbortSignal, Map<string, XmlElement>>();

/** Number of operations run in one job. */
const runs = new WeakMap<AbortSignal, number>();

export function netconfDevice(
  session: Pick<NetconfSession, "rpc">,
  answers: Answers,
  ctx: Context,
): NetconfDevice {
  const parsed = trees.get(ctx.signal) ?? new Map<string, XmlElement>();
  trees.set(ctx.signal, parsed);
  return {
    ask: (operation) =>
      answers.once(
        operation.source,
        async () => {
          const { source, root } = await session.rpc(operation, {}, ctx);
          parsed.set(source, root);
          return source;
        },
        (source) => parsed.get(source) ?? parseXml(source),
      ),
    async run(operation, timeoutMs) {
      const count = (runs.get(ctx.signal) ?? 0) + 1;
      runs.set(ctx.signal, count);
      const reply = session.rpc(operation, { errors: "give", timeoutMs }, ctx);
      // A unique name, since the same operation may run twice with different replies.
      const name = count === 1 ? operation.source : `${operation.source} #${count}`;
      await answers.once(name, async () => (await reply).source);
      return reply;
    },
    warn: ctx.warn,
  };
}

/** Locks for the life of the session; closes it if the lock is denied. */
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
