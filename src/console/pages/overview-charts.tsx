/** Charts of recent jobs: counts, durations and errors, computed by the service. */
import { useEffect } from "preact/hooks";
import { ask } from "../api.ts";
import { formatDuration } from "../duration.ts";
import { useLoad } from "../load.ts";
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

/** Small bar charts over time, with the numbers as text for screen readers. */
interface Bar {
  /** Its start, ISO 8601. */
  readonly at: string;
  /** From bottom to top, each with its colour class. */
  readonly parts: readonly (readonly [look: string, value: number])[];
}

interface ChartProps {
  readonly label: string;
  readonly bars: readonly Bar[];
  /** Parts overlap instead of being stacked. */
  readonly overlaid?: boolean;
  /** Formats the maximum of the chart. */
  readonly most: (value: number) => string;
}

const height = 40;

function Chart({ label, bars, overlaid = false, most }: ChartProps) {
  const heightOf = ({ parts }: Bar) =>
    overlaid
      ? Math.max(0, ...parts.map(([, value]) => value))
      : parts.reduce((sum, [, value]) => sum + value, 0);
  const top = Math.max(0, ...bars.map(heightOf));
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${bars.length} ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {top > 0 &&
          bars.map((bar, x) => (
            <g key={bar.at}>
              <title>{`${bar.at}: ${bar.parts.map(([look, value]) => `${look} ${most(value)}`).join(", ")}`}</title>
              {stacked(bar, overlaid).map(([look, from, value]) => (
                <rect
                  key={look}
                  class={`bar ${look}`}
                  x={x + 0.1}
                  width="0.8"
                  y={height - (height * (from + value)) / top}
                  height={(height * value) / top}
                />
              ))}
            </g>
          ))}
      </svg>
      <Axis of={bars} />
      <figcaption>
        {label} <span class="faint">{top > 0 ? `peak ${most(top)}` : "none"}</span>
      </figcaption>
    </figure>
  );
}

/** The times of the first and the last bar. */
function Axis({ of }: { of: readonly Bar[] }) {
  const ends = [of.at(0), of.at(-1)];
  return (
    <div class="axis faint" aria-hidden="true">
      {ends.map((bar) => bar && <span key={bar.at}>{timeOfDay.format(new Date(bar.at))}</span>)}
    </div>
  );
}

const timeOfDay = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

function stacked({ parts }: Bar, overlaid: boolean): [look: string, from: number, value: number][] {
  let from = 0;
  return parts.map(([look, value]) => {
    const placed: [string, number, number] = [look, overlaid ? 0 : from, value];
    from += value;
    return placed;
  });
}
