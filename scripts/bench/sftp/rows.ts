/** The rows of the bench: what is transferred, the cost, and the comparison. */

export interface Bed {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** `user@host`. */
  readonly login: string;
  readonly key: string;
  /** Local: `large`, a file, and `small`, a folder. */
  readonly work: string;
  /** On the server. */
  readonly remote: string;
}

export interface Spent {
  readonly seconds: number;
  /** Of the client. */
  readonly cpu_seconds: number;
}

export const rowNames = ["large_up", "large_down", "small_up", "small_down"] as const;
export type RowName = (typeof rowNames)[number];
export type Rows = Readonly<Record<RowName, Spent>>;

const round = (value: number) => Math.round(value * 1000) / 1000;

/** For each row, the run with the median time. */
export function medianOf(runs: readonly Rows[]): Rows {
  const middle = (name: RowName): Spent => {
    const sorted = runs.map((rows) => rows[name]).sort((a, b) => a.seconds - b.seconds);
    const { seconds, cpu_seconds } = sorted[sorted.length >> 1] ?? { seconds: 0, cpu_seconds: 0 };
    return { seconds: round(seconds), cpu_seconds: round(cpu_seconds) };
  };
  return {
    large_up: middle("large_up"),
    large_down: middle("large_down"),
    small_up: middle("small_up"),
    small_down: middle("small_down"),
  };
}

/** Speed-up over the other client. */
export function timesAsFast(ours: Rows, theirs: Rows): Record<string, number> {
  return Object.fromEntries(
    rowNames.map((name) => [name, Math.round((theirs[name].seconds / ours[name].seconds) * 100) / 100]),
  );
}

export function perSecond(rows: Rows, bytes: number, files: number): Record<string, string> {
  const rate = (name: RowName) => rows[name].seconds;
  return {
    large_up: `${Math.round(bytes / rate("large_up") / 1e6)} MB/s`,
    large_down: `${Math.round(bytes / rate("large_down") / 1e6)} MB/s`,
    small_up: `${Math.round(files / rate("small_up"))} files/s`,
    small_down: `${Math.round(files / rate("small_down"))} files/s`,
  };
}
