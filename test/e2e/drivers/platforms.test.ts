/**
 * Every platform through the HTTP API on its simulated device: query with paging, enable, configure, refused
 * line, save or commit; in a plain run some of each kind. On devices without delay, on devices with 15 ms delay and fragmented output, and on one of
 * each family with 800 ms. In a whole run the program is the compiled one.
 */
import { afterAll, beforeAll, describe, test } from "vitest";
import { builtins } from "../../../plugins/index.ts";
import type { PlatformPlugin } from "../../../src/plugin/index.ts";
import { platformSuite } from "../../../src/testkit/platform.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { sampled } from "../../support/sampled.ts";
import { simulated } from "../devices.ts";

const platforms = builtins.filter((plugin): plugin is PlatformPlugin => plugin.kind === "platform");

/** One of each family: they differ most in prompts, logins, candidates and saves. */
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

/** Number of concurrent devices: waiting costs nothing, starting does. */
const atOnce = 12;

let devices = 0;

/** Each device has its own address, because jobs of one host run sequentially. */
function nextAddress(): string {
  devices++;
  return `127.1.${Math.floor(devices / 250)}.${(devices % 250) + 1}`;
}

async function exercise(service: Service, platform: PlatformPlugin, thinking: number): Promise<void> {
  const host = nextAddress();
  // Devices with a delay also fragment their output, each differently.
  const faults = thinking === 15 ? { cutSeed: devices } : {};
  const device = await simulated(platform.name, { hostname: "edge7", thinking, host, faults });
  const suite = platformSuite({
    plugin: platform,
    driver: "netmiko",
    service: () => service,
    device: () => device,
    host: () => host,
  });
  try {
    for (const { run } of suite) await run();
  } finally {
    await device.stop();
  }
}

/** Runs all with limited concurrency, slow ones first; a test waits for its own. */
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

/** What a platform has of these decides what its suite does. */
const parts = ["config", "save", "saveLevel", "candidate", "login", "telnet", "blocks", "pager"] as const;
const quick = platforms.flatMap((platform) => [15, 0].map((thinking) => ({ platform, thinking })));
const kindOf = ({ platform }: (typeof quick)[number]) =>
  parts.filter((part) => platform[part] !== undefined).join(" ");
const cases = [
  ...sampled(families, 10, () => "family").map((name) => ({ name, thinking: 800 })),
  ...sampled(quick, 24, kindOf).map(({ platform: { name }, thinking }) => ({ name, thinking })),
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
  afterAll(() => service?.stop());

  test.each(cases)("$name, thinking $thinking ms", { timeout: 600_000 }, async ({ name, thinking }) => {
    const error = await outcomes.get(keyOf(name, thinking));
    if (error !== undefined) throw error;
  });
});
