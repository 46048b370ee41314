/** Claims of nodes on what a change does outside of jobs: they end with the time, and with the lease of the node. */
import type { NodeFence, Store, StoredChange } from "../../store/port.ts";

export interface ClaimTools {
  readonly store: Pick<Store, "clock" | "nodes">;
  /** Of this node; undefined: it has none. */
  lease(): NodeFence | undefined;
}

type Claimed = Pick<StoredChange, "dueAt" | "claimedBy">;

/** A claim of another node is looked at so often: its node may end. */
const lookMs = 2_000;
const written = ({ name, generation }: NodeFence) => `${name} ${generation}`;

export function createClaims({ store: { clock, nodes }, lease }: ClaimTools) {
  const own = () => {
    const fence = lease();
    return fence === undefined ? null : written(fence);
  };

  return {
    /** For the move that makes the claim. */
    until: (dueAt: number): Claimed => ({ dueAt, claimedBy: own() }),

    /** @returns when it goes on, or is to be looked at again; null: the claim of a node that is gone counts no more */
    async dueAt({ dueAt, claimedBy }: Claimed): Promise<number | null> {
      const now = clock.wall();
      if (dueAt === null || dueAt <= now || claimedBy === null || claimedBy === own()) return dueAt;
      const isLive = (await nodes.live()).some((node) => written(node) === claimedBy);
      return isLive ? Math.min(dueAt, now + lookMs) : null;
    },
  };
}

export type Claims = ReturnType<typeof createClaims>;
