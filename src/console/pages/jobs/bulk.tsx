/** One bulk: devices by state, failures by kind, and actions on all of it. */

import { useRef, useState } from "preact/hooks";
import * as v from "valibot";
import { formatDuration } from "../../duration.ts";
import { Action } from "../../parts/action.tsx";
import { ReturnPush } from "../../parts/changes/return-push.tsx";
import { type Fact, Facts } from "../../parts/facts.tsx";
import { More } from "../../parts/lists/more.tsx";
import { NotLoaded } from "../../parts/not-loaded.tsx";
import { PushIt } from "../../parts/push-it.tsx";
import { Retry } from "../../parts/retry.tsx";
import { Counts, DryRun, shapes } from "../../parts/status.tsx";
import { When } from "../../parts/when.tsx";
import { ask, may } from "../../reading/api.ts";
import { useLoad } from "../../reading/load.ts";
import { go, place, refine, to } from "../../route.ts";
import { type Bulk, bulkAnswer, type JobRow, nameOf, placeOf, submitterText } from "../../shapes/shapes.ts";
import { text } from "../../text/text.ts";
import {
  type Doubt,
  doubtsOf,
  type RetryChoice,
  retriesOf,
  shownOf,
  type TileFilter,
  tilesOf,
} from "./bulk-retry.ts";
import { useWatchedBulk } from "./bulk-watched.ts";

const formats = ["csv", "jsonl", "zip"] as const;
/** Of ten thousand devices, a page with a tile for each takes seconds. */
const mostTiles = 500;

export function BulkPage({ id }: { id: string }) {
  const { bulk, rows, error, reload } = useWatchedBulk(id);
  const { data: doubts = [] } = useLoad(
    async (signal) => (bulk === undefined ? [] : doubtsOf(bulk, signal)),
    [id, bulk?.status, bulk?.counts.failed],
  );
  if (bulk === undefined)
    return <NotLoaded title={`Bulk ${id.slice(-12)}`} error={error} list={["bulks", text.nav.bulks]} />;
  const filter = filterOf(place.value.query);
  // What one has come for is filled: the failures, and else the results.
  const hasFailed = (bulk.counts.failed ?? 0) > 0;
  return (
    <article>
      <h1>
        {nameOf(bulk)} <DryRun of={bulk.dry_run} />
      </h1>
      <div class="actions">
        <a class={hasFailed ? "button quiet" : "button"} href={to(["results", id])}>
          {text.results.read}
        </a>
        <Stops of={bulk} done={reload} />
        <PushIt id={id} ended={bulk.status !== "running"} />
        <Retries of={bulk} choices={retriesOf(rows, filter, doubts)} />
        {bulk.status !== "running" && (
          <ReturnPush
            of={bulk}
            devices={rows.flatMap(({ device }) => device ?? [])}
            select={bulk.select}
            began={bulk.created_at}
            ticket={bulk.ticket}
          />
        )}
        {formats.map((format) => (
          <a
            key={format}
            class="button quiet"
            href={`/bulk/${id}/export?format=${format}`}
            download={`${id}.${format}`}
          >
            {text.export} {format.toUpperCase()}
          </a>
        ))}
      </div>
      <Facts of={factsOf(bulk)} id={id} />
      <Counts of={bulk.counts} total={bulk.total} refused={bulk.with_refusals} />
      <p class="tags">
        {chipsOf(bulk, doubts.length).map(({ label, query }) => (
          <Chip key={label} id={id} label={label} query={query} />
        ))}
      </p>
      <Matrix rows={shownOf(rows, filter, doubts)} doubts={doubts} />
      <p>
        <a href={to(["jobs"], { bulk_id: id })}>All jobs of this bulk</a>
      </p>
    </article>
  );
}

const factsOf = (of: Bulk): readonly Fact[] => [
  ["driver", `${of.driver} ${of.operation}`],
  ["devices", of.total],
  ["selector", of.select],
  [
    "status",
    <span key="status" aria-live="polite">
      {of.status}
    </span>,
  ],
  ["left", of.eta_seconds && `about ${formatDuration(of.eta_seconds)}`],
  ["because", of.stopped_because],
  ["started", <When key="started" at={of.created_at} />],
  ["submitted by", submitterText(of.submitted_by)],
  ["ticket", of.ticket],
];

