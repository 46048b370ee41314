/**
 * The row `nodes-postgres`: 14 nodes on one PostgreSQL server next to one node, all on the same cores as the server and
 * the callers.
 */
import type { SpeedRow } from "./row.ts";
import { measureMany } from "./shared-many.ts";
import { startOnPostgres } from "./shared-nodes.ts";

export default {
  name: "nodes-postgres",
  title: "no-op jobs/s of 14 nodes on PostgreSQL, relative to one node",
  unit: "x",
  better: "more",
  goal: 0.8,
  measure: ({ quick }) => measureMany(quick, startOnPostgres),
} satisfies SpeedRow;
