/**
 * `bun run chaos:schedules`: kills nodes on one server (`--store=sqld`, `postgres`) while schedules fire; exits with 1 if a
 * schedule did not fire exactly once.
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { runFirings } from "./chaos/firings.ts";
import { serverKindOf } from "./chaos/server.ts";

const { values: flags } = parseArgs({
  options: {
    firings: { type: "string", default: "500" },
    kills: { type: "string", default: "20" },
    store: { type: "string", default: "sqld" },
  },
});
const report = await runFirings({
  firings: Number(flags.firings),
  kills: Number(flags.kills),
  store: serverKindOf(flags.store),
});
console.log(JSON.stringify({ chaos: "schedules", ...flags, ...report }, null, 2));
process.exit(report.breaches.length > 0 ? 1 : 0);
