/** Evaluates selectors over the devices of the inventory: giving way, within a budget, until their caller is gone. */

import { entryKey } from "../../api/inventory/inventory.ts";
import { abortReason, neverAborted } from "../../base/time/deadline.ts";
import { giveWay } from "../../base/time/yield.ts";
import type { DeviceFilter, EffectiveDevice, Snapshot } from "../port.ts";
import { matchingNow, readSelector, type Selector, tooCostly } from "./selector.ts";

/** Who waits for an evaluation. */
export interface Evaluation {
  readonly whose: string;
  /** Aborted when the caller disconnects. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Steps of one evaluation, about two seconds: five hundred wildcards over a hundred thousand devices need a hundred
 * million.
 */
export const selectorSteps = 120_000_000;

/**
 * The devices that any of the selectors matches, in their order.
 * @param mayMatch asked first: the others cost nothing
 * @throws ServiceError Validation: it takes too many steps; Cancelled
 */
export async function matchingDevices(
  devices: readonly EffectiveDevice[],
  selectors: readonly Selector[],
  snapshot: Pick<Snapshot, "facts">,
  { whose, signal = neverAborted }: Evaluation,
  mayMatch: (device: EffectiveDevice) => boolean = () => true,
): Promise<EffectiveDevice[]> {
  const matchers = await Promise.all(selectors.map((selector) => matchingNow(selector, snapshot)));
  const stepsBefore = stepsOf(selectors);
  const found: EffectiveDevice[] = [];
  for (const [at, device] of devices.entries()) {
    const turn = giveWay(whose);
    if (turn !== undefined) {
      await turn;
      if (signal.aborted) throw abortReason(signal);
    }
    if (mayMatch(device) && matchers.some((matches) => matches(device))) found.push(device);
    if (stepsOf(selectors) - stepsBefore > selectorSteps) throw tooCostly(selectors, at, devices.length);
  }
  return found;
}

function stepsOf(selectors: readonly Selector[]): number {
  let steps = 0;
  for (const { count } of selectors) steps += count.steps;
  return steps;
}

/** Disabled ones too. */
const anyDevice = readSelector("enabled:*");

/** Those of the devices that a list or an export asks for. @throws ServiceError as `matchingDevices` */
export async function filteredDevices(
  devices: readonly EffectiveDevice[],
  { group, select, signal }: DeviceFilter,
  snapshot: Pick<Snapshot, "facts">,
  whose: string,
): Promise<readonly EffectiveDevice[]> {
  if (group === undefined && select === undefined) return devices;
  const key = group === undefined ? undefined : entryKey(group);
  const isIn = ({ groups }: EffectiveDevice) =>
    key === undefined || groups.some((name) => entryKey(name) === key);
  return matchingDevices(
    devices,
    [select === undefined ? anyDevice : readSelector(select)],
    snapshot,
    { whose, signal },
    isIn,
  );
}
