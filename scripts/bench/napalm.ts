/**
 * `bun run bench:napalm`: `get_facts` and `get_interfaces` of many replay devices per system, concurrently,
 * by three contenders: a bare client of the transport that sends the same requests and parses the responses
 * as text, JSON or XML (the floor), the driver, the whole service over HTTP.
 *
 * - The floor logs in, waits for prompts or message ends, and passes each response through the parser that
 *   the driver uses (JSON.parse, saxes) without using the result. Terminal output is only decoded to a string:
 *   finding lines, fields and values in it has no floor. Neither serializes its results.
 * - A round covers all devices concurrently, each from connect to close.
 * - The contenders take turns, one round each, in varying order. Each runs in its own process with its own
 *   JIT compiler and garbage collector; the devices run in another one, whose time is not counted.
 * - The CPU time of a round is that of all threads from its start to the start of the contender's next round,
 *   so later compilation and garbage collection count as well. For the service it has a resolution of 10 ms.
 * - All contenders run the same number of warm-up rounds. Then they continue until the median ratio is known
 *   within 5 % (95 % confidence), or for `--seconds`. A ratio compares the rounds of one turn; `from` and `to`
 *   are its bounds.
 *
 * `--system ios` measures one system, `--devices 10` fewer devices, `--driver` omits the service.
 */
import process from "node:process";
import { parseArgs } from "node:util";
import * as v from "valibot";
import { systemNamed } from "../../plugins/drivers/napalm/system-names.ts";
import { startReplay } from "../testbed/replay.ts";
import { askDriver } from "./napalm/ask.ts";
import { caseOf, connectionOf, getters, systems } from "./napalm/cases.ts";
import { type Address, questionsOf } from "./napalm/floor.ts";
import { figures, ratios } from "./napalm/measure.ts";
import { inTurns, otherProcess, ownProcess, type Side } from "./napalm/turns.ts";
import { startService } from "./service.ts";

const { values } = parseArgs({
  options: {
    system: { type: "string" },
    devices: { type: "string", default: "50" },
    seconds: { type: "string", default: "30" },
    driver: { type: "boolean", default: false },
  },
});
const count = Number(values.devices);
const limits = { warm: 15, least: 20, seconds: Number(values.seconds) };

const answer = v.object({
  data: v.object({ succeeded: v.array(v.looseObject({ status: v.string() })) }),
});

/** The requests that the driver sends to a device, from the device's log. */
async function learn(system: string): Promise<string[]> {
  const device = await startReplay(caseOf(system));
  await askDriver(system, { host: "127.0.0.1", port: device.port });
  const questions = questionsOf(system, device.log);
  await device.close();
  return questions;
}

async function devicesOf(system: string) {
  const script = ["scripts/bench/napalm/devices.ts", system, String(count)];
  const child = Bun.spawn([process.execPath, ...script], { stdout: "pipe", stderr: "inherit" });
  let text = "";
  for await (const chunk of child.stdout) {
    text += new TextDecoder().decode(chunk);
    if (text.includes("\n")) break;
  }
  const addresses: readonly Address[] = JSON.parse(text);
  return { addresses, stop: () => child.kill() };
}

const service = values.driver ? undefined : await startService();

async function bulk(system: string, addresses: readonly Address[]): Promise<void> {
  const request = {
    driver: "napalm",
    devices: addresses.map(({ host, port }) => connectionOf(system, host, port)),
    command: getters,
    options: { queue_strategy: "fifo" },
  };
  const response = await service?.call("POST", "/device/bulk", request, 300);
  const { data } = v.parse(answer, await response?.json());
  const failed = data.succeeded.find(({ status }) => status !== "finished");
  if (failed || data.succeeded.length !== addresses.length)
    throw new Error(`${system}: ${JSON.stringify(failed ?? data).slice(0, 500)}`);
}

async function measured(system: string): Promise<object> {
  const questions = await learn(system);
  const { addresses, stop } = await devicesOf(system);
  const told = { addresses, questions };
  const sides: Side[] = [
    await ownProcess("floor", system, told),
    await ownProcess("driver", system, told),
    ...(service === undefined ? [] : [otherProcess(service.pid, () => bulk(system, addresses))]),
  ];
  const [floor = [], driver = [], api] = await inTurns(sides, limits).finally(() => {
    for (const side of sides) side.stop();
    stop();
  });
  return {
    questions: questions.length,
    rounds: floor.length,
    floor: figures(floor),
    driver: figures(driver),
    driver_by_floor: ratios(driver, floor),
    ...(api === undefined ? {} : { api: figures(api), api_by_floor: ratios(api, floor) }),
  };
}

const known = systems.filter((name) => systemNamed(name) !== undefined);
const measures: Record<string, object> = {};
for (const system of values.system === undefined ? known : [values.system])
  measures[system] = await measured(system).catch((error: unknown) => ({ failed: String(error) }));
await service?.stop();
console.log(JSON.stringify({ bench: "napalm", devices: count, getters, systems: measures }, null, 2));
process.exit(0);
