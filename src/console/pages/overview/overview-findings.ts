/** What needs a person, from what the API says: each finding with its count and the names that it is about. */
import type * as v from "valibot";
import type { ChangeState } from "../../../api/changes/change.ts";
import { adviceFor } from "../../../base/text/error-advice.ts";
import { to } from "../../address.ts";
import type { ListedChange } from "../../shapes/changes.ts";
import { type Schedule, toldFiring } from "../../shapes/schedules.ts";
import type { failedJob } from "../../shapes/shapes.ts";
import { text } from "../../text/text.ts";

export interface Finding {
  /** `bad`: something failed; `warn`: somebody should look. */
  readonly look: "bad" | "warn";
  readonly what: string;
  /** Undefined: only that there are some. */
  readonly count?: number | undefined;
  readonly names: readonly { readonly name: string; readonly href: string }[];
  /** There are more than these. */
  readonly more?: boolean;
  /** All of them. */
  readonly href: string;
  readonly advice?: string | null | undefined;
}

type FailedJob = v.InferOutput<typeof failedJob>;

/** Names of each finding. */
export const mostNames = 6;

/**
 * Failed jobs by cause, the most frequent first; those of unknown outcome before them.
 * @param rows the newest
 * @param counts of all, by error type; absent types are counted in the rows
 */
export function failures(
  rows: readonly FailedJob[],
  counts: Readonly<Record<string, number>>,
  since: string,
): Finding[] {
  // What only asks is asked again without a doubt.
  const unknown = rows.filter(
    ({ operation, result }) => operation === "config" && result?.error?.outcome === "unknown",
  );
  const byType = [...Map.groupBy(rows, ({ error_type }) => error_type ?? text.failed)];
  const missing = Object.keys(counts).filter((type) => !byType.some(([known]) => known === type));
  const causes = [...byType, ...missing.map((type): [string, FailedJob[]] => [type, []])].map(
    ([type, jobs]) => ({
      look: "bad" as const,
      what: type,
      count: Math.max(jobs.length, counts[type] ?? 0),
      names: namesOf(jobs),
      more: (counts[type] ?? 0) > jobs.length,
      href: to(["jobs"], { status: "failed", ...(type === text.failed ? {} : { error_type: type }), since }),
      advice: adviceFor(type),
    }),
  );
  return [
    ...(unknown.length === 0
      ? []
      : [
          {
            look: "bad" as const,
            ...{ what: text.overview.unknown, count: unknown.length, names: namesOf(unknown) },
            href: to(["jobs"], { status: "failed", operation: "config", since }),
            advice: text.overview.unknownAdvice,
          },
        ]),
    ...causes.sort((a, b) => b.count - a.count),
  ];
}

/** Each device once, with its newest failed job. */
function namesOf(jobs: readonly FailedJob[]): Finding["names"] {
  const newest = new Map<string, string>();
  for (const { id, device, host } of jobs) if (!newest.has(device ?? host)) newest.set(device ?? host, id);
  return [...newest].map(([name, id]) => ({ name, href: to(["job", id]) }));
}

/** Schedules whose last firing failed, or had devices that failed. */
export function failedSchedules(schedules: readonly Schedule[]): Finding[] {
  const failed = schedules.filter(({ last }) => last !== null && toldFiring(last).look === "problem");
  if (failed.length === 0) return [];
  const names = failed.map(({ id, name }) => ({ name, href: to(["schedule", id]) }));
  const [only, ...others] = failed;
  return [
    {
      ...{ look: "bad", what: text.overview.schedules, count: failed.length, names },
      ...{ href: to(["schedules"]), advice: others.length === 0 ? only?.last?.reason : undefined },
    },
  ];
}

const needsPerson: readonly ChangeState[] = ["needs_person", "partly_returned", "stopped"];

/** Not after a good wave, nor by somebody who gave no note: a note is not told from what the service found. */
const isStuck = ({ state, phase, reason }: ListedChange) =>
  state === "paused" && phase !== "gate" && reason?.startsWith("paused by a ") !== true;

/** Changes that have come to a halt, if they ended since then, and those that wait for this session. */
export function haltedChanges(changes: readonly ListedChange[], since: string): Finding[] {
  const link = ({ id, name }: ListedChange) => ({ name, href: to(["change", id]) });
  const isNew = (ended: string | null) => ended === null || Date.parse(ended) >= Date.parse(since);
  const halted = changes.filter(
    (one) => isStuck(one) || (needsPerson.includes(one.state) && isNew(one.ended_at)),
  );
  const waiting = changes.filter((one) => one.waits_for_you && !isStuck(one));
  return [
    ...(halted.length === 0
      ? []
      : [
          {
            look: "bad" as const,
            ...{ what: text.overview.halted, count: halted.length, names: halted.map(link) },
            href: to(["change"]),
            advice: halted.length === 1 ? halted[0]?.reason : undefined,
          },
        ]),
    ...(waiting.length === 0
      ? []
      : [
          {
            look: "warn" as const,
            ...{ what: text.overview.waiting, count: waiting.length, names: waiting.map(link) },
            href: to(["change"], { waits_for_you: "true" }),
            advice: waiting.length === 1 ? waiting[0]?.reason : undefined,
          },
        ]),
  ];
}

/** Schedules that fire next, the soonest first. */
export function nextOf(schedules: readonly Schedule[], most: number): readonly Schedule[] {
  return schedules
    .filter(({ next }) => next.length > 0)
    .sort((a, b) => Date.parse(a.next[0] ?? "") - Date.parse(b.next[0] ?? ""))
    .slice(0, most);
}
