/** Formats and parses timestamps with the directives of strftime and strptime. */
import { valueError } from "../errors.ts";

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);

export const pad = (value: number, width = 2): string => String(value).padStart(width, "0");

/** A timestamp whose fields are read as UTC; local time is shifted beforehand. */
export interface Moment {
  readonly ms: number;
  /** Microseconds below a millisecond. */
  readonly micro: number;
}

export function localMoment(now: Date): Moment {
  return { ms: now.getTime() - now.getTimezoneOffset() * 60_000, micro: 0 };
}

/** The range of each part from the month on. */
const RANGES = [
  ...[["month", 1, 12] as const, ["day", 1, 31] as const, ["hour", 0, 23] as const],
  ...[["minute", 0, 59] as const, ["second", 0, 59] as const, ["microsecond", 0, 999_999] as const],
] as const;

/** @param parts year, month, day, hour, minute, second, microsecond. @throws as Python's datetime. */
export function checkedMoment(parts: readonly number[]): Moment {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0, micro = 0] = parts;
  if (year < 1 || year > 9999) throw valueError(`year ${year} is out of range`);
  RANGES.forEach(([name, from, to], i) => {
    const part = parts[i + 1] ?? from;
    if (part >= from && part <= to) return;
    throw valueError(name === "day" ? "day is out of range for month" : `${name} must be in ${from}..${to}`);
  });
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCDate() !== day) throw valueError("day is out of range for month");
  date.setUTCHours(hour, minute, second, Math.floor(micro / 1000));
  return { ms: date.getTime(), micro: micro % 1000 };
}

/** The values of `%z` and `%Z`; empty if the zone is unknown. */
export interface Zone {
  readonly offset: string;
  readonly name: string;
}

