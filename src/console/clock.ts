/** The time of day, once a second, for texts such as "2 min ago". */
import { signal } from "@preact/signals";

export const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1000);

const units: readonly (readonly [name: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];
const format = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });

export function ago(iso: string, at: number): string {
  const seconds = (Date.parse(iso) - at) / 1000;
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1];
  return format.format(Math.trunc(seconds / size), unit);
}

/** `1.25 s`, `2 min 5 s`, `3 h 4 min`. */
export function lasting(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(2)} s`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
