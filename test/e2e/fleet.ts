/** Many simulated devices in one process, each with its own address, and their inventory. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "../../src/testkit/service.ts";
import type { SimulatorOptions } from "../../src/testkit/simulator/simulator.ts";
import { type SimulatedDevice, simulated } from "./devices.ts";

export interface Fleet {
  readonly devices: readonly SimulatedDevice[];
  /** CSV: host, port, device_type. */
  readonly inventory: string;
  stop(): Promise<void>;
}

/** `absent`: nothing listens on the port. */
export type Trouble = Partial<SimulatorOptions> | "absent";

/** Addresses from `127.77.0.1`. @param troubles by device number, starting at 1 */
export async function startFleet(
  count: number,
  troubles: Readonly<Record<number, Trouble>> = {},
): Promise<Fleet> {
  const numbers = Array.from({ length: count }, (_, at) => at + 1);
  const isAbsent = (number: number) => troubles[number] === "absent";
  const devices = await Promise.all(
    numbers
      .filter((number) => !isAbsent(number))
      .map(async (number) => {
        const trouble = troubles[number];
        const name = `sw${String(number).padStart(3, "0")}`;
        const device = await simulated("cisco_ios", {
          host: addressOf(number),
          hostname: name,
          ...(trouble === "absent" ? {} : trouble),
        });
        return { number, device };
      }),
  );
  const ports = new Map(devices.map(({ number, device }) => [number, device.port]));
  const rows = numbers.map((number) => `${addressOf(number)},${ports.get(number) ?? unusedPort},cisco_ios`);
  const folder = tempFolder();
  const inventory = join(folder, "devices.csv");
  writeFileSync(inventory, `host,port,device_type\n${rows.join("\n")}\n`);
  return {
    devices: devices.map(({ device }) => device),
    inventory,
    async stop() {
      await Promise.all(devices.map(({ device }) => device.stop()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Never assigned as an ephemeral port. */
const unusedPort = 1;

export function addressOf(number: number): string {
  return `127.77.${Math.floor(number / 250)}.${number % 250}`;
}
