/** A sparkline with small bars. */
export function Spark({ values, label }: { values: readonly number[]; label: string }) {
  const max = Math.max(1, ...values);
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${values.length} 20`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <title>{`${label}: most ${max}`}</title>
      {values.map((value, index) => {
        const height = (20 * value) / max;
        return <rect key={String(index)} x={index} y={20 - height} width="0.8" height={height} />;
      })}
    </svg>
  );
}
