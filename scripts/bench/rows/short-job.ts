/** The row `short-job`: a show as a job on a kept session of a local device. */
import type { SpeedRow } from "./row.ts";
import { measureShort } from "./shared-short.ts";

export default {
  name: "short-job",
  title: "a show as a job, on a kept session",
  unit: "ms",
  better: "less",
  goal: 2,
  measure: ({ quick }) => measureShort(quick, "near"),
} satisfies SpeedRow;
