/** What the lines of a device would change in its configuration. */
import type { ChangeDifference } from "../api/change.ts";
import { shareOf } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { mayReach } from "../auth/reach.ts";
import { requireRight } from "../auth/rights.ts";
import { ServiceError } from "../base/errors.ts";
import type { Returns } from "../history/port.ts";
import type { Inventory } from "../inventory/port.ts";
import type { PlatformPlugin } from "../plugin/index.ts";
import type { Store } from "../store/port.ts";
import { readPlan } from "./plan.ts";
import type { ChangeReach } from "./reach.ts";
import { shownLines } from "./request.ts";

export interface DifferenceTools {
  readonly store: Pick<Store, "changes">;
  readonly reach: ChangeReach;
  readonly returns: Pick<Returns, "effect" | "between">;
  readonly inventory: Pick<Inventory, "snapshot">;
  platform(name: string): PlatformPlugin | undefined;
  markKey(): Promise<string>;
}

export function createDifferences({ store, reach, returns, inventory, platform, markKey }: DifferenceTools) {
  const { changes } = store;

  return async (id: string, name: string, caller: Caller, signal: AbortSignal): Promise<ChangeDifference> => {
    const change = await reach.find(id, caller);
    requireRight(caller, "history");
    const target = await changes.targetOf(change.id, name);
    if (target === undefined || !mayReach(caller, target.host))
      throw new ServiceError("NotFound", `The change has no device "${name.slice(0, 128)}".`);
    const { device, sha256, beforeVersion } = target;
    const of = { device, sha256 };
    const [known, lines] = await Promise.all([
      inventory.snapshot().then((snapshot) => snapshot.device(device)),
      changes.texts(change.id, [sha256]).then((texts) => texts.get(sha256)),
    ]);
    if (known === undefined) return nothing(of, "the inventory has it no more");
    if (lines === undefined) return nothing(of, "its lines cannot be opened: they are damaged");
    const restored = readPlan(change.plan)?.restored[device];
    if (restored !== undefined && beforeVersion !== null) {
      const asked = { share: shareOf(caller), signal };
      return restoredDifference(
        of,
        beforeVersion,
        await returns.between(device, beforeVersion, restored, asked),
      );
    }
    const shown = shownLines(lines, platform(known.platform ?? "")?.running, await markKey());
    const found = await returns.effect(known, beforeVersion ?? undefined, shown, {
      share: shareOf(caller),
      signal,
    });
    if ("why" in found) return nothing(of, found.why);
    const { text, isCut, ...counts } = found.effect;
    return {
      ...{ ...of, version: found.version, newest: found.isNewest, difference: text, ...counts },
      ...(isCut ? { cut: true } : {}),
    };
  };
}

/** Of the whole configurations, as what is restored is one. */
function restoredDifference(
  of: Pick<ChangeDifference, "device" | "sha256">,
  version: number,
  difference: string,
): ChangeDifference {
  const count = (sign: RegExp) => difference.split("\n").filter((line) => sign.test(line)).length;
  return {
    ...{ ...of, version, newest: true, difference, present: 0, unclear: 0 },
    ...{ added: count(/^\+(?!\+\+ )/), removed: count(/^-(?!-- )/) },
  };
}

const nothing = (of: Pick<ChangeDifference, "device" | "sha256">, why: string): ChangeDifference => ({
  ...{ ...of, version: null, newest: false, difference: null, why },
  ...{ added: 0, removed: 0, present: 0, unclear: 0 },
});
