/**
 * The row `nodes`: 14 nodes on one libSQL server next to one node, all on the same cores as the server and
 * the callers.
 */
import type { SpeedRow } from "./row.ts";
import { measureMany } from "./shared-many.ts";

export default {
  name: "nodes",
  title: "no-op jobs/s of 14 nodes on one libSQL server, relative to one node",
  unit: "x",
  better: "more",
  goal: 0.8,
  measure: ({ quick }) => measureMany(quick),
} satisfies SpeedRow;
