/** Whose runs and hooks a caller sees. */
import { seesAll } from "../auth/caller.ts";
import type { Holders } from "../auth/holders.ts";
import type { Caller } from "../auth/port.ts";

/** Their own, as a person those of their keys, and as an admin without host limits all. */
export const createOwnTest =
  (holders: Pick<Holders, "byId">) =>
  async (caller: Caller, holder: string): Promise<boolean> => {
    if (seesAll(caller) || holder === caller.keyId) return true;
    const isPerson = caller.person?.id === caller.keyId;
    return isPerson && (await holders.byId(holder))?.person?.id === caller.keyId;
  };
