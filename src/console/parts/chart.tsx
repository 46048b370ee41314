/** Small charts of what happened over time: bars, with their numbers as a text for those who do not see them. */

export interface Bar {
  /** Of what, such as a time. */
  readonly name: string;
  /** From below to the top, each with the class of its colour. */
  readonly parts: readonly (readonly [look: string, value: number])[];
}

interface ChartProps {
  readonly label: string;
  readonly bars: readonly Bar[];
  /** Parts lie on each other instead of above each other. */
  readonly overlaid?: boolean;
  /** The top of the chart, as a text. */
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
