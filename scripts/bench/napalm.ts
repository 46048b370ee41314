/**
 * `bun run bench:napalm`: `get_facts` and `get_interfaces` of many replay devices of each system, all at once: a bare
 * client of the transport that asks the same questions and reads the answers (the floor), the driver, the whole service over HTTP. Wall and
 * processor time, in one JSON. The devices run in a process of their own. `--system ios` measures one, `--devices 10`
 * fewer.
 */
import process from "node:process";
import { parseArgs } from "node:util";
import * as v from "valibot";
import plugin from "../../plugins/drivers/napalm/plugin.ts";
import { systemNamed } from "../../plugins/drivers/napalm/system-names.ts";
import { startReplay } from "../testbed/replay.ts";
import { driverInProcess, valid } from "./in-process.ts";
import { caseOf, connectionOf, getters, systems } from "./napalm/cases.ts";
import { type Address, floorOf } from "./napalm/floor.ts";
import { measured, ratio } from "./napalm/measure.ts";
import { startService } from "./service.ts";

const { values } = parseArgs({
  options: { system: { type: "string" }, devices: { type: "string", default: "50" } },
});
const count = Number(values.devices);
const rounds = { warm: 8, counted: 7 };

const answer = v.object({
  data: v.object({ succeeded: v.array(v.looseObject({ status: v.string() })) }),
});

const opened = driverInProcess(plugin);
const queryArgs = await valid(plugin.args.query, {});

/** @returns the answers of both getters */
async function ask(system: string, { host, port }: Address): Promise<string> {
  const { session, ctx } = await opened(connectionOf(system, host, port));
  const outputs = await session.queryAll?.(getters, queryArgs, ctx);
  await session.close?.();
  for (const { command, output } of outputs ?? [])
    if (typeof output !== "object" || output === null || "error" in output)
      throw new Error(`${system}: ${command} gave ${JSON.stringify(output)}`);
  return JSON.stringify(outputs);
}

/** What the driver asks such a device, by the device's own record. */
async function learn(system: string): Promise<ReturnType<typeof floorOf>> {
  const device = await startReplay(caseOf(system));
  await ask(system, { host: "127.0.0.1", port: device.port });
  const floor = floorOf(system, device.log);
  await device.close();
  return floor;
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

const service = await startService();

async function bulk(system: string, addresses: readonly Address[]): Promise<void> {
  const request = {
    driver: "napalm",
    devices: addresses.map(({ host, port }) => connectionOf(system, host, port)),
    command: getters,
    options: { queue_strategy: "fifo" },
  };
  const response = await service.call("POST", "/device/bulk", request, 300);
  const { data } = v.parse(answer, await response.json());
  const failed = data.succeeded.find(({ status }) => status !== "finished");
  if (failed || data.succeeded.length !== addresses.length)
    throw new Error(`${system}: ${JSON.stringify(failed ?? data).slice(0, 500)}`);
}

const known = systems.filter((name) => systemNamed(name) !== undefined);
const figures: Record<string, object> = {};
for (const system of values.system === undefined ? known : [values.system]) {
  const { questions, ask: askRaw } = await learn(system);
  const { addresses, stop } = await devicesOf(system);
  const all = (one: (at: Address) => Promise<unknown>) => () => Promise.all(addresses.map(one));
  const floor = await measured(rounds, all(askRaw));
  const driver = await measured(
    rounds,
    all((at) => ask(system, at)),
  );
  const api = await measured(rounds, () => bulk(system, addresses), service.pid);
  stop();
  figures[system] = {
    questions: questions.length,
    floor,
    driver,
    driver_by_floor: ratio(driver, floor),
    api,
    api_by_floor: ratio(api, floor),
  };
}
await service.stop();
console.log(JSON.stringify({ bench: "napalm", devices: count, getters, systems: figures }, null, 2));
process.exit(0);
