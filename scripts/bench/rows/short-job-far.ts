/** The row `short-job-far`: a show as a job of its own, on a kept session of a device 20 ms away. */
import type { SpeedRow } from "./row.ts";
import { measureShort } from "./shared-short.ts";

export default {
  name: "short-job-far",
  title: "the same, of a device 20 ms away",
  unit: "ms",
  better: "less",
  goal: 24,
  measure: ({ quick }) => measureShort(quick, "far"),
} satisfies SpeedRow;
