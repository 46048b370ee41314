/** Divides the devices of a change into waves. Pure. */
import type { ChangeStrategy } from "../../api/changes/change.ts";
import { changeDefaults } from "../../api/changes/change-defaults.ts";

/** A device as far as its wave depends on it. */
export interface Placed {
  readonly device: string;
  /** Values of `spread` and `apart`; null: the device has none. */
  readonly spread: string | null;
  readonly apart: string | null;
  /** The group that bounds how many of its devices a wave may have; absent or null: none. */
  readonly bound?: string | null;
}

export type Waves =
  | { readonly waves: readonly (readonly string[])[] }
  | { readonly issue: { readonly path: string; readonly message: string } };

/** A share of a number, rounded up: a percentage is at least one. */
export function countOf(value: number | string, of: number): number {
  if (typeof value === "number") return value;
  const number = Number.parseInt(value, 10);
  return value.endsWith("%") ? Math.ceil((of * number) / 100) : number;
}

/**
 * @param most number of waves
 * @param bounds devices of a group in one wave, at most
 */
export function wavesOf(
  devices: readonly Placed[],
  { canary, waves, spread, apart }: Pick<ChangeStrategy, "canary" | "waves" | "spread" | "apart">,
  most: number,
  bounds: ReadonlyMap<string, number> = new Map(),
): Waves {
  const ordered = spread ? inTurns(devices) : [...devices];
  const { first, rest, missing } = canaryOf(ordered, canary ?? changeDefaults.canary);
  if (missing.length > 0)
    return {
      issue: {
        path: "strategy.canary",
        message: `names ${missing.slice(0, 5).join(", ")}, which the change does not have`,
      },
    };
  const sizes = (waves ?? changeDefaults.waves).map((size) => countOf(size, devices.length));
  const result: string[][] = [];
  let left = rest;
  for (const [at, size] of [first.length, ...sizes, Number.POSITIVE_INFINITY].entries()) {
    const from = at === 0 ? first : left;
    if (from.length === 0 || size === 0) continue;
    const wave = taken(from, size, apart !== undefined && apart !== null, bounds);
    result.push(wave.map(({ device }) => device));
    const used = new Set(wave);
    left = (at === 0 ? [...first, ...left] : left).filter((device) => !used.has(device));
  }
  while (left.length > 0) {
    if (result.length >= most) break;
    const used = new Set(taken(left, Number.POSITIVE_INFINITY, true, bounds));
    result.push([...used].map(({ device }) => device));
    left = left.filter((device) => !used.has(device));
  }
  if (left.length > 0 || result.length > most)
    return {
      issue: {
        path: apart ? "strategy.apart" : "strategy.waves",
        message: `needs more than ${most} waves: too many devices have the same value, or are in a group that allows few in one`,
      },
    };
  return { waves: result };
}

function canaryOf(devices: readonly Placed[], canary: number | readonly string[]) {
  if (typeof canary === "number")
    return { first: devices.slice(0, canary), rest: devices.slice(canary), missing: [] };
  const wanted = new Set(canary.map((name) => name.toLowerCase()));
  const first = devices.filter(({ device }) => wanted.has(device.toLowerCase()));
  const found = new Set(first.map(({ device }) => device.toLowerCase()));
  return {
    first,
    rest: devices.filter((device) => !first.includes(device)),
    missing: canary.filter((name) => !found.has(name.toLowerCase())),
  };
}

/** The first that fit: with `isApart` at most one for each value, and of a group as many as it allows. */
function taken(
  devices: readonly Placed[],
  size: number,
  isApart: boolean,
  bounds: ReadonlyMap<string, number>,
): Placed[] {
  const wave: Placed[] = [];
  const values = new Set<string>();
  const room = new Map(bounds);
  for (const device of devices) {
    if (wave.length >= size) break;
    const left = room.get(device.bound ?? "");
    if (left === 0) continue;
    if (isApart && device.apart !== null) {
      if (values.has(device.apart)) continue;
      values.add(device.apart);
    }
    if (left !== undefined) room.set(device.bound ?? "", left - 1);
    wave.push(device);
  }
  return wave;
}

/** One of each value of `spread`, then the second of each, and so on. */
function inTurns(devices: readonly Placed[]): Placed[] {
  const byValue = new Map<string, Placed[]>();
  for (const device of devices) {
    const value = device.spread ?? "";
    byValue.set(value, [...(byValue.get(value) ?? []), device]);
  }
  const queues = [...byValue.values()];
  const ordered: Placed[] = [];
  for (let turn = 0; ordered.length < devices.length; turn++)
    for (const queue of queues) {
      const device = queue[turn];
      if (device !== undefined) ordered.push(device);
    }
  return ordered;
}
