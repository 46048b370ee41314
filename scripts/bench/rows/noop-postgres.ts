/** The row `noop-postgres`: no-op jobs over HTTP, on PostgreSQL that waits for the disk, next to the store alone. */
import type { SpeedRow } from "./row.ts";
import { measureNoop, storeAlone } from "./shared-noop.ts";
import { withPostgres } from "./shared-postgres.ts";

export default {
  name: "noop-postgres",
  title: "no-op jobs over HTTP, on PostgreSQL",
  unit: "jobs/s",
  better: "more",
  goal: 4000,
  async measure({ quick }) {
    const floor = await withPostgres(({ url }) => storeAlone(quick, url));
    return withPostgres(({ url }) => measureNoop(quick, floor, url));
  },
} satisfies SpeedRow;
