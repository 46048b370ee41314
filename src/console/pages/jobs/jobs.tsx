/** Jobs, filtered by the URL's parameters; live, and virtualized for any number. */
import { useEffect, useRef, useState } from "preact/hooks";
import * as v from "valibot";
import { formatDuration } from "../../duration.ts";
import { LongList } from "../../parts/lists/long-list.tsx";
import { Mine } from "../../parts/lists/mine.tsx";
import { Problem } from "../../parts/problem.tsx";
import { DryRun, Status } from "../../parts/status.tsx";
import { When } from "../../parts/when.tsx";
import { page } from "../../reading/api.ts";
import { type Change, streaming, useChanges } from "../../reading/live.ts";
import { go, place, refine, to } from "../../route.ts";
import { firstLine, type JobRow, jobRow, jobRowFields, jobStatuses, placeOf } from "../../shapes/shapes.ts";
import { text } from "../../text/text.ts";
import { createRecent, withChanges } from "./job-changes.ts";

const often = ["host", "error_type", "ticket"] as const;
const seldom = ["device", "select", "driver", "label", "tag", "bulk_id", "submitted_by"] as const;
const filters = [...often, ...seldom];
const times = ["since", "until"] as const;
const pageSize = 200;
const columns = ["status", "device", "operation", "request", "error", "label", "created", "duration", "id"];

function Named({ of }: { of: readonly (typeof filters)[number][] }) {
  return (
    <>
      {of.map((name) => (
        <input
          key={name}
          aria-label={text.filters[name]}
          placeholder={text.filters[name]}
          value={place.value.query.get(name) ?? ""}
          onChange={(event) => refine({ [name]: event.currentTarget.value.trim() })}
        />
      ))}
    </>
  );
}

/** Parameters of `GET /job` in the URL. */
function queryOfPlace(): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of ["status", "operation", "dry_run", ...times, ...filters]) {
    const value = place.value.query.get(name);
    if (value) query.set(name, value);
  }
  return query;
}

export function JobsPage() {
  const query = queryOfPlace().toString();
  const { rows, error, loading, more, fresh, refresh } = useJobs(query);
  const operation = place.value.query.get("operation") ?? "";
  return (
    <>
      <div class="headline">
        <h1>{text.nav.jobs}</h1>
        {/* Its place is kept: the rows do not move when it comes. */}
        <button type="button" class={fresh === 0 ? "unseen" : undefined} onClick={refresh}>
          {fresh} new
        </button>
      </div>
      <form class="filters" onSubmit={(event) => event.preventDefault()} aria-label="Filters">
        <select
          aria-label="status"
          value={place.value.query.get("status") ?? ""}
          onChange={(event) => refine({ status: event.currentTarget.value })}
        >
          <option value="">any status</option>
          {jobStatuses.map((status) => (
            <option key={status}>{status}</option>
          ))}
        </select>
        <select
          aria-label="operation"
          value={operation}
          onChange={(event) => refine({ operation: event.currentTarget.value })}
        >
          <option value="">query or config</option>
          <option>query</option>
          <option>config</option>
        </select>
        <select
          aria-label="dry run"
          value={place.value.query.get("dry_run") ?? ""}
          onChange={(event) => refine({ dry_run: event.currentTarget.value })}
        >
          <option value="">real or dry run</option>
          <option value="true">dry runs</option>
          <option value="false">no dry runs</option>
        </select>
        <Named of={often} />
        <Mine />
        <details
          class="more"
          // What the box beside it says opens nothing.
          open={[...seldom, ...times].some((name) => (place.value.query.get(name) ?? "me") !== "me")}
        >
          <summary>{text.filters.more}</summary>
          <div class="filters">
            <Named of={seldom} />
            {times.map((name) => (
              <label key={name}>
                {text.filters[name]}{" "}
                <input
                  type="datetime-local"
                  value={localTime(place.value.query.get(name))}
                  onChange={(event) => refine({ [name]: isoTime(event.currentTarget.value) })}
                />
              </label>
            ))}
          </div>
        </details>
        {query !== "" && <a href={to(["jobs"])}>{text.nextStep.clear}</a>}
      </form>
      <Problem error={error} />
      {rows.length === 0 && !loading && error === undefined ? (
        <p class="empty">
          {query === "" ? text.nothing.job : text.nothing.jobs} <a href={to(["run"])}>{text.nextStep.jobs}</a>
        </p>
      ) : (
        <>
          <div class="row head" aria-hidden="true">
            {columns.map((head) => (
              <span key={head}>{head}</span>
            ))}
          </div>
          {rows.length === 0 && loading && <p class="empty">{text.loading}</p>}
          <LongList
            label={text.nav.jobs}
            rows={rows}
            keyOf={({ id }) => id}
            row={(row) => <Row of={row} />}
            onEnd={more}
            onOpen={({ id }) => go(["job", id])}
          />
        </>
      )}
    </>
  );
}

