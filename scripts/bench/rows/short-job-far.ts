/** The row `short-job-far`: a show as a job on a kept session of a device 20 ms away. */
import type { SpeedRow } from "./row.ts";
import { measureShort } from "./shared-short.ts";

export default {
  name: "short-job-far",
  title: "a show as a job, on a kept session of a device 20 ms away",
  unit: "ms",
  better: "less",
  goal: 24,
  measure: ({ quick }) => measureShort(quick, "far"),
} satisfies SpeedRow;
