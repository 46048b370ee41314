/** Operations of RFC 6241 that queries and pushes share, and the locks that a session holds. */
import {
  type Context,
  formatXml,
  type NetconfCall,
  type NetconfSession,
  withDetail,
  type XmlFragment,
  xml,
} from "patchbay/plugin";
import { lockDenied, lockedBy } from "../shared/push/candidate-errors.ts";
import { giveBack } from "../shared/push/candidate-session.ts";

type Datastore = "running" | "candidate" | "startup";

/** Such as `candidate:1.0`. */
export const capability = (name: string): string => `urn:ietf:params:netconf:capability:${name}`;

export const datastore = (role: "source" | "target", name: Datastore): XmlFragment =>
  xml(role, {}, xml(name));

/** A datastore as indented XML. */
export async function readConfig(
  session: NetconfSession,
  source: Datastore,
  ctx: Context,
  options: NetconfCall = {},
): Promise<string> {
  const operation = xml("get-config", {}, datastore("source", source));
  const { root } = await session.rpc(operation, options, ctx);
  return formatXml(root.find("data") ?? root);
}

export interface Locks {
  /** @throws PluginError CommandError if another session holds it */
  lock(session: NetconfSession, target: Datastore, ctx: Context, options?: NetconfCall): Promise<void>;
  /** Discards the candidate first: not every server does that itself, and the next commit would include what is left. */
  unlock(session: NetconfSession, target: Datastore, ctx: Context, isClean?: boolean): Promise<void>;
}

export function createLocks(): Locks {
  const held = new Set<Datastore>();

  async function unlock(
    session: NetconfSession,
    target: Datastore,
    ctx: Context,
    isClean = false,
  ): Promise<void> {
    const discards = target === "candidate" && !isClean && held.has("candidate");
    const steps = [
      ...(discards ? [xml("discard-changes")] : []),
      xml("unlock", {}, datastore("target", target)),
    ];
    held.delete(target);
    await giveBack(session, steps, ctx);
  }

  return {
    async lock(session, target, ctx, options = {}) {
      await session.rpc(xml("lock", {}, datastore("target", target)), options, ctx).catch((error) => {
        const by = lockedBy(error);
        throw by === undefined ? withDetail(error, { outcome: "none" }) : lockDenied(by);
      });
      held.add(target);
    },
    unlock,
  };
}
