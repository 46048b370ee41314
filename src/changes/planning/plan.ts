/** Plans a change: the lines of each device, rendered once, its wave, and what it had before. Queries only. */
import { createHash } from "node:crypto";
import * as v from "valibot";
import {
  type ChangeRequest,
  type ChangeStrategy,
  cannotReturn,
  changeLimits,
} from "../../api/changes/change.ts";
import { changeDefaults } from "../../api/changes/change-defaults.ts";
import { gateLimits } from "../../api/changes/change-gates.ts";
import { entryKey } from "../../api/inventory/inventory.ts";
import { maxChecks } from "../../api/jobs/checks.ts";
import type { Caller } from "../../auth/port.ts";
import { requireRight } from "../../auth/rights.ts";
import { ServiceError } from "../../base/errors.ts";
import { placedIn, refuse } from "../../base/issues.ts";
import { canonicalJson, canonicalTextOf } from "../../base/json/canonical.ts";
import { yieldToEventLoop } from "../../base/time/yield.ts";
import type { Returns } from "../../history/port.ts";
import type { Fixes } from "../../intent/port.ts";
import type { EffectiveDevice } from "../../inventory/port.ts";
import type { ChangeJobs, Jobs } from "../../jobs/port.ts";
import type { DriverPlugin, PlatformPlugin } from "../../plugin/index.ts";
import type { StoredChangeTarget } from "../../store/port.ts";
import type { FixedDevices } from "../drafts/fixing.ts";
import { restoredDevices } from "../drafts/restoring.ts";
import { isContext, linesAsked } from "../request.ts";
import type { ChangeRules } from "../rollout/model.ts";
import { holdSecondsOf } from "../rollout/open.ts";
import {
  demandsOf,
  demandWarnings,
  noDemands,
  type Origin,
  originFault,
  storedDemands,
  ticketFault,
  votesNeeded,
  waveGroupOf,
} from "./policy.ts";
import { countOf, type Placed, wavesOf } from "./waves.ts";

export interface PlanTools {
  readonly jobs: Pick<Jobs, "render"> & ChangeJobs;
  readonly returns: Returns;
  readonly fixes: Fixes;
  driver(name: string): DriverPlugin | undefined;
  platform(name: string): PlatformPlugin | undefined;
}

/** What the plan decided, beside the targets; as stored. */
const limit = v.object({ wave: v.nullable(v.number()), total: v.nullable(v.number()) });
export const storedPlan = v.object({
  waves: v.array(v.number()),
  rules: v.object({
    limits: v.object({ failed: limit, unreachable: limit, unknown: limit }),
    soakMs: v.number(),
    judges: v.optional(v.boolean(), false),
    sentinels: v.optional(v.boolean(), false),
    asks: v.boolean(),
    onStop: v.picklist(["return", "keep"]),
    holdsAll: v.optional(v.boolean(), false),
  }),
  concurrency: v.number(),
  warnings: v.array(v.string()),
  /** Devices that the service cannot return, by name, each with the reason: an index into `whys`. */
  notReturnable: v.record(v.string(), v.number()),
  whys: v.array(v.string()),
  /** Versions that are restored, by device. */
  restored: v.optional(v.record(v.string(), v.number()), {}),
  /** Its lines bring devices back to intents: they tell of configurations. */
  mends: v.exactOptional(v.literal(true)),
  /** Pushes wait in their devices for the gate of the wave. */
  hold: v.exactOptional(
    v.object({
      /** Their timers, by wave. */
      seconds: v.array(v.number()),
      /** Devices whose pushes do not, by name, each with the reason: an index into `whys`. */
      not: v.record(v.string(), v.number()),
      whys: v.array(v.string()),
    }),
  ),
  /** What the groups of the devices asked for. */
  demands: v.optional(storedDemands, noDemands),
  /** Devices that get no lines, by name, and whose checks they are: indexes into those of the request. */
  sentinels: v.optional(
    v.array(v.object({ device: v.string(), host: v.string(), of: v.array(v.number()) })),
    [],
  ),
});
export type StoredPlan = v.InferOutput<typeof storedPlan>;

/** @returns undefined for one of another version */
export function readPlan(text: string | null): StoredPlan | undefined {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), storedPlan), text);
  return read.success ? read.output : undefined;
}

export function readWaves(text: string | null): readonly number[] {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), storedPlan.entries.waves), text);
  return read.success ? read.output : [];
}

type NewTarget = Pick<
  StoredChangeTarget,
  "position" | "device" | "host" | "wave" | "sha256" | "beforeVersion"
