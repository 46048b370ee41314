/** The lines of a change as callers see them: devices with equal lines, each secret as its mark. */
import { createHash } from "node:crypto";
import { type ChangeDetail, type ChangeRequest, changeLimits } from "../../api/changes/change.ts";
import type { Caller } from "../../auth/port.ts";
import { hasRight } from "../../auth/rights.ts";
import { ServiceError } from "../../base/errors.ts";
import { yieldToEventLoop } from "../../base/time/yield.ts";
import { fingerprintWith, hiddenFingerprint } from "../../configtext/secrets/secrets.ts";
import type { Inventory } from "../../inventory/port.ts";
import type { ChangeJobs, GateJobs } from "../../jobs/port.ts";
import type { PlatformPlugin } from "../../plugin/index.ts";
import type { Store, StoredChange } from "../../store/port.ts";
import { linesAsked, shownLines } from "../request.ts";
import type { StoredPlan } from "./plan.ts";

export interface ShownGroupsTools {
  readonly store: Pick<Store, "changes">;
  readonly inventory: Pick<Inventory, "snapshot">;
  platform(name: string): PlatformPlugin | undefined;
  markKey(): Promise<string>;
}

/** What changes ask of jobs to show what they are about, and what decides it. */
export type GroupJobs = Pick<GateJobs & ChangeJobs, "checkGates" | "changeDevices">;

const mostGroups = 100;
const ofHistory = "they are text of the history, which is shown only with the right history";
/** Each may be long. */
const textsAtOnce = 5;

export function createShownGroups({ store, inventory, platform, markKey }: ShownGroupsTools) {
  const { changes } = store;

  return async (
    { id }: Pick<StoredChange, "id">,
    plan: StoredPlan | undefined,
    caller: Pick<Caller, "scope" | "rights">,
  ): Promise<ChangeDetail["groups"]> => {
    const seesHistory = hasRight(caller, "history");
    const [fingerprint, snapshot, groups] = await Promise.all([
      hasRight(caller, "history_secrets") ? markKey().then(fingerprintWith) : hiddenFingerprint,
      inventory.snapshot(),
      changes.groups(id, mostGroups),
    ]);
    const shown: ChangeDetail["groups"][number][] = [];
    let room: number = changeLimits.shownChars;
    for (let from = 0; from < groups.length; from += textsAtOnce) {
      const some = groups.slice(from, from + textsAtOnce);
      const hashes = room > 0 ? some.map(({ sha256 }) => sha256) : [];
      const texts = hashes.length > 0 ? await changes.texts(id, hashes) : undefined;
      for (const { sha256, devices, first } of some) {
        const lines = room > 0 ? linesOf(texts?.get(sha256), first[0] ?? "") : undefined;
        const isCut = lines === undefined || lines.length > room;
        shown.push({
          ...{ sha256, devices, first_devices: first, lines: lines?.slice(0, room) ?? "" },
          ...(isCut ? { cut: true } : {}),
        });
        room -= lines?.length ?? 0;
      }
      await yieldToEventLoop();
    }
    return shown;

    function linesOf(lines: string | undefined, device: string): string {
      if (lines === undefined) return "its lines cannot be opened: they are damaged";
      if (plan?.mends === true && !seesHistory) return ofHistory;
      // Those of a version are kept with their marks.
      if (plan?.restored[device] !== undefined) return seesHistory ? lines : ofHistory;
      return shownLines(lines, platform(snapshot.device(device)?.platform ?? "")?.running, fingerprint);
    }
  };
}

/** What a draft asks for, before a plan decides it; empty: a template, a version or an intent gives the lines. */
export function createDraftGroups({
  jobs,
  platform,
  markKey,
}: Pick<ShownGroupsTools, "platform" | "markKey"> & { readonly jobs: Pick<ChangeJobs, "changeDevices"> }) {
  return async (request: ChangeRequest | undefined, caller: Caller): Promise<ChangeDetail["groups"]> => {
    const lines = request === undefined || request.rendering ? "" : linesAsked(request.config);
    if (request === undefined || lines.trim() === "") return [];
    const devices = await jobs.changeDevices(request, caller, new AbortController().signal).catch(refused);
    const fingerprint = hasRight(caller, "history_secrets")
      ? fingerprintWith(await markKey())
      : hiddenFingerprint;
    const shown = shownLines(lines, platform(devices[0]?.platform ?? "")?.running, fingerprint);
    const room = changeLimits.shownChars;
    return [
      {
        sha256: createHash("sha256").update(lines).digest("hex"),
        ...{
          devices: devices.length,
          first_devices: devices.slice(0, changeLimits.firstDevices).map(({ name }) => name),
        },
        lines: shown.slice(0, room),
        ...(shown.length > room ? { cut: true } : {}),
      },
    ];
  };
}

/** The plan says why; until then there are no devices. */
function refused(error: unknown): [] {
  if (error instanceof ServiceError) return [];
  throw error;
}
