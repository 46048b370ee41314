/** Takes of many devices through the whole service: over SSH, and with a driver that needs neither login nor network. */
import { cpuMsOf, mainMsOf } from "../rows/shared-noop.ts";
import type { BenchService } from "../service.ts";
import { startService } from "../service.ts";
import { startSimulated } from "./simulated.ts";
import { versionsOf } from "./texts.ts";

export const login = { username: "admin", password: "admin" };
/** A loopback address per device. */
export const hostOf = (n: number) => `127.${1 + (n >> 14)}.${(n >> 7) & 127}.${(n & 127) + 1}`;
const round = (value: number) => Math.round(value * 100) / 100;

interface Answer {
  readonly data: { readonly succeeded?: readonly { readonly status: string }[] };
}

/** Texts of eight devices in three versions; the request names the version by a file. */
function driverOf(path: string): string {
  const texts = Array.from({ length: 8 }, (_, device) => [...versionsOf(device, 3)]);
  return `import { readFileSync } from "node:fs";
import { defineDriver } from "patchbay/plugin";
const any = { "~standard": { version: 1, vendor: "bench", validate: (value) => ({ value }) } };
const texts = ${JSON.stringify(texts)};
export default defineDriver({
  name: "shown", connection: any, query: any, configure: any, strategy: "fifo",
  target: ({ host }) => ({ host, port: 22 }),
  shows: ({ find }) => ({
    commands: ["show running-config"], args: {}, platform: find("cisco_ios"), parts: ["running"],
    textsOf: ([text]) => [{ part: "running", command: "show running-config", text }],
  }),
  open: async ({ connection }) => ({
    query: async () => {
      const version = Number(readFileSync(${JSON.stringify(path)}, "utf8"));
      const device = Number(String(connection.host).split(".").at(-1)) % 8;
      return texts[device][version] ?? "";
    },
    configure: async () => "ok",
  }),
});
`;
}

/** With a driver that has the texts: what a take costs beside the device. */
export async function measureTakes(devices: number, folder: string): Promise<object> {
  const path = `${folder}/version`;
  const write = (version: number) => Bun.write(path, String(version));
  await write(0);
  const service = await startService(driverOf(path));
  try {
    await addDevices(service, devices, (n) => ({ host: hostOf(n), driver: "shown" }));
    const first = await take(service, devices);
    await write(1);
    const changed = await take(service, devices);
    const same = await take(service, devices);
    return { devices, first, changed, same };
  } finally {
    await service.stop();
  }
}

export async function measureTakesOverSsh(devices: number): Promise<object> {
  const device = await startSimulated();
  const service = await startService();
  try {
    await service.call("PUT", "/credential/lab", login);
    await addDevices(service, devices, (n) => ({
      ...{ host: hostOf(n), port: device.port, driver: "netmiko", platform: "cisco_ios" },
      credential: { name: "file", ref: "lab" },
    }));
    const first = await take(service, devices);
    const same = await take(service, devices);
    return { devices, first, same };
  } finally {
    await service.stop();
    device.stop();
  }
}

export async function addDevices(
  service: BenchService,
  count: number,
  placeOf: (n: number) => object,
): Promise<void> {
  const devices = Array.from({ length: count }, (_, n) => ({
    name: `sw-${n}`,
    ...placeOf(n),
    tags: ["lab"],
  }));
  const answer = await service.call("POST", "/inventory/device", { devices });
  if (!answer.ok) throw new Error(await answer.text());
}

export async function take(service: BenchService, devices: number) {
  const [mainBefore, allBefore] = [mainMsOf(service.pid), cpuMsOf(service.pid)];
  const from = performance.now();
  const body = { select: "tag:lab", parts: ["running"] };
  const answer = await service.call("POST", "/history/take", body, 600);
  const { data } = (await answer.json()) as Answer;
  const wallMs = performance.now() - from;
  const done = data.succeeded?.length ?? 0;
  if (done !== devices)
    throw new Error(`${done} of ${devices} takes succeeded: ${JSON.stringify(data).slice(0, 900)}`);
  return {
    wall_s: round(wallMs / 1000),
    takes_per_s: Math.round((devices / wallMs) * 1000),
    main_cpu_us_each: Math.round(((mainMsOf(service.pid) - mainBefore) * 1000) / devices),
    all_cpu_us_each: Math.round(((cpuMsOf(service.pid) - allBefore) * 1000) / devices),
  };
}
