/** Charts of recent jobs: counts, durations and errors, computed by the service. */
import type * as v from "valibot";
import { formatDuration } from "../../duration.ts";
import { to } from "../../route.ts";
import type { statistics } from "../../shapes/shapes.ts";
import { text } from "../../text/text.ts";

type Statistics = v.InferOutput<typeof statistics>;

export function Charts({ of }: { of: Statistics }) {
  const { steps, counts, run, wait, error_types, since, until, step_seconds } = of;
  const seconds = (value: number | null) => (value === null ? "–" : formatDuration(value));
  const types = Object.entries(error_types);
  const maxOfType = Math.max(1, ...types.map(([, count]) => count));
  const words = text.overview;
  return (
    <section aria-label={words.charts} class="charts">
      <h2>
        {words.charts} <span class="faint">{words.step(formatDuration(step_seconds))}</span>
      </h2>
      <div class="columns">
        <Chart
          title={words.ended}
          label={`${counts.finished} finished, ${counts.failed} failed, ${counts.cancelled} cancelled`}
          most={String}
          until={until}
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
          title={words.durations}
          label={`median ${seconds(run.p50)}, 95 % within ${seconds(run.p95)}; median wait ${seconds(wait.p50)}`}
          overlaid
          most={formatDuration}
          until={until}
          bars={steps.map(({ at, run_p50, run_p95 }) => ({
            at,
            parts: [
              ["p95", run_p95 ?? 0],
              ["p50", run_p50 ?? 0],
            ],
          }))}
        />
        {types.length > 0 && (
          <div>
            <h3>{words.errors}</h3>
            <ul class="error-types" aria-label={words.errors}>
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
          </div>
        )}
      </div>
    </section>
  );
}

/** A step of time. */
interface Bar {
  /** Its start, ISO 8601. */
  readonly at: string;
  /** From bottom to top, each with its colour class. */
  readonly parts: readonly (readonly [look: string, value: number])[];
}

interface ChartProps {
  readonly title: string;
  /** The numbers in words. */
  readonly label: string;
  readonly bars: readonly Bar[];
  /** Parts overlap instead of being stacked. */
  readonly overlaid?: boolean;
  /** Formats a value of the chart. */
  readonly most: (value: number) => string;
  /** The end of the last step, ISO 8601. */
  readonly until: string;
}

const height = 40;

function Chart({ title, label, bars, overlaid = false, most, until }: ChartProps) {
  const heightOf = ({ parts }: Bar) =>
    overlaid
      ? Math.max(0, ...parts.map(([, value]) => value))
      : parts.reduce((sum, [, value]) => sum + value, 0);
  const top = Math.max(0, ...bars.map(heightOf));
  const isDay = Date.parse(until) - Date.parse(bars[0]?.at ?? until) >= dayMs;
  const format = isDay ? timeOfWeek : timeOfDay;
  return (
    <figure class="chart">
      <figcaption>
        <strong>{title}</strong> {top > 0 && <span class="faint">{label}</span>}
      </figcaption>
      {top === 0 ? (
        <p class="empty">{text.overview.noJobs}</p>
      ) : (
        <div class="plot">
          <div class="scale faint" aria-hidden="true">
            <span>{most(top)}</span>
            <span>{most(0)}</span>
          </div>
          <svg
            viewBox={`0 0 ${bars.length} ${height}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={`${title}: ${label}`}
          >
            {bars.map((bar, x) => (
              <g key={bar.at}>
                <title>{`${timeOfDay.format(new Date(bar.at))}: ${bar.parts.map(([look, value]) => `${look} ${most(value)}`).join(", ")}`}</title>
                {/* The whole column answers to the pointer, however low its bar is. */}
                <rect class="column" x={x} width="1" height={height} />
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
          <div class="axis faint" aria-hidden="true">
            {[bars[0]?.at, bars[Math.floor(bars.length / 2)]?.at, until].map(
              (at) => at && <span key={at}>{format.format(new Date(at))}</span>,
            )}
          </div>
        </div>
      )}
    </figure>
  );
}

const dayMs = 86_400_000;
const time = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short" } as const;
const timeOfDay = new Intl.DateTimeFormat(undefined, time);
/** A day ends at the time at which it began. */
const timeOfWeek = new Intl.DateTimeFormat(undefined, { weekday: "short", ...time });

function stacked({ parts }: Bar, overlaid: boolean): [look: string, from: number, value: number][] {
  let from = 0;
  return parts.map(([look, value]) => {
    const placed: [string, number, number] = [look, overlaid ? 0 : from, value];
    from += value;
    return placed;
  });
}
