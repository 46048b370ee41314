/**
 * `bun run chaos:events`: kills nodes on one server (`--store=sqld`, `postgres`) under event listeners; exits with 1 if a listener
 * missed a change.
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { runEvents } from "./chaos/events.ts";
import { serverKindOf } from "./chaos/server.ts";

const { values: flags } = parseArgs({
  options: {
    jobs: { type: "string", default: "1000" },
    listeners: { type: "string", default: "300" },
    kills: { type: "string", default: "20" },
    store: { type: "string", default: "sqld" },
  },
});
const report = await runEvents({
  jobs: Number(flags.jobs),
  listeners: Number(flags.listeners),
  kills: Number(flags.kills),
  store: serverKindOf(flags.store),
});
console.log(JSON.stringify({ chaos: "events", ...flags, ...report }, null, 2));
process.exit(report.breaches.length > 0 ? 1 : 0);
