/**
 * `side.ts floor|driver <system>`: one contender in its own process, so that neither compiles nor collects garbage
 * for the other. It first receives the devices, then runs a round over all of them per message and reports its cost.
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
