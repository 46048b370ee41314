/** Parses durations printed by devices into seconds. */

const unitSeconds: Readonly<Record<string, number>> = {
  year: 365 * 86_400,
  week: 7 * 86_400,
  day: 86_400,
  hour: 3600,
  minute: 60,
  second: 1,
};

/** `27 weeks, 4 days, 16 minutes`, `2 day(s), 23 hour(s)`; missing units count as zero. */
export function secondsOfWords(text: string): number {
  let total = 0;
  for (const [, count, unit = ""] of text.matchAll(/(\d{1,9})\s{0,4}(year|week|day|hour|minute|second)/g)) {
    total += Number(count) * (unitSeconds[unit] ?? 0);
  }
  return total;
}

const letterUnits: Readonly<Record<string, string>> = {
  y: "year",
  w: "week",
  d: "day",
  h: "hour",
  m: "minute",
  s: "second",
};

/** `00:14:23`, `1d11h`, `8w5d`, `1y28w`; -1 for `never`; undefined for other text. */
export function secondsOfClock(text: string): number | undefined {
  const raw = text.trim();
  if (raw.includes("never")) return -1;
  if (/^\d+(?::\d+){2}$/.test(raw)) {
    return raw.split(":").reduce((total, part) => total * 60 + Number(part), 0);
  }
  if (!/^(?:\d{1,9}[ywdhms]){1,6}$/.test(raw)) return undefined;
  let total = 0;
  for (const [, count, letter = ""] of raw.matchAll(/(\d+)([ywdhms])/g)) {
    total += Number(count) * (unitSeconds[letterUnits[letter] ?? ""] ?? 0);
  }
  return total;
}
