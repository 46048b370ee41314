/**
 * `bun run chaos:changes`: kills nodes while changes are rolled out, on a file and on a libSQL server; exits with 1 if a
 * line was sent twice, a wave began after a stop or without its votes, or a record is not what its device shows.
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { changeStores, runChanges } from "./chaos/changes.ts";

const { values: flags } = parseArgs({
  options: {
    devices: { type: "string", default: "15" },
    kills: { type: "string", default: "50" },
    seed: { type: "string", default: String(1 + Math.floor(Math.random() * 1_000_000)) },
    store: { type: "string" },
    binary: { type: "string" },
  },
});
const { store: only, binary } = flags;
const numbers = { devices: Number(flags.devices), kills: Number(flags.kills), seed: Number(flags.seed) };
let breaches = 0;
for (const store of changeStores.filter((name) => only === undefined || name === only)) {
  const report = await runChanges({ ...numbers, binary, store });
  console.log(JSON.stringify({ chaos: "changes", ...flags, store, ...report }, null, 2));
  breaches += report.breaches.length;
}
process.exit(breaches > 0 ? 1 : 0);
