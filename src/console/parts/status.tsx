/** The state of a job, shown by shape, word and colour. */
import { type JobStatus, jobStatuses } from "../shapes.ts";
import { text } from "../text.ts";

export const shapes: Readonly<Record<JobStatus, string>> = {
  queued: "○",
  held: "‖",
  running: "▶",
  finished: "✓",
  failed: "✕",
  cancelled: "–",
};

export function Status({ of, held }: { of: JobStatus; held?: boolean | undefined }) {
  const status = held ? "held" : of;
  return (
    <span class={`status ${status}`}>
      <span aria-hidden="true">{shapes[status]}</span> {text.status[status]}
    </span>
  );
}

/** Marks a dry run, which must not look like a push. */
export function DryRun({ of }: { of: boolean | undefined }) {
  return of === true ? <span class="badge">{text.dryRun}</span> : null;
}

/** Counts by state as a stacked bar with a legend. */
export function Counts({
  of,
  total,
  refused = 0,
}: {
  of: Readonly<Record<string, number>>;
  total: number;
  /** Of the finished ones, those with a command that the device refused. */
  refused?: number;
}) {
  const presentStatuses = jobStatuses.filter((status) => (of[status] ?? 0) > 0);
  return (
    <div class="counts">
      <svg viewBox="0 0 100 2" preserveAspectRatio="none" aria-hidden="true">
        {
          presentStatuses.reduce<{ bars: preact.JSX.Element[]; x: number }>(
            ({ bars, x }, status) => {
              const width = (100 * (of[status] ?? 0)) / Math.max(1, total);
              bars.push(<rect key={status} class={`bar ${status}`} x={x} y="0" width={width} height="2" />);
              return { bars, x: x + width };
            },
            { bars: [], x: 0 },
          ).bars
        }
      </svg>
      {presentStatuses.map((status) => (
        <span key={status}>
          <Status of={status} /> {of[status]}
          {status === "finished" && refused > 0 && `, ${refused} ${text.refused}`}
        </span>
      ))}
    </div>
  );
}
