/**
 * The submissions: queries and configuration, single and bulk, pinned and fifo, each with a unique line to
 * identify it.
 */
import type { Fleet, FleetDevice } from "./fleet.ts";
import type { Random } from "./random.ts";

export interface PlannedJob {
  readonly host: string;
  readonly driver: FleetDevice["driver"];
  readonly pinned: boolean;
  readonly kind: "query" | "config";
  /** A line that only this job sends. */
  readonly marker: string;
  readonly retries: number;
  readonly hasWebhook: boolean;
}

export interface Submission {
  /** Idempotency-Key for retries after a lost response. */
  readonly key: string;
  readonly path: "/device/execute" | "/device/bulk";
  readonly body: string;
  readonly jobs: readonly PlannedJob[];
}

/** Submissions sent sequentially: those of a pinned host, so that its order is known. */
export type Stream = readonly Submission[];

export interface PlanOptions {
  readonly jobs: number;
  readonly fleet: Fleet;
  readonly hookUrl: string;
  readonly random: Random;
  /** Only configuration, no queries. */
  readonly pushes?: boolean;
}

/**
 * The first two thirds of the devices are pinned, with a stream each; the others get fifo jobs from a few
 * callers per driver.
 */
export function makePlan({ jobs, fleet, hookUrl, random, pushes = false }: PlanOptions): Stream[] {
  const pinnedCount = Math.ceil((fleet.devices.length * 2) / 3);
  const pinned = fleet.devices.slice(0, pinnedCount).map((device) => ({ hosts: [device], pinned: true }));
  const fifo = [...Map.groupBy(fleet.devices.slice(pinnedCount), ({ driver }) => driver).values()];
  const targets = [...pinned, ...fifo.flatMap((hosts) => hosts.map(() => ({ hosts, pinned: false })))];
  const streams = targets.map(() => [] as Submission[]);
  let made = 0;
  let turn = 0;
  while (made < jobs) {
    // First one for each stream, so that a short plan covers every kind of device.
    const at = turn < targets.length ? turn++ : random.below(targets.length);
    const target = targets[at];
    if (!target) throw new Error("there are no devices");
    const count = Math.min(jobs - made, random.chance(0.2) ? 2 + random.below(5) : 1);
    streams[at]?.push(submission(target.hosts, target.pinned, made, count));
    made += count;
  }
  return streams;

  /** @param hosts devices of one driver. */
  function submission(
    hosts: readonly FleetDevice[],
    isPinned: boolean,
    first: number,
    count: number,
  ): Submission {
    const kind: PlannedJob["kind"] = random.chance(0.5) || pushes ? "config" : "query";
    const retries = kind === "query" && random.chance(0.4) ? 1 + random.below(3) : 0;
    const hasWebhook = random.chance(0.9);
    const options = {
      queue_strategy: isPinned ? "pinned" : "fifo",
      ttl: 3_600,
      ...(retries > 0 ? { retries } : {}),
      ...(hasWebhook ? { webhook: { url: hookUrl, timeout: 3, max_retries: 20, retry_intervals: [1] } } : {}),
    };
    const all = Array.from({ length: count }, (_, at) => {
      const device = random.pick(hosts);
      const marker = markerOf(kind, device.platform, first + at);
      const work = kind === "query" ? { command: queryOf(marker) } : { config: configOf(device, marker) };
      return {
        device,
        work,
        job: {
          host: device.host,
          driver: device.driver,
          pinned: isPinned,
          kind,
          marker,
          retries,
          hasWebhook,
        },
      };
    });
    const key = `chaos-${first}`;
    const [only] = all;
    const shared = { driver: hosts[0]?.driver, options };
    if (count === 1 && only) {
      const body = { ...shared, connection_args: fleet.connectionOf(only.device), ...only.work };
      return { key, path: "/device/execute", body: JSON.stringify(body), jobs: [only.job] };
    }
    const body = {
      ...shared,
      ...(only?.work ?? {}),
      devices: all.map(({ device, work }) => ({ ...fleet.connectionOf(device), ...work })),
    };
    return { key, path: "/device/bulk", body: JSON.stringify(body), jobs: all.map(({ job }) => job) };
  }

  function queryOf(marker: string): string | string[] {
    return random.chance(0.3) ? ["show clock", marker] : marker;
  }

  function configOf(device: FleetDevice, marker: string): string | string[] {
    if (device.platform !== "cisco_ios" || random.chance(0.5)) return marker;
    return [`interface Loopback${random.below(100)}`, marker];
  }
}

function markerOf(kind: PlannedJob["kind"], platform: string | undefined, number: number): string {
  if (kind === "query") return `show job-${number}`;
  return platform === "cisco_ios"
    ? `description job-${number}`
    : `set interfaces lo0 description job-${number}`;
}
