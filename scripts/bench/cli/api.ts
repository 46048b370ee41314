/** End to end: a service in its own process, jobs over HTTP, waiting for each result. */
import { startJobs } from "../rows/shared-jobs.ts";
import { linesOf, login, median, round, type Sizes, showClock, showMuch, timed } from "./rows.ts";

export interface Api {
  measure(port: number, sizes: Sizes): Promise<object>;
  stop(): Promise<void>;
}

export async function startApi(): Promise<Api> {
  const jobs = await startJobs();
  let warm = false;
  async function measureAt(port: number, sizes: Sizes) {
    const connection = { device_type: "cisco_ios", port, ...login };
    const run = (what: object, queue_strategy: "fifo" | "pinned") => jobs.run(port, what, queue_strategy);
    const repeated = async (times: number, work: () => Promise<void>) => {
      for (let n = 0; n < 3; n++) await work();
      const each: number[] = [];
      for (let n = 0; n < times; n++) each.push(await timed(work));
      return median(each);
    };
    const clock = { command: showClock };
    // Warm up, as for the others.
    if (!warm) await jobs.warmUp(port, clock);
    warm = true;
    const connect_show_close = await repeated(sizes.connects, () => run(clock, "fifo"));
    const show_job = await repeated(sizes.shows, () => run(clock, "pinned"));
    const many = { command: Array.from({ length: sizes.shows }, () => showClock) };
    const shows = await repeated(3, () => run(many, "pinned"));
    const push = await repeated(5, () => run({ config: linesOf(sizes.pushedLines) }, "pinned"));
    const output = await repeated(5, () => run({ command: showMuch }, "pinned"));
    const devices = await timed(() =>
      bulk({
        driver: "netmiko",
        connection_args: connection,
        devices: Array.from({ length: sizes.devices }, (_, n) => ({
          host: `127.0.${5 + (n >> 7)}.${(n & 127) + 1}`,
        })),
        command: [showClock, "show version"],
        options: { queue_strategy: "fifo" },
      }),
    );
    return {
      connect_show_close,
      show: round(shows / sizes.shows),
      show_as_a_job_of_its_own: show_job,
      push,
      output,
      devices: round(devices),
    };
  }

  async function bulk(body: object): Promise<void> {
    await (await jobs.service.call("POST", "/device/bulk", body, 120)).arrayBuffer();
  }

  return { measure: measureAt, stop: jobs.stop };
}
