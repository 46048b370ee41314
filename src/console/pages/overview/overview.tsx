/** Overview: what is wrong now, what runs, what comes next, and how it went. */
import { useEffect } from "preact/hooks";
import * as v from "valibot";
import { openStates } from "../../../api/changes/change.ts";
import { Problem } from "../../parts/problem.tsx";
import { Still } from "../../parts/still.tsx";
import { ask, may, reachesAll } from "../../reading/api.ts";
import { streaming, useChanges, useEvents } from "../../reading/live.ts";
import { useLoad } from "../../reading/load.ts";
import { useSoon } from "../../reading/refreshed.ts";
import { place, refine, to } from "../../route.ts";
import { listedChange } from "../../shapes/changes.ts";
import { entry } from "../../shapes/inventory.ts";
import { schedule } from "../../shapes/schedules.ts";
import { bulk, jobRow, jobRowFields, statistics } from "../../shapes/shapes.ts";
import { text } from "../../text/text.ts";
import { Attention, readConfigurations, readFailed } from "./overview-attention.tsx";
import { Charts } from "./overview-charts.tsx";
import { nextOf } from "./overview-findings.ts";
import { Next, Now, readBulks, useRate } from "./overview-now.tsx";

const maxRows = 12;
const nextSchedules = 5;
/** Refresh interval of the statistics; a refresh costs the service as much as a long list. */
const againMs = 15_000;
/** What no event tells of is read again. */
const configurationsMs = 60_000;

const usual = "1440";

export function OverviewPage() {
  const minutes = place.value.query.get("minutes") ?? usual;
  const list = (status: string) => (signal: AbortSignal) =>
    ask(
      v.array(jobRow),
      `/job?status=${status}&limit=${maxRows}&include_result=false&fields=${jobRowFields}`,
      { signal },
    );
  const failed = useLoad(readFailed(Number(minutes)), [streaming.value, minutes]);
  const running = useLoad(list("running"), [streaming.value]);
  const queued = useLoad(list("queued"), [streaming.value]);
  const bulks = useLoad(
    (signal) => ask(v.array(bulk), `/bulk?status=running&limit=${readBulks}`, { signal }),
    [],
  );
  const schedules = useLoad((signal) => ask(v.array(schedule), "/schedule?limit=500", { signal }), []);
  const changes = useLoad((signal) => ask(v.array(listedChange), "/change?limit=50", { signal }), []);
  const counted = useLoad(
    (signal) => ask(statistics, `/statistics?minutes=${encodeURIComponent(minutes)}`, { signal }),
    [minutes],
  );
  const configurations = useLoad((signal) => readConfigurations(Number(minutes), signal), [minutes]);
  useAgain(counted.reload, againMs);
  useAgain(configurations.reload, configurationsMs);
  const soon = useSoon(() => {
    for (const one of [failed, running, queued, bulks, schedules]) one.reload();
  });
  useChanges(soon);
  useEvents("/change/events", { change: useSoon(changes.reload), reset: useSoon(changes.reload) });
  const rate = useRate();
  const jobs = [...(running.data ?? []), ...(queued.data ?? [])].slice(0, maxRows);
  // What comes later than what stands above it would move: it would be gone from under the pointer.
  const isRead = [failed, configurations, running, queued, bulks, schedules, changes].every(
    ({ data, error }) => data !== undefined || error !== undefined,
  );
  const error =
    running.error ?? queued.error ?? bulks.error ?? schedules.error ?? changes.error ?? counted.error;
  const open = (changes.data ?? []).filter(({ state }) => openStates.includes(state) && state !== "draft");
  return (
    <>
      <div class="headline">
        <h1>{text.nav.overview}</h1>
        <Period minutes={minutes} complete={counted.data?.complete !== false} />
      </div>
      <Problem error={error} />
      <FirstSteps />
      {isRead ? (
        <Still>
          <Attention
            minutes={Number(minutes)}
            jobs={failed}
            configurations={configurations}
            statistics={counted.data}
            schedules={schedules.data ?? []}
            changes={changes.data ?? []}
          />
          <div class="columns">
            <Now bulks={bulks.data ?? []} changes={open} jobs={jobs} rate={rate} />
            <Next of={nextOf(schedules.data ?? [], nextSchedules)} />
          </div>
        </Still>
      ) : (
        <p class="empty">{text.loading}</p>
      )}
      {isRead && counted.data && <Charts of={counted.data} />}
    </>
  );
}

function useAgain(reload: () => void, everyMs: number): void {
  useEffect(() => {
    const timer = setInterval(() => document.hidden || reload(), everyMs);
    return () => clearInterval(timer);
  }, []);
}

function Period({ minutes, complete }: { minutes: string; complete: boolean }) {
  return (
    <p class="filters">
      <label>
        The last{" "}
        <select
          value={minutes}
          onChange={({ currentTarget: { value } }) =>
            refine({ minutes: value === usual ? undefined : value })
          }
        >
          {Object.entries(text.overview.periods).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {!complete && <span class="faint">{text.newestOnly}</span>}
    </p>
  );
}

/** On a new service: what to do first. */
function FirstSteps() {
  const mayAdd = may("admin") && reachesAll();
  const { data } = useLoad(
    async (signal) => (mayAdd ? ask(v.array(entry), "/inventory/device?limit=1", { signal }) : undefined),
    [mayAdd],
  );
  if (data === undefined || data.length > 0) return null;
  const [credential, devices, run] = text.overview.first;
  return (
    <section class="once" aria-label={text.overview.begin}>
      <h2>{text.overview.begin}</h2>
      <ol>
        <li>
          <a href={to(["credentials"])}>{credential}</a>
        </li>
        <li>
          <a href={to(["import"])}>{devices}</a>
        </li>
        <li>
          <a href={to(["run"])}>{run}</a>
        </li>
      </ol>
    </section>
  );
}
