/**
 * `bun run chaos:ledger`: kills the service while it pushes; exits with 1 if a push has no entry in the ledger or
 * several, if the chain is broken, or if what an entry says is not what the job and the device say.
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { runLedger } from "./chaos/ledger.ts";

const { values: flags } = parseArgs({
  options: {
    devices: { type: "string", default: "12" },
    kills: { type: "string", default: "50" },
    seed: { type: "string", default: String(1 + Math.floor(Math.random() * 1_000_000)) },
    binary: { type: "string" },
  },
});
const { devices, kills, seed, binary } = flags;
const report = await runLedger({
  devices: Number(devices),
  kills: Number(kills),
  seed: Number(seed),
  binary,
});
console.log(JSON.stringify({ chaos: "ledger", ...flags, ...report }, null, 2));
process.exit(report.breaches.length > 0 ? 1 : 0);
