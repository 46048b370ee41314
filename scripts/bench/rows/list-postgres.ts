/** The row `list-postgres`: a list of 100,000 jobs with their results, from PostgreSQL. */
import type { SpeedRow } from "./row.ts";
import { measureList } from "./shared-list.ts";

export default {
  name: "list-postgres",
  title: "`GET /job` of 100,000 jobs from PostgreSQL",
  unit: "s",
  better: "less",
  goal: 3,
  measure: ({ quick }) => measureList("postgres", quick),
} satisfies SpeedRow;
