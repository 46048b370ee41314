/** One bulk: each device as a field of its state, failures by their kind, and what can be done with all of it. */
import { useEffect, useRef, useState } from "preact/hooks";
import * as v from "valibot";
import { ask, may, page } from "../api.ts";
import { type Change, changeOf, useEvents } from "../live.ts";
import { useLoad } from "../load.ts";
import { Action } from "../parts/action.tsx";
import { Problem } from "../parts/problem.tsx";
import { Retry } from "../parts/retry.tsx";
import { Counts } from "../parts/status.tsx";
import { When } from "../parts/when.tsx";
import { go, place, refine, to } from "../route.ts";
import { type Bulk, bulk, bulkAnswer, type JobRow, jobRow, jobRowFields } from "../shapes.ts";
import { text } from "../text.ts";
import { createRecent, withChanges } from "./job-changes.ts";

const perPage = 500;
const formats = ["csv", "jsonl", "zip"] as const;

export function BulkPage({ id }: { id: string }) {
  const { data, error, reload } = useLoad(
    (signal) => ask(bulk, `/bulk/${encodeURIComponent(id)}`, { signal }),
    [id],
  );
  const [live, setLive] = useState<Bulk>();
  const { rows, change, read } = useDevices(id);
  useEvents(
    `/bulk/${encodeURIComponent(id)}/events`,
    {
      state: (event) => change(changeOf(event)),
      bulk: (event) => {
        const read = v.safeParse(bulk, event);
        if (read.success) setLive(read.output);
      },
      reset: read,
      slow: read,
      end: () => {
        reload();
        read();
      },
    },
    (name) => name === "end",
    read,
  );
  const shown = data?.status === "running" ? { ...data, ...live } : data;
  if (shown === undefined)
    return error === undefined ? <p class="empty">{text.loading}</p> : <Problem error={error} />;
  const only = place.value.query.get("error_type");
  return (
    <article>
      <h1>{shown.label ?? `Bulk ${id.slice(-12)}`}</h1>
      <p>
        {shown.driver} {shown.operation} · {shown.total} devices · {shown.status} ·{" "}
        <When at={shown.created_at} />
        {shown.eta_seconds ? ` · about ${shown.eta_seconds} s left` : ""}
        {shown.stopped_because ? ` · ${shown.stopped_because}` : ""}
      </p>
      {shown.select && (
        <p>
          devices <code>{shown.select}</code>
        </p>
      )}
      <Counts of={shown.counts} total={shown.total} />
      <Steps of={shown} done={reload} />
      <p class="tags">
        {Object.entries(shown.error_types).map(([type, count]) => (
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
    const made = await ask(bulkAnswer, `/bulk/${of.id}/retry`, { method: "POST", body });
    go(["bulk", made.bulk_id]);
  };
  return (
    <p class="actions">
      {may("operate") && under && (
        <>
          <Action label={text.cancel} sure={`Cancel what waits of ${of.total}?`} act={cancel(false)} />
          <Action label={text.force} sure="Stop what runs, too?" act={cancel(true)} />
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
            {host} <span class="hidden">{error_type ?? status}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** All devices of the bulk, their states laid over as they change. */
function useDevices(id: string) {
  const [rows, setRows] = useState<readonly JobRow[]>([]);
  const waiting = useRef<Change[]>([]);
  const recent = useRef(createRecent());
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const leaving = new AbortController();
    const fetchAll = async (cursor: string | undefined, before: readonly JobRow[]) => {
      const search = `bulk_id=${encodeURIComponent(id)}&limit=${perPage}&include_result=false&fields=${jobRowFields}`;
      const path = `/job?${search}${cursor === undefined ? "" : `&cursor=${cursor}`}`;
      const got = await page(v.array(jobRow), path, { signal: leaving.signal });
      const all = [...before, ...got.data];
      // Those of before stay until all are there again.
      if (got.next === undefined || turn === 0) setRows(recent.current.over(all));
      if (got.next !== undefined) await fetchAll(got.next, all);
    };
    // What is wrong with it, the bulk itself says too.
    fetchAll(undefined, []).catch(() => {});
    return () => leaving.abort();
  }, [id, turn]);
  const change = (one: Change) => {
    if (waiting.current.push(one) > 1) return;
    requestAnimationFrame(() => {
      const changes = waiting.current.splice(0);
      recent.current.note(changes);
      setRows((before) => withChanges(before, changes, () => false).changed);
    });
  };
  return { rows, change, read: () => setTurn((before) => before + 1) };
}
