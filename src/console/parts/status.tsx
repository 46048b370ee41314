/** The state of a job, shown by shape, word and colour. */
import type { ComponentChildren } from "preact";
import { type Schedule, toldFiring } from "../shapes/schedules.ts";
import { type JobStatus, jobStatuses } from "../shapes/shapes.ts";
import { text } from "../text/text.ts";

export const shapes: Readonly<Record<JobStatus, string>> = {
  queued: "○",
  held: "‖",
  running: "▶",
  finished: "✓",
  failed: "✕",
  cancelled: "–",
};

/** A word with its sign, which is not read aloud. @param props.like the job state whose colour it has */
export function Signed({ sign, of, like }: { sign: string; of: string; like: JobStatus }) {
  return (
    <span class={`status ${like}`}>
      <span aria-hidden="true">{sign}</span> {of}
    </span>
  );
}

export function Status({ of, held }: { of: JobStatus; held?: boolean | undefined }) {
  const status = held ? "held" : of;
  return <Signed sign={shapes[status]} of={text.status[status]} like={status} />;
}

/** How a firing ended. */
export function Ended({ of }: { of: NonNullable<Schedule["last"]> }) {
  const { look, said } = toldFiring(of);
  return look === "problem" ? <Signed sign="✕" of={said} like="failed" /> : <span>{said}</span>;
}

/** Marks a dry run, which must not look like a push. */
export function DryRun({ of }: { of: boolean | undefined }) {
  return of === true ? <span class="badge">{text.dryRun}</span> : null;
}

/** So many, in the colour of this state. */
export type BarPart = readonly [colour: JobStatus, count: number];

/** A stacked bar. @param total what fills it; absent: the parts */
export function Bar({ of, total }: { of: readonly BarPart[]; total?: number }) {
  const whole = Math.max(1, total ?? of.reduce((sum, [, count]) => sum + count, 0));
  let x = 0;
  return (
    <svg viewBox="0 0 100 2" preserveAspectRatio="none" aria-hidden="true">
      {of.map(([colour, count], at) => {
        const width = (100 * count) / whole;
        x += width;
        return <rect key={String(at)} class={`bar ${colour}`} x={x - width} y="0" width={width} height="2" />;
      })}
    </svg>
  );
}

/** Counts by state as a stacked bar with a legend. */
export function Counts({
  of,
  total,
  refused = 0,
  children,
}: {
  of: Readonly<Record<string, number>>;
  total: number;
  /** Of the finished ones, those with a command that the device refused. */
  refused?: number;
  /** Behind the counts. */
  children?: ComponentChildren;
}) {
  const presentStatuses = jobStatuses.filter((status) => (of[status] ?? 0) > 0);
  return (
    <div class="counts">
      <Bar of={presentStatuses.map((status) => [status, of[status] ?? 0])} total={total} />
      {presentStatuses.map((status) => (
        <span key={status}>
          <Status of={status} /> {of[status]}
          {status === "finished" && refused > 0 && `, ${refused} ${text.refused}`}{" "}
        </span>
      ))}
      {children}
    </div>
  );
}