/** Whoever is about to stop a bulk that ends meanwhile presses nothing else: the buttons stay until one leaves. */
function Stops({ of, done }: { of: Bulk; done: () => void }) {
  const over = of.status !== "running";
  const wasOver = useRef(over);
  if (wasOver.current || !may("operate")) return null;
  const cancel = (force: boolean) => async () => {
    await ask(v.unknown(), `/bulk/${of.id}${force ? "?force=true" : ""}`, { method: "DELETE" });
    done();
  };
  return (
    <>
      <Action
        label={text.cancelQueued}
        sure="Cancel the jobs that have not begun? Those that run go on."
        off={over}
        act={cancel(false)}
      />
      <Action
        label={text.force}
        sure="Stop the jobs that run, and cancel the others?"
        off={over}
        act={cancel(true)}
      />
    </>
  );
}

/** Retries what is shown. */
function Retries({ of, choices }: { of: Bulk; choices: readonly RetryChoice[] }) {
  if (!may("operate") || of.status === "running" || choices.length === 0) return null;
  const retry = (choice: RetryChoice) => async (connection_args: object) => {
    const body = { ...choice.body, connection_args };
    const newBulk = await ask(bulkAnswer, `/bulk/${of.id}/retry`, { method: "POST", body });
    go(["bulk", newBulk.bulk_id]);
  };
  return (
    <>
      {choices.map((choice) => (
        <Retry key={choice.label} {...choice} send={retry(choice)} />
      ))}
    </>
  );
}

type FilterQuery = Readonly<Record<"error_type" | "show", string | undefined>>;

function filterOf(query: URLSearchParams): TileFilter {
  const show = query.get("show");
  return {
    errorType: query.get("error_type") ?? undefined,
    show: show === "cancelled" || show === "unknown" ? show : undefined,
  };
}

/** Filters of the tiles. */
function chipsOf(bulk: Bulk, unknown: number): { label: string; query: FilterQuery }[] {
  const cancelled = bulk.counts.cancelled ?? 0;
  return [
    ...Object.entries(bulk.error_types).map(([type, count]) => ({
      label: `${type} ${count}`,
      query: { error_type: type, show: undefined },
    })),
    ...(cancelled > 0
      ? [
          {
            label: `${text.status.cancelled} ${cancelled}`,
            query: { error_type: undefined, show: "cancelled" },
          },
        ]
      : []),
    ...(unknown > 0
      ? [{ label: `${text.unknownOutcome} ${unknown}`, query: { error_type: undefined, show: "unknown" } }]
      : []),
  ];
}

function Chip({ id, label, query }: { id: string; label: string; query: FilterQuery }) {
  const now = place.value.query;
  const isChosen =
    (now.get("error_type") ?? undefined) === query.error_type &&
    (now.get("show") ?? undefined) === query.show;
  const next = isChosen ? { error_type: undefined, show: undefined } : query;
  return (
    <a
      href={to(["bulk", id], next)}
      aria-current={isChosen ? "true" : undefined}
      onClick={(event) => {
        event.preventDefault();
        refine(next);
      }}
    >
      {label}
    </a>
  );
}

/** A tile for each device; of many, at first those that did not just finish. */
function Matrix({ rows, doubts }: { rows: readonly JobRow[]; doubts: readonly Doubt[] }) {
  const [room, setRoom] = useState(mostTiles);
  const unknown = new Set(doubts.map(({ id }) => id));
  const statusOf = ({ held, status }: JobRow) => (held ? "held" : status);
  const stateOf = (row: JobRow) =>
    `${row.error_type ?? statusOf(row)}${unknown.has(row.id) ? `, ${text.unknownOutcome}` : ""}`;
  const left = rows.length - room;
  return (
    <>
      <ul class="matrix" aria-label="Devices">
        {tilesOf(rows, room).map((row) => (
          <li key={row.id}>
            <a
              class={`cell ${statusOf(row)}`}
              href={to(["job", row.id])}
              title={`${placeOf(row)}: ${stateOf(row)}`}
            >
              <span aria-hidden="true">{shapes[statusOf(row)]}</span> {row.device ?? row.host}
              {unknown.has(row.id) ? " ?" : ""} <span class="hidden">{stateOf(row)}</span>
            </a>
          </li>
        ))}
      </ul>
      {left > 0 && (
        <p>
          {text.overview.more(left)} <More act={() => setRoom(room + mostTiles)} />
        </p>
      )}
    </>
  );
}
