/** The row `list-file`: a list of 100,000 jobs with their results, from a file, next to bare reads of the rows. */
import type { SpeedRow } from "./row.ts";
import { measureList } from "./shared-list.ts";

export default {
  name: "list-file",
  title: "`GET /job` of 100,000 jobs from a file",
  unit: "s",
  better: "less",
  goal: 1,
  measure: ({ quick }) => measureList("file", quick),
} satisfies SpeedRow;