/** For an input of the browser, in its time zone; empty if it is no time. */
function localTime(iso: string | null): string {
  const at = Date.parse(iso ?? "");
  if (Number.isNaN(at)) return "";
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function isoTime(local: string): string | undefined {
  const at = Date.parse(local);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

function Row({ of }: { of: JobRow }) {
  const { id, status, held, driver, operation, error_type, label, created_at, duration } = of;
  return (
    <>
      <Status of={status} held={held} />
      <span class="host" title={placeOf(of)}>
        {of.device ?? of.host}
      </span>
      <span>
        {driver} {operation} <DryRun of={of.dry_run} />
      </span>
      <span class="id">{firstLine(of)}</span>
      <span class="failed">{error_type}</span>
      <span class="faint" title={label}>
        {label}
      </span>
      <When at={created_at} />
      <span class="number">{duration === null ? "" : formatDuration(duration)}</span>
      <span class="faint id">{id.slice(-12)}</span>
    </>
  );
}

/** Loads pages on demand and applies state changes. */
function useJobs(query: string) {
  const [rows, setRows] = useState<readonly JobRow[]>([]);
  const [error, setError] = useState<unknown>();
  const [loading, setLoading] = useState(true);
  const [fresh, setFresh] = useState(0);
  const next = useRef<string | undefined>("");
  const busy = useRef<AbortController | undefined>(undefined);

  const fetchPage = async (from: readonly JobRow[]) => {
    const cursor = next.current;
    if (cursor === undefined || busy.current) return;
    const leaving = new AbortController();
    busy.current = leaving;
    setLoading(true);
    const search = new URLSearchParams(query);
    search.set("limit", String(pageSize));
    search.set("include_result", "false");
    search.set("fields", jobRowFields);
    if (cursor !== "") search.set("cursor", cursor);
    try {
      const fetched = await page(v.array(jobRow), `/job?${search}`, { signal: leaving.signal });
      next.current = fetched.next;
      setRows(recent.current.over([...from, ...fetched.data]));
      setError(undefined);
    } catch (problem) {
      if (!leaving.signal.aborted) setError(problem);
    } finally {
      if (busy.current === leaving) {
        busy.current = undefined;
        setLoading(false);
      }
    }
  };
  const refresh = () => {
    busy.current?.abort();
    busy.current = undefined;
    next.current = "";
    setFresh(0);
    void fetchPage([]);
  };
  useEffect(() => {
    refresh();
    return () => busy.current?.abort();
  }, [query, streaming.value]);

  const rowsNow = useRef(rows);
  rowsNow.current = rows;
  const recent = useRef(createRecent());
  const fits = eventFilter(query);
  useChanges((changes) => {
    recent.current.note(changes);
    const { changed, unknown } = withChanges(rowsNow.current, changes, fits);
    setRows(changed);
    setFresh((before) => before + unknown);
  });
  return { rows, error, loading, more: () => void fetchPage(rowsNow.current), fresh, refresh };
}

/** Whether a job that is not in the list may match the filter, as far as its event shows. */
function eventFilter(query: string): (change: Change) => boolean {
  const search = new URLSearchParams(query);
  const place = search.get("host");
  return ({ status, host, device, bulk_id }) =>
    (search.get("status") ?? status) === status &&
    (place === null || place === host || place === device) &&
    (search.get("bulk_id") ?? bulk_id) === bulk_id;
}
