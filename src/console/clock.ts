/** The current time, updated every second, for texts such as "2 min ago". */
import { shared } from "./reading/shared.ts";

export const now = shared(Date.now(), new Set());
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

const parts = { weekday: "short", day: "numeric", month: "short", year: "numeric" } as const;

/** "Tue, 1 Dec 2026, 02:30 CET" as clocks show it in that time zone. Default: where the browser is. */
export function clockTime(iso: string, timeZone?: string): string {
  const zoned = {
    ...parts,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZoneName: "short",
  } as const;
  return new Intl.DateTimeFormat("en-GB", { ...zoned, ...(timeZone ? { timeZone } : {}) }).format(
    Date.parse(iso),
  );
}

export function ago(iso: string, at: number): string {
  const seconds = (Date.parse(iso) - at) / 1000;
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1];
  return format.format(Math.trunc(seconds / size), unit);
}
