/** One bulk: devices by state, failures by kind, and actions on all of it. */
import * as v from "valibot";
import { ask, may } from "../api.ts";
import { Action } from "../parts/action.tsx";
import { NotLoaded } from "../parts/not-loaded.tsx";
import { Retry } from "../parts/retry.tsx";
import { Counts, DryRun, shapes } from "../parts/status.tsx";
import { When } from "../parts/when.tsx";
import { go, place, refine, to } from "../route.ts";
import { type Bulk, bulkAnswer, type JobRow, submitterText } from "../shapes.ts";
import { text } from "../text.ts";
import { useWatchedBulk } from "./bulk-watched.ts";

const formats = ["csv", "jsonl", "zip"] as const;

export function BulkPage({ id }: { id: string }) {
  const { bulk, rows, error, reload } = useWatchedBulk(id);
  if (bulk === undefined)
    return <NotLoaded title={`Bulk ${id.slice(-12)}`} error={error} list={["bulks", text.nav.bulks]} />;
  const only = place.value.query.get("error_type");
  return (
    <article>
      <h1>
        {bulk.label ?? `Bulk ${id.slice(-12)}`} <DryRun of={bulk.dry_run} />
      </h1>
      <p>
        {bulk.driver} {bulk.operation} · {bulk.total} devices · {bulk.status} · <When at={bulk.created_at} />
        {bulk.submitted_by ? ` · by ${submitterText(bulk.submitted_by)}` : ""}
        {bulk.eta_seconds ? ` · about ${bulk.eta_seconds} s left` : ""}
        {bulk.stopped_because ? ` · ${bulk.stopped_because}` : ""}
      </p>
      {bulk.select && (
        <p>
          devices <code>{bulk.select}</code>
        </p>
      )}
      <Counts of={bulk.counts} total={bulk.total} />
      <Steps of={bulk} done={reload} />
      <p class="tags">
        {Object.entries(bulk.error_types).map(([type, count]) => (
          <a
            key={type}
            href={to(["bulk", id], only === type ? {} : { error_type: type })}
            aria-current={only === type ? "true" : undefined}
            onClick={(event) => {
              event.preventDefault();
              refine({ error_type: only === type ? undefined : type });
            }}
          >
            {type} {count}
          </a>
        ))}
      </p>
      <Matrix rows={only ? rows.filter(({ error_type }) => error_type === only) : rows} />
      <p>
        <a href={to(["jobs"], { bulk_id: id })}>All jobs of this bulk</a>
      </p>
    </article>
  );
}

function Steps({ of, done }: { of: Bulk; done: () => void }) {
  const under = of.status === "running";
  const failed = (of.counts.failed ?? 0) + (of.counts.cancelled ?? 0);
  const cancel = (force: boolean) => async () => {
    await ask(v.unknown(), `/bulk/${of.id}${force ? "?force=true" : ""}`, { method: "DELETE" });
    done();
  };
  const retry = async (connection_args: object) => {
    const body = { only: "failed", connection_args };
    const newBulk = await ask(bulkAnswer, `/bulk/${of.id}/retry`, { method: "POST", body });
    go(["bulk", newBulk.bulk_id]);
  };
  return (
    <p class="actions">
      {may("operate") && under && (
        <>
          <Action label={text.cancel} sure={`Cancel the queued jobs of ${of.total}?`} act={cancel(false)} />
          <Action label={text.force} sure="Stop running jobs too?" act={cancel(true)} />
        </>
      )}
      {may("operate") && !under && failed > 0 && (
        <Retry label={text.retry} sure={`Retry ${of.counts.failed ?? 0} devices?`} send={retry} />
      )}
      {formats.map((format) => (
        <a
          key={format}
          class="button quiet"
          href={`/bulk/${of.id}/export?format=${format}`}
          download={`${of.id}.${format}`}
        >
          {text.export} {format}
        </a>
      ))}
    </p>
  );
}

function Matrix({ rows }: { rows: readonly JobRow[] }) {
  return (
    <ul class="matrix" aria-label="Devices">
      {rows.map(({ id, host, status, error_type }) => (
        <li key={id}>
          <a class={`cell ${status}`} href={to(["job", id])} title={`${host}: ${error_type ?? status}`}>
            <span aria-hidden="true">{shapes[status]}</span> {host}{" "}
            <span class="hidden">{error_type ?? status}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
