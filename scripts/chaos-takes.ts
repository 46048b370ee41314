/**
 * `bun run chaos:takes`: kills the service while it reads configurations that change; exits with 1 if a version
 * is missing, doubled or of nobody, or if its Git repository cannot be made again with the same ids.
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { runTakes } from "./chaos/takes.ts";

const { values: flags } = parseArgs({
  options: {
    devices: { type: "string", default: "60" },
    kills: { type: "string", default: "50" },
    seed: { type: "string", default: String(1 + Math.floor(Math.random() * 1_000_000)) },
    binary: { type: "string" },
  },
});
const { devices, kills, seed, binary } = flags;
const report = await runTakes({ devices: Number(devices), kills: Number(kills), seed: Number(seed), binary });
console.log(JSON.stringify({ chaos: "takes", ...flags, ...report }, null, 2));
process.exit(report.breaches.length > 0 ? 1 : 0);
