/** Charts of recent jobs: counts, durations and errors, computed by the service. */
import { useEffect } from "preact/hooks";
import { ask } from "../api.ts";
import { formatDuration } from "../duration.ts";
import { useLoad } from "../load.ts";
import { Chart } from "../parts/chart.tsx";
import { Problem } from "../parts/problem.tsx";
import { place, refine, to } from "../route.ts";
import { statistics } from "../shapes.ts";
import { text } from "../text.ts";

const choices = [
  ["15", "15 minutes"],
  ["60", "hour"],
  ["360", "6 hours"],
  ["1440", "day"],
] as const;
const usual = "60";
/** Refresh interval; a refresh costs the service as much as a long list. */
const againMs = 15_000;

export function Charts() {
  const minutes = place.value.query.get("minutes") ?? usual;
  const { data, error, reload } = useLoad(
    (signal) => ask(statistics, `/statistics?minutes=${encodeURIComponent(minutes)}`, { signal }),
    [minutes],
  );
  useEffect(() => {
    const timer = setInterval(() => document.hidden || reload(), againMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <section aria-label="Recent jobs" class="charts">
      <p class="filters">
        <label>
          The last{" "}
          <select
            value={minutes}
            onChange={({ currentTarget: { value } }) =>
              refine({ minutes: value === usual ? undefined : value })
            }
          >
            {choices.map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </label>
        {data && !data.complete && <span class="faint">{text.newestOnly}</span>}
      </p>
      <Problem error={error} />
      {data && <Drawn of={data} />}
    </section>
  );
}

type Statistics = Awaited<ReturnType<typeof ask<typeof statistics>>>;

function Drawn({ of: { steps, counts, run, wait, error_types, since } }: { of: Statistics }) {
  const seconds = (value: number | null) => (value === null ? "–" : formatDuration(value));
  const types = Object.entries(error_types);
  const maxOfType = Math.max(1, ...types.map(([, count]) => count));
  return (
    <div class="columns">
      <Chart
        label={`${counts.finished} finished, ${counts.failed} failed, ${counts.cancelled} cancelled`}
        most={String}
        bars={steps.map(({ at, finished, failed, cancelled }) => ({
          at,
          parts: [
            ["failed", failed],
            ["cancelled", cancelled],
            ["finished", finished],
          ],
        }))}
      />
      <Chart
        label={`run time: median ${seconds(run.p50)}, p95 ${seconds(run.p95)}; queue time: median ${seconds(wait.p50)}`}
        overlaid
        most={formatDuration}
        bars={steps.map(({ at, run_p50, run_p95 }) => ({
          at,
          parts: [
            ["p95", run_p95 ?? 0],
            ["p50", run_p50 ?? 0],
          ],
        }))}
      />
      {types.length > 0 && (
        <ul class="error-types" aria-label="Error types">
          {types.map(([type, count]) => (
            <li key={type}>
              <a href={to(["jobs"], { status: "failed", error_type: type, since })}>{type}</a>
              <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
                <rect class="bar failed" width={(100 * count) / maxOfType} height="1" />
              </svg>
              <span class="number">{count}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
