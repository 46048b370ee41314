/** Small bar charts over time, with the numbers as text for screen readers. */

export interface Bar {
  /** Label of the bar, such as a time. */
  readonly name: string;
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
            <g key={bar.name}>
              <title>{`${bar.name}: ${bar.parts.map(([look, value]) => `${look} ${most(value)}`).join(", ")}`}</title>
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
      <figcaption>
        {label} <span class="faint">{top > 0 ? `peak ${most(top)}` : "none"}</span>
      </figcaption>
    </figure>
  );
}

function stacked({ parts }: Bar, overlaid: boolean): [look: string, from: number, value: number][] {
  let from = 0;
  return parts.map(([look, value]) => {
    const placed: [string, number, number] = [look, overlaid ? 0 : from, value];
    from += value;
    return placed;
  });
}