export function formatMoment(format: string, { ms, micro }: Moment, zone?: Zone): string {
  const date = new Date(ms);
  const start = Date.UTC(date.getUTCFullYear(), 0, 1);
  const dayOfYear = Math.floor((ms - start) / 86_400_000) + 1;
  const hour = date.getUTCHours();
  const weekday = date.getUTCDay();
  const inner = (text: string): string => formatMoment(text, { ms, micro }, zone);
  const directives: Readonly<Record<string, () => string>> = {
    Y: () => String(date.getUTCFullYear()),
    y: () => pad(date.getUTCFullYear() % 100),
    m: () => pad(date.getUTCMonth() + 1),
    d: () => pad(date.getUTCDate()),
    H: () => pad(hour),
    I: () => pad(hour % 12 || 12),
    M: () => pad(date.getUTCMinutes()),
    S: () => pad(date.getUTCSeconds()),
    f: () => pad(date.getUTCMilliseconds() * 1000 + micro, 6),
    p: () => (hour < 12 ? "AM" : "PM"),
    P: () => (hour < 12 ? "am" : "pm"),
    a: () => (DAYS[date.getUTCDay()] ?? "").slice(0, 3),
    A: () => DAYS[date.getUTCDay()] ?? "",
    b: () => (MONTHS[date.getUTCMonth()] ?? "").slice(0, 3),
    B: () => MONTHS[date.getUTCMonth()] ?? "",
    j: () => pad(dayOfYear, 3),
    w: () => String(date.getUTCDay()),
    u: () => String(date.getUTCDay() || 7),
    z: () => zone?.offset ?? "",
    Z: () => zone?.name ?? "",
    h: () => inner("%b"),
    e: () => String(date.getUTCDate()).padStart(2),
    k: () => String(hour).padStart(2),
    l: () => String(hour % 12 || 12).padStart(2),
    C: () => pad(Math.floor(date.getUTCFullYear() / 100)),
    U: () => pad(Math.floor((dayOfYear + 6 - weekday) / 7)),
    W: () => pad(Math.floor((dayOfYear + 6 - ((weekday + 6) % 7)) / 7)),
    V: () => pad(isoWeek(date).week),
    G: () => String(isoWeek(date).year),
    g: () => pad(isoWeek(date).year % 100),
    r: () => inner("%I:%M:%S %p"),
    D: () => inner("%m/%d/%y"),
    x: () => inner("%m/%d/%y"),
    F: () => inner("%Y-%m-%d"),
    T: () => inner("%H:%M:%S"),
    X: () => inner("%H:%M:%S"),
    R: () => inner("%H:%M"),
    c: () => inner("%a %b %e %H:%M:%S %Y"),
    n: () => "\n",
    t: () => "\t",
    s: () => String(Math.floor(ms / 1000)),
    "%": () => "%",
  };
  return format.replace(
    /%([-_0^#]*)(\d{0,3})(?:E(?=[cCxXyY])|O(?=[deHImMSuUVwWy]))?(.)/gs,
    (directive, flags: string, width: string, letter: string) => {
      const text = Object.hasOwn(directives, letter) ? directives[letter]?.() : undefined;
      return text === undefined ? directive : laidOut(text, letter, flags, width);
    },
  );
}

/** Applies glibc's flags and width between `%` and the letter. */
function laidOut(text: string, letter: string, flags: string, width: string): string {
  if (flags === "" && width === "") return text;
  const padding = flags.match(/[-_0](?=[^-_0]*$)/)?.[0];
  const isNumber = /^ *\d+$/.test(text) && !"%nt".includes(letter);
  const digits = isNumber ? text.trimStart().replace(/^0+(?=\d)/, "") : text;
  const written = flags.includes("#")
    ? otherCase(digits, letter)
    : flags.includes("^")
      ? digits.toUpperCase()
      : digits;
  if (padding === "-") return padded(written, Number(width), false);
  const least = Math.max(Number(width), isNumber ? text.length : 0);
  const zeros = padding === undefined ? isNumber && !"ekl".includes(letter) : padding === "0";
  return padded(written, least, zeros);
}

const padded = (text: string, width: number, zeros: boolean): string =>
  text.padStart(width, zeros ? "0" : " ");

/** `%#Z` and `%#p` are lower case, names upper case. */
function otherCase(text: string, letter: string): string {
  if (letter === "Z" || letter === "p") return text.toLowerCase();
  return "aAbBh".includes(letter) ? text.toUpperCase() : text;
}

/** ISO 8601: weeks start on Monday; week 1 contains the year's first Thursday. */
export function isoWeek(date: Date): { year: number; week: number } {
  const thursday = new Date(date.getTime() + (4 - (date.getUTCDay() || 7)) * 86_400_000);
  const year = thursday.getUTCFullYear();
  const days = Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / 86_400_000);
  return { year, week: Math.floor(days / 7) + 1 };
}

const FIELDS: Readonly<Record<string, string>> = {
  Y: "(?<Y>\\d{4})",
  y: "(?<y>\\d\\d)",
  m: "(?<m>1[0-2]|0?[1-9])",
  d: "(?<d>3[01]|[12]\\d|0?[1-9]| [1-9])",
  H: "(?<H>2[0-3]|[01]?\\d)",
  I: "(?<I>1[0-2]|0?[1-9])",
  M: "(?<M>[0-5]?\\d)",
  S: "(?<S>6[01]|[0-5]?\\d)",
  f: "(?<f>\\d{1,6})",
  p: "(?<p>AM|PM)",
  j: "(?<j>\\d{1,3})",
  a: `(?:${DAYS.map((name) => name.slice(0, 3)).join("|")})`,
  A: `(?:${DAYS.join("|")})`,
  b: `(?<b>${MONTHS.map((name) => name.slice(0, 3)).join("|")})`,
  B: `(?<B>${MONTHS.join("|")})`,
  "%": "%",
};

const WHOLE: Readonly<Record<string, string>> = {
  c: "%a %b %d %H:%M:%S %Y",
  x: "%m/%d/%y",
  X: "%H:%M:%S",
};

export function parseMoment(text: string, format: string): Moment {
  const written = format.replace(/%([\s\S])/g, (directive, letter: string) => WHOLE[letter] ?? directive);
  const source = written.replace(/%(.)|\s+|[\\^$.|?*+()[\]{}]/gs, (token, letter: string | undefined) => {
    if (letter !== undefined) {
      const field = Object.hasOwn(FIELDS, letter) ? FIELDS[letter] : undefined;
      if (field === undefined) throw valueError(`'${letter}' is a bad directive in format '${format}'`);
      return field;
    }
    return /\s/.test(token) ? "\\s+" : `\\${token}`;
  });
  const match = compiled(source, format).exec(text);
  if (match === null) throw valueError(`time data '${text}' does not match format '${format}'`);
  const fields: Readonly<Record<string, string | undefined>> = match.groups ?? {};
  const number = (name: string, absent: number) =>
    fields[name] === undefined ? absent : Number(fields[name]);
  const short = number("y", -1);
  const year = short < 0 ? number("Y", 1900) : short + (short < 69 ? 2000 : 1900);
  const named = fields.b ?? fields.B;
  const month =
    named === undefined
      ? number("m", 1)
      : MONTHS.findIndex((name) => name.toLowerCase().startsWith(named.toLowerCase().slice(0, 3))) + 1;
  const hour =
    fields.I === undefined ? number("H", 0) : (number("I", 12) % 12) + (/pm/i.test(fields.p ?? "") ? 12 : 0);
  const day = fields.j === undefined ? number("d", 1) : number("j", 1);
  const micro = Number((fields.f ?? "0").padEnd(6, "0"));
  const ms =
    Date.UTC(year, fields.j === undefined ? month - 1 : 0, day, hour, number("M", 0), number("S", 0)) +
    Math.floor(micro / 1000);
  if (fields.j === undefined && new Date(ms).getUTCDate() !== day)
    throw valueError("day is out of range for month");
  return { ms, micro: micro % 1000 };
}

function compiled(source: string, format: string): RegExp {
  try {
    return new RegExp(`^${source}$`, "i");
  } catch (error) {
    if (error instanceof SyntaxError) throw valueError(`the format '${format}' names a field twice`);
    throw error;
  }
}
