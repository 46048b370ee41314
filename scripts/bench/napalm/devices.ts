/**
 * Replay devices in their own process, so that their CPU time is not counted; each has its own address.
 * Prints the ports as JSON.
 */
import process from "node:process";
import { startReplay } from "../../testbed/replay.ts";
import { caseOf } from "./cases.ts";

const [system = "", count = "1"] = process.argv.slice(2);
const one = caseOf(system);
const devices = await Promise.all(
  Array.from({ length: Number(count) }, async (_, at) => {
    const host = `127.0.7.${at + 1}`;
    const { port } = await startReplay(one, { host });
    return { host, port };
  }),
);
process.stdout.write(`${JSON.stringify(devices)}\n`);
