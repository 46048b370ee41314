/** Holders of a store that has only keys. */
import { createHolders, type Holders } from "../../src/auth/holders.ts";
import type { HolderStore } from "../../src/auth/port.ts";

export function keyHolders(keys: HolderStore["keys"], now: () => number = Date.now): Holders {
  return createHolders({
    keys,
    persons: { byId: async () => undefined },
    roles: { list: async () => [] },
    clock: { wall: now, steady: now },
  });
}
