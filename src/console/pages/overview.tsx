/** Overview: recent failures, running jobs, bulks in progress, workers. */
import { useRef, useState } from "preact/hooks";
import * as v from "valibot";
import { ask } from "../api.ts";
import { streaming, useChanges } from "../live.ts";
import { useLoad } from "../load.ts";
import { Problem } from "../parts/problem.tsx";
import { Counts, Status } from "../parts/status.tsx";
import { Table } from "../parts/table.tsx";
import { When } from "../parts/when.tsx";
import { to } from "../route.ts";
import { bulk, firstLine, type JobRow, jobRow, jobRowFields, worker } from "../shapes.ts";
import { text } from "../text.ts";
import { Charts } from "./overview-charts.tsx";

const maxRows = 12;
/** Minimum interval between reloads of lists while jobs end. */
const calmMs = 1000;

export function OverviewPage() {
  const list = (status: string) => (signal: AbortSignal) =>
    ask(
      v.array(jobRow),
      `/job?status=${status}&limit=${maxRows}&include_result=false&fields=${jobRowFields}`,
      {
        signal,
      },
    );
  const failed = useLoad(list("failed"), [streaming.value]);
  const running = useLoad(list("running"), [streaming.value]);
  const queued = useLoad(list("queued"), [streaming.value]);
  const bulks = useLoad((signal) => ask(v.array(bulk), "/bulk?status=running&limit=10", { signal }), []);
  const workers = useLoad((signal) => ask(v.array(worker), "/worker", { signal }), []);
  const rate = useRate(() => {
    for (const list of [failed, running, queued, bulks]) list.reload();
  });
  const nodes = [...Map.groupBy(workers.data ?? [], ({ node }) => node)];
  const error = failed.error ?? running.error ?? queued.error ?? bulks.error ?? workers.error;
  return (
    <>
      <h1>{text.nav.overview}</h1>
      <Problem error={error} />
      <Charts />
      <div class="columns">
        <section aria-label="Failed jobs">
          <h2>
            <a href={to(["jobs"], { status: "failed" })}>Failed</a>
          </h2>
          <Jobs caption="Latest failed jobs" rows={failed.data} empty="No failed jobs." />
        </section>
        <section aria-label="Running jobs">
          <h2>
            <a href={to(["jobs"], { status: "running" })}>Running</a>
          </h2>
          <Spark values={rate} label="jobs ended per second in the last minute" />
          <Jobs caption="Latest running jobs" rows={running.data} empty="No running jobs." />
        </section>
        <section aria-label="Queued jobs">
          <h2>
            <a href={to(["jobs"], { status: "queued" })}>Queued</a>
          </h2>
          <Jobs caption="Latest queued jobs" rows={queued.data} empty="No queued jobs." />
        </section>
        <section aria-label="Bulks in progress">
          <h2>
            <a href={to(["bulks"])}>{text.nav.bulks}</a>
          </h2>
          {(bulks.data ?? []).map(({ id, label, counts, total, with_refusals, eta_seconds }) => (
            <div key={id}>
              <a href={to(["bulk", id])}>{label ?? id}</a>{" "}
              <span class="faint">{eta_seconds ? `about ${eta_seconds} s left` : ""}</span>
              <Counts of={counts} total={total} refused={with_refusals} />
            </div>
          ))}
          {bulks.data?.length === 0 && <p class="empty">No bulks in progress.</p>}
          <h2>Nodes</h2>
          <Table
            caption="Nodes and their workers"
            rows={nodes}
            keyOf={([node]) => node}
            empty={text.nothing.other}
            columns={[
              { head: "node", cell: ([node]) => <a href={to(["workers"])}>{node}</a> },
              { head: "workers", cell: ([, all]) => all.length, number: true },
              {
                head: "busy",
                cell: ([, all]) => all.filter(({ status }) => status === "busy").length,
                number: true,
              },
            ]}
          />
        </section>
      </div>
    </>
  );
}

function Jobs({
  caption,
  rows,
  empty,
}: {
  caption: string;
  rows: readonly JobRow[] | undefined;
  empty: string;
}) {
  if (rows === undefined) return <p class="empty">{text.loading}</p>;
  return (
    <Table
      caption={caption}
      rows={rows}
      keyOf={({ id }) => id}
      empty={empty}
      columns={[
        {
          head: "device",
          cell: ({ id, host, device, held }) => (
            <>
              <a href={to(["job", id])} title={host}>
                {device ?? host}
              </a>{" "}
              {held && <Status of="held" />}
            </>
          ),
        },
        {
          head: "what",
          cell: (row) => (
            <span class="cut brief" title={firstLine(row)}>
              {row.error_type ?? (firstLine(row) || `${row.driver} ${row.operation}`)}
            </span>
          ),
        },
        { head: "when", cell: ({ created_at, ended_at }) => <When at={ended_at ?? created_at} /> },
      ]}
    />
  );
}

/** Jobs ended per second in the last 60 seconds. */
function useRate(changed: () => void): readonly number[] {
  const [rate, setRate] = useState<readonly number[]>(() => Array.from({ length: 60 }, () => 0));
  const second = useRef(Math.floor(Date.now() / 1000));
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useChanges((changes) => {
    const ended = changes.filter(({ status }) => !["queued", "running", "held"].includes(status)).length;
    setRate((before) => {
      const at = Math.floor(Date.now() / 1000);
      const passed = Math.min(60, at - second.current);
      second.current = at;
      const shifted = [...before.slice(passed), ...Array.from({ length: passed }, () => 0)];
      return [...shifted.slice(0, -1), (shifted.at(-1) ?? 0) + ended];
    });
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      changed();
    }, calmMs);
  });
  return rate;
}

/** A sparkline with small bars. */
function Spark({ values, label }: { values: readonly number[]; label: string }) {
  const max = Math.max(1, ...values);
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${values.length} 20`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <title>{`${label}: most ${max}`}</title>
      {values.map((value, index) => {
        const height = (20 * value) / max;
        return <rect key={String(index)} x={index} y={20 - height} width="0.8" height={height} />;
      })}
    </svg>
  );
}
