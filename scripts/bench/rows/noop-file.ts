/** The row `noop-file`: jobs that do nothing, over HTTP, on a file, beside what the store takes alone. */
import type { SpeedRow } from "./row.ts";
import { measureNoop, storeAlone } from "./shared-noop.ts";

export default {
  name: "noop-file",
  title: "jobs that do nothing, over HTTP, on a file",
  unit: "jobs/s",
  better: "more",
  goal: 6000,
  measure: async ({ quick }) => measureNoop(quick, await storeAlone(quick)),
} satisfies SpeedRow;
