/** No-op jobs over HTTP: CPU time per job, and jobs per second. */
import { cpuSeconds } from "../process-cpu.ts";
import type { BenchService } from "../service.ts";

export interface Rate {
  /** CPU time of all threads of the service. */
  readonly cpuMs: number;
  readonly perSecond: number;
}

/** Submits the jobs and waits for the last one. @param hostOf returns the host of each */
export async function runJobs(
  service: BenchService,
  jobs: number,
  hostOf: (at: number) => string,
  queue_strategy: "fifo" | "pinned" = "fifo",
): Promise<Rate> {
  const from = performance.now();
  const cpuFrom = cpuSeconds(service.pid);
  let next = 0;
  const submit = async () => {
    while (next < jobs) {
      const answer = await service.call("POST", "/device/execute", {
        driver: "noop",
        connection_args: { host: hostOf(next++) },
        command: "show version",
        options: { queue_strategy },
      });
      const text = await answer.text();
      if (answer.status !== 201) throw new Error(text);
    }
  };
  await Promise.all(Array.from({ length: 32 }, submit));
  for (const status of ["queued", "running"]) {
    const waits = async () => (await service.call("GET", `/job?status=${status}&limit=1`)).text();
    while (!(await waits()).includes('"data":[]')) await Bun.sleep(5);
  }
  const seconds = (performance.now() - from) / 1000;
  return { cpuMs: ((cpuSeconds(service.pid) - cpuFrom) * 1000) / jobs, perSecond: jobs / seconds };
}

/** Milliseconds of the fastest of five runs. */
export async function quickest(work: () => Promise<unknown>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round++) {
    const from = performance.now();
    await work();
    best = Math.min(best, performance.now() - from);
  }
  return Math.round(best * 10) / 10;
}