>;

export interface MadePlan {
  readonly plan: StoredPlan;
  readonly targets: readonly NewTarget[];
  /** Lines by SHA-256. */
  readonly texts: ReadonlyMap<string, string>;
  /** Of everything that is voted on. */
  readonly hash: string;
  /** Votes. */
  readonly needed: number;
  /** Intents that the lines of devices mend. */
  readonly mends: FixedDevices["intents"];
}

const rendersAtOnce = 4;

/**
 * @param caller the author: nothing is planned that their key may not do
 * @throws ServiceError Validation, Forbidden, and those of a render
 */
export async function makePlan(
  request: ChangeRequest,
  caller: Caller,
  origin: Origin,
  signal: AbortSignal,
  tools: PlanTools,
): Promise<MadePlan> {
  const chosen = await tools.jobs.changeDevices(request, caller, signal);
  if (chosen.length > changeLimits.devices)
    throw new ServiceError(
      "PayloadTooLarge",
      `A change may have ${changeLimits.devices} devices, not ${chosen.length}.`,
    );
  const heads = await tools.returns.heads(chosen.map(({ name }) => name));
  if (request.restore) requireRight(caller, "history");
  const restored = request.restore && (await restoredDevices(request.restore, chosen, heads, tools.returns));
  if (request.fix) requireRight(caller, "history");
  const fixed = request.fix && (await mended(request.fix, chosen, caller, signal, tools));
  const devices = (restored ?? fixed)?.devices ?? chosen;
  const placed = devices.map((device) => placedBy(device, request));
  const demands = demandsOf(devices);
  const fault = ticketFault(request.ticket, demands);
  if (fault !== undefined) refuse([{ path: "ticket", message: fault }]);
  const notByAgents = originFault(origin, demands);
  if (notByAgents !== undefined) throw new ServiceError("Forbidden", notByAgents);
  const bounds = new Map(demands.waves.map(({ group, most }) => [group, most]));
  const divided = wavesOf(placed, request.strategy ?? {}, changeLimits.waves, bounds);
  if ("issue" in divided) return refuse([divided.issue]);
  const { hashes, texts } = await linesOf(
    request,
    (restored ?? fixed)?.lines,
    devices,
    caller,
    signal,
    tools,
  );
  const byName = new Map(devices.map((device) => [device.name, device]));
  const targets: NewTarget[] = [];
  const returnable = createReasons();
  const held = createReasons();
  const holds = request.hold === "wave" || request.hold === "change";
  /** Devices that hold a push for no longer than their first timer. */
  let timedOnce = 0;
  const concurrency = request.strategy?.concurrency ?? changeDefaults.concurrency;
  const sentinels = await sentinelsOf(request, caller, signal, tools);
  const seconds = divided.waves.map(({ length }) =>
    holdSecondsOf(request, length, sentinels.length, concurrency),
  );
  for (const [at, wave] of divided.waves.entries())
    for (const name of wave) {
      const device = byName.get(name);
      if (device === undefined) continue;
      const before = heads.get(entryKey(name));
      const why =
        tools.returns.whyNot(device) ??
        (before === undefined ? "no good configuration of it is known" : undefined);
      if (why !== undefined) returnable.add(name, why);
      const notHeld =
        before === undefined ? neverRead : whyNoHold(device, request.hold, seconds[at] ?? 0, tools);
      if (notHeld !== undefined) held.add(name, notHeld);
      else if (limitsOf(device, tools)?.extends !== true) timedOnce++;
      targets.push({
        ...{ position: targets.length, device: name, host: device.host, wave: at + 1 },
        ...{ sha256: hashes.get(name) ?? "", beforeVersion: before?.version ?? null },
      });
    }
  const plan: StoredPlan = {
    sentinels,
    waves: divided.waves.map(({ length }) => length),
    rules: rulesOf(request, devices.length),
    concurrency,
    warnings: [
      ...((restored ?? fixed)?.warnings ?? []),
      ...warningsOf(request, targets, returnable.count()),
      ...(holds && held.count() > 0
        ? [
            `${held.count()} of ${targets.length} devices cannot leave their push open ${request.hold === "change" ? "until the change is done" : "until the gate of their wave"}: their own checks confirm it; each device of the change says why`,
          ]
        : []),
      ...(holds && timedOnce > 0
        ? [
            `the timers of ${timedOnce} of ${targets.length} devices cannot start anew: if their wave takes longer than planned, or is paused, they undo their pushes`,
          ]
        : []),
      ...demandWarnings(
        request,
        demands,
        wavesAsked(placed, request, divided.waves.length),
        divided.waves.length,
      ),
    ],
    demands,
    restored: { ...restored?.versions },
    ...(fixed ? { mends: true } : {}),
    ...(holds ? { hold: { seconds, not: held.stored().notReturnable, whys: held.stored().whys } } : {}),
    ...returnable.stored(),
  };
  return {
    plan,
    targets,
    texts,
    hash: hashOf(request, plan, targets),
    needed: votesNeeded(request, demands, origin),
    mends: fixed?.intents ?? [],
  };
}

