/**
 * One side of the comparison in a process of its own, so that neither compiles nor collects for the other:
 * `side.ts floor|driver <system>`. It is told the devices first, then does a round over all of them for each message,
 * and tells what it took.
 */
import process from "node:process";
import * as v from "valibot";
import { askDriver } from "./ask.ts";
import { type Address, floorClient } from "./floor.ts";

const [side = "", system = ""] = process.argv.slice(2);
const told = v.object({
  addresses: v.array(v.object({ host: v.string(), port: v.number() })),
  questions: v.array(v.string()),
});

const cpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

let round: (() => Promise<unknown>) | undefined;

process.on("message", async (message) => {
  if (round === undefined) {
    const { addresses, questions } = v.parse(told, message);
    const ask: (at: Address) => Promise<unknown> =
      side === "floor" ? floorClient(system, questions) : (at) => askDriver(system, at);
    round = () => Promise.all(addresses.map(ask));
    process.send?.({ wall_ms: 0, cpuBefore: 0 });
    return;
  }
  const [cpuBefore, wallBefore] = [cpu(), performance.now()];
  await round();
  process.send?.({ wall_ms: performance.now() - wallBefore, cpuBefore });
});
