/** What the lines of a device would change in its configuration. */
import type { ChangeComparison, ChangeDifference } from "../../api/changes/change-difference.ts";
import { requireScope, shareOf } from "../../auth/caller.ts";
import type { Caller } from "../../auth/port.ts";
import { mayReach } from "../../auth/reach.ts";
import { hasRight, requireRight } from "../../auth/rights.ts";
import { ServiceError } from "../../base/errors.ts";
import { fingerprintOfNone, fingerprintWith } from "../../configtext/secrets/secrets.ts";
import type { Returns } from "../../history/port.ts";
import type { Inventory } from "../../inventory/port.ts";
import type { Jobs } from "../../jobs/port.ts";
import type { PlatformPlugin } from "../../plugin/index.ts";
import type { Store, StoredChange } from "../../store/port.ts";
import { labelOf } from "../labels.ts";
import type { ChangeReach } from "../reach.ts";
import { readRequest, shownLines } from "../request.ts";
import { readPlan } from "./plan.ts";

export interface DifferenceTools {
  readonly store: Pick<Store, "changes">;
  readonly reach: ChangeReach;
  readonly returns: Pick<Returns, "effect" | "between" | "plan">;
  readonly jobs: Pick<Jobs, "compare">;
  readonly inventory: Pick<Inventory, "snapshot">;
  platform(name: string): PlatformPlugin | undefined;
  markKey(): Promise<string>;
}

const damaged = "its lines cannot be opened: they are damaged";

export function createDifferences(tools: DifferenceTools) {
  const { store, reach, returns, inventory, jobs, platform, markKey } = tools;
  const { changes } = store;

  async function found(change: StoredChange, name: string, caller: Caller) {
    const target = await changes.targetOf(change.id, name);
    if (target === undefined || !mayReach(caller, target.host))
      throw new ServiceError("NotFound", `The change has no device "${name.slice(0, 128)}".`);
    const { device, sha256 } = target;
    const [known, lines] = await Promise.all([
      inventory.snapshot().then((snapshot) => snapshot.device(device)),
      changes.texts(change.id, [sha256]).then((texts) => texts.get(sha256)),
    ]);
    return { target, known, lines, restored: readPlan(change.plan)?.restored[device] };
  }

  /** By the device itself, with the rights of the caller. */
  async function compare(id: string, name: string, caller: Caller): Promise<ChangeComparison> {
    requireScope(caller, "operate");
    const change = await reach.find(id, caller);
    const { target, known, lines, restored } = await found(change, name, caller);
    if (restored !== undefined || readPlan(change.plan)?.mends === true) requireRight(caller, "history");
    const { device, sha256, host, beforeVersion } = target;
    if (known?.host !== host)
      throw new ServiceError("InUse", `The inventory has another address for ${device} than the plan.`);
    const request = readRequest(change.request);
    if (lines === undefined || request === undefined) throw new ServiceError("Internal", damaged);
    const options = { label: labelOf("comparison", change.name), ticket: change.ticket ?? undefined };
    const { save: _, ...args } = request.driver_args ?? {};
    const asked = (config: string | string[], more: object | undefined) => ({
      ...{ device, config, options },
      driver_args: { ...args, ...more, dry_run: true },
    });
    const back =
      restored === undefined ? undefined : await returns.plan(device, restored, beforeVersion ?? 0);
    const { job, warnings } = back
      ? await jobs.compare(asked(back.config, back.driverArgs), caller, back.plan)
      : await jobs.compare(asked(lines.split("\n"), undefined), caller);
    return { device, sha256, job: job ?? null, warnings: [...warnings] };
  }

  async function difference(
    id: string,
    name: string,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<ChangeDifference> {
    const change = await reach.find(id, caller);
    requireRight(caller, "history");
    const { target, known, lines, restored } = await found(change, name, caller);
    const { device, sha256, beforeVersion } = target;
    const of = { device, sha256 };
    if (known === undefined) return nothing(of, "the inventory has it no more");
    if (lines === undefined) return nothing(of, damaged);
    if (restored !== undefined && beforeVersion !== null) {
      const asked = { share: shareOf(caller), signal };
      return restoredDifference(
        of,
        beforeVersion,
        await returns.between(device, beforeVersion, restored, asked),
      );
    }
    const fingerprint = hasRight(caller, "history_secrets")
      ? fingerprintWith(await markKey())
      : fingerprintOfNone();
    const shown = shownLines(lines, platform(known.platform ?? "")?.running, fingerprint);
    const effect = await returns.effect(known, beforeVersion ?? undefined, shown, {
      share: shareOf(caller),
      signal,
    });
    if ("why" in effect) return nothing(of, effect.why);
    const { text, isCut, ...counts } = effect.effect;
    return {
      ...{ ...of, version: effect.version, newest: effect.isNewest, difference: text, ...counts },
      ...(isCut ? { cut: true } : {}),
    };
  }

  return { difference, compare };
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