/** Loaded on demand: few changes mend drift. */
async function mended(
  ...[fix, devices, caller, signal, { fixes }]: [
    NonNullable<ChangeRequest["fix"]>,
    readonly EffectiveDevice[],
    Caller,
    AbortSignal,
    PlanTools,
  ]
) {
  const { fixedDevices } = await import("../drafts/fixing.ts");
  return fixedDevices(fix, devices, fixes, { caller, signal });
}

async function sentinelsOf(
  { sentinels }: ChangeRequest,
  caller: Caller,
  signal: AbortSignal,
  { jobs }: PlanTools,
): Promise<StoredPlan["sentinels"]> {
  const found = new Map<string, { device: string; host: string; of: number[] }>();
  for (const [at, sentinel] of (sentinels ?? []).entries()) {
    const devices = await jobs.changeDevices(sentinel, caller, signal).catch((error: unknown) => {
      throw placedIn(error, `sentinels.${at}`);
    });
    for (const { name, host } of devices) {
      const one = found.get(name) ?? { device: name, host, of: [] };
      one.of.push(at);
      found.set(name, one);
      const checks = one.of.reduce((sum, of) => sum + (sentinels?.[of]?.checks.length ?? 0), 0);
      if (checks > maxChecks)
        refuse([
          { path: `sentinels.${at}`, message: `gives ${name} ${checks} checks in all: ${maxChecks} at most` },
        ]);
    }
    if (found.size > gateLimits.devices)
      refuse([
        { path: `sentinels.${at}`, message: `makes ${found.size} devices: ${gateLimits.devices} at most` },
      ]);
  }
  return [...found.values()];
}

const neverRead = "its configuration was never read, so nobody could tell whether it has come back";

/** @returns why its push cannot wait in it for so long; undefined: it can */
function whyNoHold(
  device: EffectiveDevice,
  hold: ChangeRequest["hold"],
  seconds: number,
  tools: Pick<PlanTools, "driver" | "platform">,
): string | undefined {
  const { driver: name, platform } = device;
  const limits = limitsOf(device, tools);
  if (limits === undefined)
    return `the driver ${name ?? "(none)"} knows no timer of ${platform ?? "no platform"} that outlives its session`;
  if (hold === "change" && limits.extends !== true)
    return `the driver ${name} cannot start a timer of ${platform ?? "no platform"} anew, so it would not last for the whole change`;
  if (seconds <= limits.mostSeconds) return undefined;
  return `its wave needs a timer of ${seconds} seconds, and ${platform ?? name} has at most ${limits.mostSeconds}`;
}

const limitsOf = (
  { driver: name, platform }: EffectiveDevice,
  { driver, platform: find }: Pick<PlanTools, "driver" | "platform">,
) => (name === null ? undefined : driver(name)?.holds?.({ platform, find }));

function createReasons() {
  const places = new Map<string, number>();
  const notReturnable: Record<string, number> = {};
  return {
    add(name: string, why: string) {
      const place = places.get(why) ?? places.size;
      places.set(why, place);
      notReturnable[name] = place;
    },
    count: () => Object.keys(notReturnable).length,
    stored: () => ({ whys: [...places.keys()], notReturnable }),
  };
}

function placedBy(device: EffectiveDevice, { strategy }: ChangeRequest): Placed {
  const fieldValue = (field: string | null | undefined): string | null => {
    if (!field) return null;
    const value: unknown = field.startsWith("vars.")
      ? device.vars[field.slice("vars.".length)]
      : { site: device.site, role: device.role, group: device.group }[field];
    return value === null || value === undefined ? null : String(value);
  };
  return {
    ...{ device: device.name, spread: fieldValue(strategy?.spread), apart: fieldValue(strategy?.apart) },
    bound: waveGroupOf(device),
  };
}

