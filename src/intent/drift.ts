/** Drift as callers read it: of devices that they may reach, and never better than what is known. */

import * as v from "valibot";
import { notWholeAdvice } from "../api/history/history.ts";
import { driftFix } from "../api/intent/drift-fix.ts";
import {
  type DriftDetail,
  type DriftRecord,
  type DriftState,
  type DriftSummary,
  driftDetail,
  driftRecord,
  driftRun,
  driftStates,
  intentLimits,
} from "../api/intent/intent.ts";
import { entryKey } from "../api/inventory/inventory.ts";
import { anyCaller, requireScope, shareOf } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { mayReach, reachOf } from "../auth/reach.ts";
import { requireRight } from "../auth/rights.ts";
import { ServiceError } from "../base/errors.ts";
import { errorSentence, refuse } from "../base/issues.ts";
import { neverAborted } from "../base/time/deadline.ts";
import type { EffectiveDevice, Inventory, Snapshot } from "../inventory/port.ts";
import { matchingDevices } from "../inventory/selector/matching-devices.ts";
import { readSelector } from "../inventory/selector/selector.ts";
import { checkShape } from "../jobs/request/validate.ts";
import type { Store, ToldResult } from "../store/port.ts";
import type { createFixes } from "./fixes.ts";
import type { Judge } from "./judge.ts";
import { createDriftLines } from "./lines.ts";
import type { Drift, DriftNews } from "./port.ts";
import type { DriftRunner } from "./runner.ts";

export interface DriftOptions {
  readonly store: Pick<Store, "intents" | "clock">;
  readonly inventory: Pick<Inventory, "snapshot">;
  readonly judge: Pick<Judge, "definitions" | "scopes">;
  readonly runner: Pick<DriftRunner, "wake" | "moved">;
  readonly fixes: ReturnType<typeof createFixes>;
  readonly iso: (ms: number) => string;
  /** Configurations that were read before say nothing. */
  readonly freshMs: number;
}

/** Devices of one change that mends drift. */
const mostFixed = 1_000;

const sectionsIn = v.pipe(v.string(), v.parseJson(), driftRecord.entries.sections);
const changesIn = v.pipe(
  v.string(),
  v.parseJson(),
  v.array(
    v.object({
      section: v.string(),
      changes: driftDetail.entries.sections.item.entries.changes,
      cut: v.exactOptional(v.boolean()),
    }),
  ),
);

