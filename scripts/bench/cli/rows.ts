/** The rows of bench:cli, the same for every client. */

export const login = { username: "admin", password: "admin" };

export interface Sizes {
  readonly connects: number;
  readonly shows: number;
  /** Rounds of shows; the median counts. */
  readonly rounds: number;
  readonly pushedLines: number;
  /** Repetitions of the long output; it takes less than a millisecond, so a few would be too noisy. */
  readonly outputs: number;
  readonly devices: number;
  readonly atOnce: number;
}

/** A client under test. */
export interface BenchClient {
  open(host: string): Promise<BenchSession>;
}

export interface BenchSession {
  show(command: string): Promise<string>;
  push(lines: string[]): Promise<unknown>;
  close(): Promise<void>;
}

/** Milliseconds; null if the client does not support it. */
export interface Row {
  connect_show_close: number;
  show: number;
  push: number;
  output: number;
  devices: number;
  /** CPU time of the client for the row above. */
  devices_cpu: number | null;
}

export const showClock = "show clock";
export const showMuch = "show startup-config";

export function linesOf(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `ip route 10.${n >> 8}.${n & 255}.0 255.255.255.0 Null0`);
}

export async function measure(client: BenchClient, sizes: Sizes): Promise<Row> {
  const once = async () => {
    const session = await client.open("127.0.0.1");
    await session.show(showClock);
    await session.close();
  };
  for (let n = 0; n < 3; n++) await once();
  const connects: number[] = [];
  for (let n = 0; n < sizes.connects; n++) connects.push(await timed(once));

  const session = await client.open("127.0.0.1");
  for (let n = 0; n < 20; n++) await session.show(showClock);
  const shows: number[] = [];
  for (let n = 0; n < sizes.rounds; n++) {
    const round = async () => {
      for (let n = 0; n < sizes.shows; n++) await session.show(showClock);
    };
    shows.push((await timed(round)) / sizes.shows);
  }
  const pushes: number[] = [];
  const outputs: number[] = [];
  for (let n = 0; n < 5; n++) pushes.push(await timed(() => session.push(linesOf(sizes.pushedLines))));
  for (let n = 0; n < sizes.outputs; n++) {
    let text = "";
    outputs.push(await timed(async () => (text = await session.show(showMuch))));
    // Otherwise a client that stops early would win.
    if (text.length < 60_000) throw new Error(`only ${text.length} characters of the long output came`);
  }
  await session.close();

  const cpuBefore = process.cpuUsage();
  const devices = await timed(() =>
    bounded(sizes.devices, sizes.atOnce, async (n) => {
      const one = await client.open(`127.0.${3 + (n >> 7)}.${(n & 127) + 1}`);
      await one.show(showClock);
      await one.show("show version");
      await one.close();
    }),
  );
  const cpu = process.cpuUsage(cpuBefore);
  return {
    connect_show_close: median(connects),
    show: median(shows),
    push: median(pushes),
    output: median(outputs),
    devices: round(devices),
    devices_cpu: round((cpu.user + cpu.system) / 1000),
  };
}

/** Runs `count` tasks, at most `atOnce` concurrently. */
export async function bounded(
  count: number,
  atOnce: number,
  work: (n: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, lane));
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return round(sorted[sorted.length >> 1] ?? 0);
}

export function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
