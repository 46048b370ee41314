/** How jobs ended of late, counted for people who look at a page: GET /statistics. */

export const statisticsLimits = {
  /** A day. */
  mostMinutes: 1_440,
  usualMinutes: 60,
  steps: 60,
  /** Changes of jobs that are looked at, the newest first: about 0.1 s of computing. */
  changes: 20_000,
  errorTypes: 20,
} as const;

/** Seconds; null where no job had any. */
export interface Spread {
  p50: number | null;
  p95: number | null;
  max: number | null;
}

export interface StatisticsStep {
  /** Its beginning, ISO 8601. */
  at: string;
  finished: number;
  failed: number;
  cancelled: number;
  /** Of those that ran, seconds in the middle and of all but five of a hundred. */
  run_p50: number | null;
  run_p95: number | null;
}

export interface StatisticsRecord {
  since: string;
  until: string;
  /** False: more happened than is counted, or is kept; what is counted is the newest. */
  complete: boolean;
  step_seconds: number;
  counts: { finished: number; failed: number; cancelled: number };
  /** The most frequent first. */
  error_types: Record<string, number>;
  /** From the claim of a job to its end. */
  run: Spread;
  /** From its submission to its claim. */
  wait: Spread;
  steps: StatisticsStep[];
}