/** As many waves as there would be if no group bounded them. */
function wavesAsked(placed: readonly Placed[], { strategy }: ChangeRequest, otherwise: number): number {
  const free = wavesOf(placed, strategy ?? {}, changeLimits.waves);
  return "issue" in free ? otherwise : free.waves.length;
}

/** The lines of each device; those of all are the same without a template. */
async function linesOf(
  { config, rendering }: ChangeRequest,
  restored: ReadonlyMap<string, string> | undefined,
  devices: readonly EffectiveDevice[],
  caller: Caller,
  signal: AbortSignal,
  { jobs }: PlanTools,
) {
  const texts = new Map<string, string>();
  const hashes = new Map<string, string>();
  let chars = 0;
  function add(name: string, lines: string): void {
    if (lines.trim() === "") refuse([{ path: "config", message: `is empty for ${name}` }]);
    if (lines.length > changeLimits.lineChars)
      refuse([
        { path: "config", message: `is longer than ${changeLimits.lineChars} characters for ${name}` },
      ]);
    const sha256 = createHash("sha256").update(lines).digest("hex");
    if (!texts.has(sha256)) chars += lines.length;
    if (chars > changeLimits.totalChars)
      refuse([
        { path: "config", message: `has more than ${changeLimits.totalChars} characters of different lines` },
      ]);
    texts.set(sha256, lines);
    hashes.set(name, sha256);
  }
  if (restored !== undefined) {
    for (const [name, lines] of restored) add(name, lines);
    return { texts, hashes };
  }
  if (!rendering) {
    if (isContext(config))
      refuse([{ path: "config", message: "an object is a template context and needs `rendering`" }]);
    const lines = linesAsked(config);
    for (const { name } of devices) add(name, lines);
    return { texts, hashes };
  }
  const queue = [...devices];
  const work = async () => {
    for (let device = queue.shift(); device !== undefined; device = queue.shift()) {
      const value = { ...rendering, context: config, device: device.name };
      const body = { text: JSON.stringify(value), value };
      add(device.name, (await jobs.render(body, undefined, caller, signal)).text);
      await yieldToEventLoop();
    }
  };
  await Promise.all(Array.from({ length: rendersAtOnce }, work));
  return { texts, hashes };
}

type Limit = NonNullable<NonNullable<ChangeStrategy["limits"]>["failed"]>;

function rulesOf({ strategy, on_stop, sentinels, hold }: ChangeRequest, devices: number): ChangeRules {
  const { limits, soak_seconds, gate } = strategy ?? {};
  const numbers = (kind: keyof typeof changeDefaults.limits) => {
    const given: Limit = limits?.[kind] ?? changeDefaults.limits[kind];
    const count = (value: Limit["wave"]) =>
      value === null || value === undefined ? null : countOf(value, devices);
    return { wave: count(given.wave), total: count(given.total) };
  };
  return {
    limits: {
      failed: numbers("failed"),
      unreachable: numbers("unreachable"),
      unknown: numbers("unknown"),
    },
    soakMs: (soak_seconds ?? changeDefaults.soak_seconds) * 1_000,
    judges: (sentinels ?? []).length + (strategy?.questions ?? []).length > 0,
    sentinels: (sentinels ?? []).length > 0,
    asks: (gate ?? changeDefaults.gate) === "approval",
    onStop: on_stop ?? changeDefaults.on_stop,
    holdsAll: hold === "change",
  };
}

function warningsOf(
  { checks }: ChangeRequest,
  targets: readonly NewTarget[],
  notReturnable: number,
): string[] {
  const unread = targets.filter(({ beforeVersion }) => beforeVersion === null).length;
  const after = checks?.after ?? [];
  return [
    ...(after.length === 0
      ? ["there is no check after the push: only what the devices refuse stops the change"]
      : []),
    ...(unread > 0
      ? [
          `the configuration of ${unread} of ${targets.length} devices was never read, so that nobody notices what somebody else changes before their turn: read it first`,
        ]
      : []),
    ...(notReturnable > 0
      ? [`${notReturnable} of ${targets.length} devices ${cannotReturn}: each device of the change says why`]
      : []),
  ];
}

/** What is approved is what runs: nothing of it can differ with the same hash. */
function hashOf(request: ChangeRequest, plan: StoredPlan, targets: readonly NewTarget[]): string {
  const hash = createHash("sha256");
  hash.update(canonicalTextOf(request));
  hash.update(canonicalJson(plan));
  for (const { device, host, wave, sha256, beforeVersion } of targets)
    hash.update(JSON.stringify([device, host, wave, sha256, beforeVersion]));
  return hash.digest("hex");
}
