/** What a plan decided, and what became of it by wave, as callers see it. */
import {
  type ChangeDetail,
  changeLimits,
  type TargetCounts,
  type TargetState,
} from "../../api/changes/change.ts";
import { noCounts } from "../targets.ts";
import type { StoredPlan } from "./plan.ts";

const shownReasons = 100;

export function byWave(
  waves: number,
  counts: readonly { readonly wave: number; readonly state: TargetState; readonly count: number }[],
): TargetCounts[] {
  const all = Array.from({ length: waves }, noCounts);
  for (const { wave, state, count } of counts) {
    const of = all[wave - 1];
    if (of !== undefined) of[state] += count;
  }
  return all;
}

export function reasonsOf({ notReturnable, whys }: StoredPlan): ChangeDetail["not_returnable_because"] {
  const byReason = whys.map((reason) => ({ reason, devices: 0, first_devices: [] as string[] }));
  for (const [device, at] of Object.entries(notReturnable)) {
    const of = byReason[at];
    if (of === undefined) continue;
    of.devices += 1;
    if (of.first_devices.length < changeLimits.firstDevices) of.first_devices.push(device);
  }
  return byReason.sort((a, b) => b.devices - a.devices).slice(0, shownReasons);
}
