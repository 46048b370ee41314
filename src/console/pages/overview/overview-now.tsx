/** What runs, and what comes next. */
import { useRef, useState } from "preact/hooks";
import { formatDuration } from "../../duration.ts";
import { StateOfChange, TargetCounts } from "../../parts/changes/change-state.tsx";
import { Table } from "../../parts/lists/table.tsx";
import { Counts, Ended, Status } from "../../parts/status.tsx";
import { When } from "../../parts/when.tsx";
import { useChanges } from "../../reading/live.ts";
import { to } from "../../route.ts";
import type { ListedChange } from "../../shapes/changes.ts";
import type { Schedule } from "../../shapes/schedules.ts";
import { type Bulk, firstLine, type JobRow, nameOf } from "../../shapes/shapes.ts";
import { text } from "../../text/text.ts";

interface NowProps {
  readonly bulks: readonly Bulk[];
  readonly changes: readonly ListedChange[];
  readonly jobs: readonly JobRow[];
  readonly rate: readonly number[];
}

/** Bulks that are read: that there are more is said. */
export const readBulks = 20;
/** Those of them that are shown: what runs before what waits. */
const mostBulks = 8;

export function Now({ bulks, changes, jobs, rate }: NowProps) {
  const sorted = bulks.toSorted((a, b) => (b.counts.running ?? 0) - (a.counts.running ?? 0));
  return (
    <section aria-label={text.overview.now}>
      <h2>{text.overview.now}</h2>
      <Spark values={rate} label={text.overview.rate} />
      {changes.map((change) => (
        <div key={change.id} class="going">
          <a href={to(["change", change.id])}>{change.name}</a> <StateOfChange of={change.state} />
          <TargetCounts of={change.targets} />
        </div>
      ))}
      {sorted.slice(0, mostBulks).map((bulk) => (
        <div key={bulk.id} class="going">
          <a href={to(["bulk", bulk.id])}>{nameOf(bulk)}</a>{" "}
          <span class="faint">
            <When at={bulk.created_at} />
            {bulk.eta_seconds ? `, about ${formatDuration(bulk.eta_seconds)} left` : ""}
          </span>
          <Counts of={bulk.counts} total={bulk.total} refused={bulk.with_refusals} />
        </div>
      ))}
      {sorted.length > mostBulks && (
        <p>
          <a href={to(["bulks"])}>
            {text.overview.more(sorted.length - mostBulks, sorted.length >= readBulks)}
          </a>
        </p>
      )}
      <Table
        caption={text.overview.jobs}
        rows={jobs}
        keyOf={({ id }) => id}
        empty={text.overview.idle}
        columns={[
          {
            head: "device",
            cell: ({ id, host, device }) => (
              <a href={to(["job", id])} title={host}>
                {device ?? host}
              </a>
            ),
          },
          { head: "status", cell: ({ status, held }) => <Status of={status} held={held !== undefined} /> },
          {
            head: "what",
            cell: (row) => (
              <span class="cut brief" title={firstLine(row)}>
                {firstLine(row) || `${row.driver} ${row.operation}`}
              </span>
            ),
          },
          { head: "since", at: ({ created_at }) => created_at },
        ]}
      />
    </section>
  );
}

export function Next({ of }: { of: readonly Schedule[] }) {
  return (
    <section aria-label={text.overview.next}>
      <h2>
        <a href={to(["schedules"])}>{text.overview.next}</a>
      </h2>
      <Table
        caption={text.overview.firings}
        rows={of}
        keyOf={({ id }) => id}
        empty={text.overview.noSchedules}
        columns={[
          { head: "schedule", cell: ({ id, name }) => <a href={to(["schedule", id])}>{name}</a> },
          { head: "next", at: ({ next }) => next[0] },
          { head: "last", cell: ({ last }) => (last === null ? "–" : <Ended of={last} />) },
        ]}
      />
    </section>
  );
}

/** Jobs ended per second in the last 60 seconds. */
export function useRate(): readonly number[] {
  const [rate, setRate] = useState<readonly number[]>(() => Array.from({ length: 60 }, () => 0));
  const second = useRef(Math.floor(Date.now() / 1000));
  useChanges((changes) => {
    const ended = changes.filter(({ status }) => !["queued", "running", "held"].includes(status)).length;
    setRate((before) => {
      const at = Math.floor(Date.now() / 1000);
      const passed = Math.min(60, at - second.current);
      second.current = at;
      const shifted = [...before.slice(passed), ...Array.from({ length: passed }, () => 0)];
      return [...shifted.slice(0, -1), (shifted.at(-1) ?? 0) + ended];
    });
  });
  return rate;
}

/** A sparkline with small bars; none while nothing has ended. */
function Spark({ values, label }: { values: readonly number[]; label: string }) {
  const max = Math.max(...values);
  if (max <= 0) return null;
  return (
    <figure class="chart">
      <figcaption class="faint">
        {label}: {text.overview.most(max)}
      </figcaption>
      <svg
        class="spark"
        viewBox={`0 0 ${values.length} 20`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
      >
        {values.map((value, index) => {
          const height = (20 * value) / max;
          return <rect key={String(index)} x={index} y={20 - height} width="0.8" height={height} />;
        })}
      </svg>
    </figure>
  );
}
