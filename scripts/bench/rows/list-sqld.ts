/**
 * The row `list-sqld`: a list of 100,000 jobs with their results, from libSQL server, next to bare reads of
 * the rows.
 */
import type { SpeedRow } from "./row.ts";
import { measureList } from "./shared-list.ts";

export default {
  name: "list-sqld",
  title: "`GET /job` of 100,000 jobs from libSQL server",
  unit: "s",
  better: "less",
  goal: 3,
  measure: ({ quick }) => measureList("sqld", quick),
} satisfies SpeedRow;
