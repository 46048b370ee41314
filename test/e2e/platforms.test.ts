/**
 * Every platform through the HTTP API on its simulated device: query with paging, enable, configure, refused line, save
 * or commit. Devices that answer at once, that think 15 ms and cut their packets anywhere, and one of each family that thinks 800 ms.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtins } from "../../plugins/index.ts";
import type { PlatformPlugin, PrivilegeLevel } from "../../src/plugin/index.ts";
import { simulated } from "./devices.ts";
import { type Service, startService } from "./harness.ts";

const platforms = builtins.filter((plugin): plugin is PlatformPlugin => plugin.kind === "platform");

/** One of each family: by their prompts, logins, candidates and saves they differ most. */
const families = [
  "cisco_ios",
  "cisco_xr",
  "cisco_asa",
  "cisco_s300",
  "cisco_wlc",
  "cisco_tp",
  "cisco_viptela",
  "fiberstore_fsos",
  "netgear_prosafe",
  "huawei",
  "juniper_junos",
  "paloalto_panos",
  "nokia_sros",
  "nokia_srl",
  "vyos",
  "fortinet",
  "linux",
  "mikrotik_routeros",
  "extreme_exos",
  "f5_tmsh",
];

/** Waiting costs nothing, starting does: so many devices are driven at once. */
const atOnce = 12;

/** The levels that a push passes. */
function below(levels: PlatformPlugin["levels"], top: string | undefined): PrivilegeLevel[] {
  const level = top === undefined ? undefined : levels[top];
  return level === undefined ? [] : [level, ...below(levels, level.from)];
}

type Device = Awaited<ReturnType<typeof simulated>>;
type Run = (more: object, connection?: object) => ReturnType<Service["run"]>;

let devices = 0;

/** Each device has an address of its own: jobs of one host wait for each other. */
function nextAddress(): string {
  devices++;
  return `127.1.${Math.floor(devices / 250)}.${(devices % 250) + 1}`;
}

async function onDevice(
  service: Service,
  name: string,
  thinking: number,
  work: (device: Device, run: Run) => Promise<void>,
): Promise<void> {
  const host = nextAddress();
  // Those that think cut their packets, too, each in its own way.
  const faults = thinking === 15 ? { cutSeed: devices } : {};
  const device = await simulated(name, { hostname: "edge7", thinking, host, faults });
  const run: Run = (more, connection = {}) =>
    service.run({
      driver: "netmiko",
      connection_args: {
        device_type: name,
        host,
        port: device.port,
        username: device.username,
        password: device.password,
        secret: device.secret,
        host_key_policy: "warning",
        ...connection,
      },
      ...more,
    });
  try {
    await work(device, run);
  } finally {
    await device.stop();
  }
}

const lines = ["interface Loopback7", "description made by a job"];

async function queries(run: Run): Promise<void> {
  const shown = await run({ command: ["show version", "show version"] });
  expect(shown.result?.error ?? null).toBeNull();
  const text = String(shown.result?.retval?.["show version"]);
  expect(text).toContain("edge7 uptime is 5 weeks");
  expect(text).toContain("Configuration register is 0xF");
  expect(text).not.toMatch(/more/i);
}

async function pushes(platform: PlatformPlugin, device: Device, run: Run): Promise<void> {
  const pushed = await run({ config: lines, driver_args: { save: true } });
  expect(pushed.result?.error ?? null).toBeNull();
  const entered = device.commands();
  expect(entered.filter((line) => line === "description made by a job")).toHaveLength(1);
  for (const step of platform.candidate?.commit ?? platform.save ?? []) expect(entered).toContain(step.send);

  const refused = await run({ config: ["description before", "bogus line", "description never"] });
  if (platform.errors.length === 0) return;
  expect(refused.result?.error).toMatchObject({ type: "CommandError", command: "bogus line" });
  expect(device.commands()).not.toContain("description never");
  for (const step of platform.candidate?.discard ?? []) expect(device.commands()).toContain(step.send);
}

async function isRenamed({ simulated }: PlatformPlugin, device: Device, run: Run): Promise<void> {
  if (simulated?.rename === null) return;
  const line = (simulated?.rename ?? "hostname {name}").replace("{name}", "core9");
  const renamed = await run({ config: [line, "description after the name changed"] });
  expect(renamed.result?.error ?? null).toBeNull();
  expect(device.commands()).toContain("description after the name changed");
  const again = await run({ command: "show version" });
  expect(String(again.result?.retval?.["show version"])).toContain("core9 uptime is");
  expect(JSON.stringify(again.result?.retval)).not.toContain("core9#");
}

async function refusesAWrongSecret({ levels, config, home }: PlatformPlugin, run: Run): Promise<void> {
  const enables = below(levels, config ?? home).some(({ asks, enter }) => asks && enter !== undefined);
  if (!enables) return;
  const wrong = await run({ config: lines }, { secret: "wrong-canary" });
  expect(wrong.result?.error?.type).toBe("AuthenticationFailed");
  expect(JSON.stringify(wrong)).not.toContain("canary");
}

function exercise(service: Service, platform: PlatformPlugin, thinking: number): Promise<void> {
  return onDevice(service, platform.name, thinking, async (device, run) => {
    await queries(run);
    await pushes(platform, device, run);
    await isRenamed(platform, device, run);
    await refusesAWrongSecret(platform, run);
    expect((await run({ command: "show version" })).status).toBe("finished");
  });
}

/** Runs all, so many at once, the slow ones first; a test waits for its own. */
function createPool(limit: number) {
  const waiting: (() => void)[] = [];
  let under = 0;
  return async function run<T>(work: () => Promise<T>): Promise<T> {
    if (under >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    under++;
    try {
      return await work();
    } finally {
      under--;
      waiting.shift()?.();
    }
  };
}

const cases = [
  ...families.map((name) => ({ name, thinking: 800 })),
  ...[15, 0].flatMap((thinking) => platforms.map(({ name }) => ({ name, thinking }))),
];

describe("platforms on simulated devices", () => {
  let service: Service;
  const outcomes = new Map<string, Promise<unknown>>();
  const keyOf = (name: string, thinking: number) => `${name} ${thinking}`;

  beforeAll(async () => {
    service = await startService({ env: { PATCHBAY_LOG_LEVEL: "warn" } });
    const limited = createPool(atOnce);
    for (const { name, thinking } of cases) {
      const platform = platforms.find((one) => one.name === name);
      if (platform === undefined) throw new Error(`no platform ${name}`);
      const work = () => exercise(service, platform, thinking);
      const outcome = thinking >= 800 ? work() : limited(work);
      outcomes.set(
        keyOf(name, thinking),
        outcome.then(
          () => undefined,
          (error: unknown) => error,
        ),
      );
    }
  });
  afterAll(() => service.stop());

  test.each(cases)("$name, thinking $thinking ms", { timeout: 600_000 }, async ({ name, thinking }) => {
    const error = await outcomes.get(keyOf(name, thinking));
    if (error !== undefined) throw error;
  });
});
