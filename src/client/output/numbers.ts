/** Parses numbers and times of flags, and formats durations. */
import { ServiceError } from "../../base/errors.ts";

/** @throws ServiceError Validation that names the flag */
export function readInteger(text: string, flag: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= min && value <= max) return value;
  throw new ServiceError("Validation", `${flag} must be a whole number from ${min} to ${max}.`);
}

/** Formats a duration: `7 s`, `3 min 20 s`, `2 h 5 min`. */
export function spanText(seconds: number): string {
  const rounded = Math.round(seconds);
  if (rounded < 60) return `${rounded} s`;
  if (rounded < 3_600) return `${Math.floor(rounded / 60)} min ${rounded % 60} s`;
  return `${Math.floor(rounded / 3_600)} h ${Math.floor((rounded % 3_600) / 60)} min`;
}

const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};
export const timeHint = "a time in ISO 8601, or how long ago: 90s, 30m, 2h, 3d, 1w";

/** `2h` is two hours before now; anything else is for the service to read. */
export function momentOf(text: string | undefined, now = Date.now()): string | undefined {
  const [, count, unit = ""] = /^(\d{1,6})\s*([smhdw])$/.exec(text ?? "") ?? [];
  const ms = unitMs[unit];
  return count === undefined || ms === undefined ? text : new Date(now - Number(count) * ms).toISOString();
}

export function plural(count: number, singular: string, many = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : many}`;
}
