/** The row `noop-file`: no-op jobs over HTTP, on a file, next to the store alone. */
import type { SpeedRow } from "./row.ts";
import { measureNoop, storeAlone } from "./shared-noop.ts";

export default {
  name: "noop-file",
  title: "no-op jobs over HTTP, on a file",
  unit: "jobs/s",
  better: "more",
  goal: 6000,
  measure: async ({ quick }) => measureNoop(quick, await storeAlone(quick)),
} satisfies SpeedRow;