export function createDrift(options: DriftOptions): Drift & { readonly news: DriftNews } {
  const { store, inventory, judge, runner, fixes, iso, freshMs } = options;
  const { intents } = store;
  const lines = createDriftLines(intents);

  function requireReader(caller: Caller): void {
    requireScope(caller, "read");
    requireRight(caller, "history");
  }

  /** Devices of the inventory within reach. @throws ServiceError Validation (the selector) */
  async function devicesFor(
    select: string | undefined,
    caller: Caller,
    snapshot: Snapshot,
    signal?: AbortSignal,
  ): Promise<EffectiveDevice[]> {
    const reach = reachOf(caller.hosts);
    if (select === undefined) return snapshot.all().filter(({ host }) => reach.allows(host));
    return matchingDevices(
      snapshot.all(),
      [readSelector(select)],
      snapshot,
      { whose: shareOf(caller), signal },
      ({ host }) => reach.allows(host),
    );
  }

  const namesOf = (devices: readonly EffectiveDevice[]) => devices.map(({ name }) => entryKey(name));
  const fresh = () => store.clock.wall() - freshMs;

  async function conditionFor(
    { select, intent }: { readonly select?: string | undefined; readonly intent?: string | undefined },
    caller: Caller,
    signal?: AbortSignal,
  ) {
    requireReader(caller);
    const snapshot = await inventory.snapshot();
    const names = namesOf(await devicesFor(select, caller, snapshot, signal));
    return { snapshot, condition: { names, fresh: fresh(), intent } };
  }

  async function summaryOf(condition: {
    readonly names: readonly string[];
    readonly fresh: number;
    readonly intent?: string | undefined;
  }) {
    const [waiting, counts] = await Promise.all([
      intents.countDue(condition.names),
      intents.counts(condition),
    ]);
    const states = Object.fromEntries(driftStates.map((state) => [state, counts.get(state) ?? 0]));
    return {
      waiting,
      pairs: [...counts.values()].reduce((sum, count) => sum + count, 0),
      states: v.parse(v.object(v.entriesFromList(driftStates, v.number())), states),
    } satisfies DriftSummary;
  }

  function recordOf(result: ToldResult, snapshot: Snapshot): DriftRecord {
    const { stale } = result;
    const isStale = stale !== null && (result.state !== "intent_error" || stale === "newer");
    const read = v.safeParse(sectionsIn, result.sections);
    const sections = read.success ? read.output : [];
    const state: DriftState = isStale ? "unknown" : result.state;
    const isoOrNull = (ms: number | null) => (ms === null ? null : iso(ms));
    return {
      device: snapshot.device(result.device)?.name ?? result.device,
      intent: result.intent,
      state,
      reason: isStale ? ((stale === "never" ? result.reason : null) ?? whyStale(stale)) : result.reason,
      version: result.version,
      read_at: isoOrNull(result.readAt),
      checked_at: iso(result.checkedAt),
      since: state === "drifted" ? isoOrNull(result.since) : null,
      rounds: result.rounds,
      needs_person: result.rounds >= intentLimits.rounds,
      sections: isStale ? sections.map((section) => ({ ...section, state: "unknown" as const })) : sections,
    };
  }

  function whyStale(stale: NonNullable<ToldResult["stale"]>): string {
    switch (stale) {
      case "never":
        return "no good configuration is known: read it first";
      case "old":
        return `it was not read well in the last ${Math.round(freshMs / 3_600_000)} hours: read it again`;
      case "suspect":
        return notWholeAdvice;
      case "newer":
        return "the configuration or the intent is newer than the comparison: it is compared soon, or when you ask for it";
    }
  }

  const cursorOf = ({ device, intent }: ToldResult) =>
    Buffer.from(JSON.stringify([device, intent]), "utf8").toString("base64url");
  const cursorShape = v.pipe(v.string(), v.parseJson(), v.tuple([v.string(), v.string()]));
  const placeOf = (cursor: string) => {
    const read = v.safeParse(cursorShape, Buffer.from(cursor, "base64url").toString("utf8"));
    if (read.success) return read.output;
    throw new ServiceError("BadRequest", "cursor: it is not one of this list.");
  };

  return {
    async run(body, caller, signal) {
      requireScope(caller, "operate");
      requireReader(caller);
      const { select, intents: wanted } = checkShape(driftRun, body);
      const snapshot = await inventory.snapshot();
      const devices = await devicesFor(select ?? undefined, caller, snapshot, signal);
      const all = await judge.definitions();
      const unknown = (wanted ?? []).find((name) => !all.some((one) => one.name === name));
      if (unknown !== undefined) throw new ServiceError("NotFound", `There is no intent "${unknown}".`);
      const asked = all.filter(({ name }) => wanted?.includes(name) !== false);
      const scopes = await Promise.all(
        asked.map(async (one) => judge.scopes.scopeOf(one, await judge.scopes.ownerOf(one), snapshot)),
      );
      const names = namesOf(devices);
      await intents.ask(names.filter((name) => scopes.some((scope) => scope.has(name))));
      runner.wake();
      return summaryOf({ names, fresh: fresh() });
    },

    async summary(filter, caller, { waitMs, signal }) {
      const { condition } = await conditionFor(filter, caller, signal);
      const until = performance.now() + waitMs;
      for (let looks = 0; ; looks++) {
        const leftMs = until - performance.now();
        if (leftMs <= 0 || signal.aborted || (await intents.countDue(condition.names)) === 0) break;
        // Much makes devices due that tells nobody, such as a template that was changed.
        if (looks === 0) runner.wake();
        await runner.moved(signal, leftMs);
      }
      return summaryOf({ ...condition, fresh: fresh() });
    },

    async page({ section, state, ...filter }, caller, { limit, cursor, signal }) {
      const { condition, snapshot } = await conditionFor(filter, caller, signal);
      const after = cursor === undefined ? undefined : placeOf(cursor);
      const rows = await intents.page({ ...condition, section, state, after }, limit + 1);
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      return {
        items: shown.map((row) => recordOf(row, snapshot)),
        next: rows.length > limit && last !== undefined ? cursorOf(last) : undefined,
      };
    },

    async draft(body, caller) {
      requireScope(caller, "operate");
      const { intents: names, sections, unproven, name, ...rest } = checkShape(driftFix, body.value);
      const { condition, snapshot } = await conditionFor({}, caller);
      const found = new Set<string>();
      if (!rest.select && !rest.devices) {
        const drifted = { ...condition, state: "drifted" } as const;
        for (const intent of names)
          for (const { device } of await intents.page({ ...drifted, intent }, mostFixed + 1))
            found.add(snapshot.device(device)?.name ?? device);
        if (found.size > mostFixed)
          refuse([
            {
              path: "select",
              message: `is required: more than ${mostFixed} devices drift, which is the most`,
            },
          ]);
        if (found.size === 0)
          refuse([{ path: "intents", message: "nothing is known to drift from them: compare first" }]);
      }
      const value = {
        ...rest,
        ...(found.size === 0 ? {} : { devices: [...found] }),
        name: name ?? `fix of ${names.join(", ")}`.slice(0, 200),
        fix: { intents: names, sections, unproven },
      };
      return { text: JSON.stringify(value), value };
    },

    async device(name, intent, caller, signal) {
      requireReader(caller);
      const snapshot = await inventory.snapshot();
      const device = snapshot.device(name);
      if (device === undefined || !mayReach(caller, device.host))
        throw new ServiceError(
          "NotFound",
          `There is no device "${name.slice(0, 128)}" in the inventory that ${anyCaller} may reach.`,
        );
      const rows = await intents.page({ names: [entryKey(name)], fresh: fresh(), intent }, intentLimits.most);
      const details: DriftDetail[] = [];
      for (const row of rows) {
        const record = recordOf(row, snapshot);
        const isTold = record.state !== "unknown" || row.stale === null;
        const read = v.safeParse(changesIn, isTold ? await intents.changes(row.device, row.intent) : null);
        const found = new Map((read.success ? read.output : []).map((one) => [one.section, one]));
        const fix =
          record.state === "drifted"
            ? await fixes.shown(device, row.intent, caller, signal).catch((error: unknown) => {
                if (error instanceof ServiceError) return { why: errorSentence(error) };
                throw error;
              })
            : undefined;
        details.push({
          ...record,
          sections: record.sections.map((section) => {
            const { changes = [], cut } = found.get(section.name) ?? {};
            return { ...section, changes, ...(cut ? { cut } : {}), lines: linesOf(changes) };
          }),
          unmatched: row.unmatched,
          fix: fix === undefined || "why" in fix ? null : fix,
          ...(fix !== undefined && "why" in fix ? { why: fix.why } : {}),
        });
      }
      return details;
    },

    async news(pairs) {
      const snapshot = await inventory.snapshot();
      const names = [...new Set(pairs.map(({ device }) => device))];
      const rows = await intents.page({ names, fresh: fresh() }, names.length * intentLimits.most);
      const known = new Map(rows.map((row) => [`${row.device} ${row.intent}`, row]));
      return pairs.map(({ device: name, intent }) => {
        const row = known.get(`${name} ${intent}`);
        const device = snapshot.device(name);
        if (row === undefined || device === undefined) return undefined;
        return {
          record: recordOf(row, snapshot),
          isVisibleTo: (caller) => mayReach(caller, device.host),
          async difference() {
            const read = v.safeParse(changesIn, await intents.changes(name, intent));
            return read.success ? read.output.map(({ changes }) => linesOf(changes)).join("") : undefined;
          },
        };
      });
    },

    async lines({ text, section, ...filter }, caller, { limit, cursor, signal }) {
      const { condition, snapshot } = await conditionFor(filter, caller, signal);
      const offset = cursor === undefined ? 0 : Number(cursor);
      if (!/^\d{1,9}$/.test(cursor ?? "0"))
        throw new ServiceError("BadRequest", "cursor: it is not one of this list.");
      const asked = { ...condition, names: condition.names.sort(), text, section };
      const page = { offset, limit };
      const found = await lines.page(asked, shareOf(caller), page, signal ?? neverAborted);
      return {
        items: found.lines.map(({ id: _, first, ...row }) => ({
          ...row,
          first_devices: first.map((name) => snapshot.device(name)?.name ?? name),
        })),
        next: found.isLast ? undefined : String(offset + limit),
      };
    },
  };
}

type Changes = DriftDetail["sections"][number]["changes"];

/** As a difference: what is there with `-`, what should be with `+`, below the lines of their block. */
function linesOf(changes: Changes): string {
  const lines: string[] = [];
  let above: readonly string[] = [];
  for (const { kind, path, text, was } of changes) {
    const same = path.findIndex((line, at) => above[at] !== line);
    const from = same < 0 ? path.length : same;
    for (const [at, line] of path.entries()) if (at >= from) lines.push(` ${" ".repeat(at)}${line}`);
    const put = (sign: string, whole: string) => {
      for (const line of whole.split("\n")) lines.push(`${sign}${" ".repeat(path.length)}${line}`);
    };
    if (kind === "extra") put("-", text);
    else if (kind === "moved") put("~", text);
    else if (kind === "unverified") put("?", text);
    else {
      if (was !== undefined) put("-", was);
      put("+", text);
    }
    above = kind === "extra" || kind === "missing" || kind === "differs" ? [...path, text] : path;
  }
  return lines.map((line) => `${line}\n`).join("");
}
