/** Statistics of recently ended jobs: GET /statistics. */

export const statisticsLimits = {
  /** One day. */
  mostMinutes: 1_440,
  usualMinutes: 60,
  steps: 60,
  /** Maximum events scanned, newest first; about 0.1 s of CPU. */
  changes: 20_000,
  errorTypes: 20,
} as const;

/** In seconds; null without jobs. */
export interface Spread {
  p50: number | null;
  p95: number | null;
  max: number | null;
}

export interface StatisticsStep {
  /** Start of the step, ISO 8601. */
  at: string;
  finished: number;
  failed: number;
  cancelled: number;
  /** Median and 95th percentile of run times in seconds. */
  run_p50: number | null;
  run_p95: number | null;
}

export interface StatisticsRecord {
  since: string;
  until: string;
  /** False if older events were not counted or are no longer kept. */
  complete: boolean;
  step_seconds: number;
  counts: { finished: number; failed: number; cancelled: number };
  /** Most frequent first. */
  error_types: Record<string, number>;
  /** From claim to end. */
  run: Spread;
  /** From submission to claim. */
  wait: Spread;
  steps: StatisticsStep[];
}
