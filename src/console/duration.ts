/** Formats a duration. */

const parts = (...of: [count: number, unit: string][]) =>
  of.flatMap(([count, unit]) => (count === 0 ? [] : `${count} ${unit}`)).join(" ");

/** `1.25 s`, `20 s`, `2 min 5 s`, `3 h`. */
export function formatDuration(seconds: number): string {
  if (seconds < 60 && Number.isInteger(seconds)) return `${seconds} s`;
  if (seconds < 10) return `${seconds.toFixed(2)} s`;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const rounded = Math.round(seconds);
  const minutes = Math.floor(rounded / 60);
  if (minutes < 60) return parts([minutes, "min"], [rounded % 60, "s"]);
  return parts([Math.floor(minutes / 60), "h"], [minutes % 60, "min"]);
}
