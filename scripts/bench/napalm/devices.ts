/** Replay devices in a process of their own, so that what they compute is not counted: each on an address of its own. Prints the ports as JSON. */
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
