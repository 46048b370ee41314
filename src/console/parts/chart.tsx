/** Small bar charts over time, with the numbers as text for screen readers. */

export interface Bar {
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

export function Chart({ label, bars, overlaid = false, most }: ChartProps) {
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
