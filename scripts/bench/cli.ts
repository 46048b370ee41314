/**
 * `bun run bench:cli`: the same rows against a simulated device, local and 20 ms away, for a bare ssh2 client
 * (the floor), the driver, the whole service over HTTP and Netmiko. Prints JSON, one run. `--quick` omits
 * Netmiko.
 */
import { existsSync } from "node:fs";
import process from "node:process";
import { startApi } from "./cli/api.ts";
import { driverClient } from "./cli/driver.ts";
import { floorClient } from "./cli/floor.ts";
import { measure, type Row, round, type Sizes } from "./cli/rows.ts";

const roundTripMs = 20;
const sizes: Sizes = {
  connects: 15,
  shows: 100,
  rounds: 20,
  pushedLines: 200,
  outputs: 200,
  devices: 200,
  atOnce: 50,
};
const quick = process.argv.includes("--quick");

const device = Bun.spawn([process.execPath, "scripts/bench/cli/device.ts", String(roundTripMs), "2000"], {
  stdout: "pipe",
  stderr: "inherit",
});
const ports = (await firstLine(device.stdout)) as { near: number; far: number };
const service = await startApi();

const at = async (port: number, sizes: Sizes) => {
  const floor = await measure(floorClient(port, "lines"), sizes);
  const pipelined = await measure(floorClient(port, "one write"), { ...sizes, devices: 0 });
  const driver = await measure(driverClient(port), sizes);
  const api = await service.measure(port, sizes);
  return {
    floor: { ...floor, push_in_one_write: pipelined.push },
    driver,
    driver_by_floor: ratios(driver, floor),
    api,
    netmiko: quick ? undefined : await measureNetmiko(port),
  };
};

// Warm up both, to compare steady-state performance.
await measure(floorClient(ports.near, "lines"), sizes);
await measure(driverClient(ports.near), sizes);

const figures = {
  bench: "cli",
  unit: "ms",
  rows: {
    connect_show_close: "a new session, one show, closed",
    show: `each of ${sizes.shows} shows on an open session`,
    push: `${sizes.pushedLines} configuration lines`,
    output: "2,000 lines of output",
    devices: `${sizes.devices} devices x 2 commands, ${sizes.atOnce} at a time, all`,
  },
  near: await at(ports.near, sizes),
  far: { round_trip: roundTripMs, ...(await at(ports.far, { ...sizes, rounds: 1, outputs: 15 })) },
};
console.log(JSON.stringify(figures, null, 2));
await service.stop();
device.kill();
process.exit(0);

function ratios(row: Row, floor: Row) {
  return Object.fromEntries(
    (["connect_show_close", "show", "push", "output", "devices"] as const).map((name) => [
      name,
      round(row[name] / floor[name]),
    ]),
  );
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<unknown> {
  let text = "";
  for await (const chunk of stream) {
    text += new TextDecoder().decode(chunk);
    if (text.includes("\n")) return JSON.parse(text);
  }
  throw new Error("the device did not start");
}

/** Measures Netmiko if Debian's package is installed; otherwise undefined. */
async function measureNetmiko(port: number): Promise<unknown> {
  if (!existsSync("/usr/bin/python3")) return undefined;
  const { pushedLines, devices, atOnce } = sizes;
  const child = Bun.spawn(
    [
      "/usr/bin/python3",
      "scripts/bench/cli/rows_netmiko.py",
      ...[port, 20, pushedLines, devices, atOnce].map(String),
    ],
    { stdout: "pipe", stderr: "pipe" },
  );
  const text = await new Response(child.stdout).text();
  return (await child.exited) === 0 ? JSON.parse(text) : undefined;
}
