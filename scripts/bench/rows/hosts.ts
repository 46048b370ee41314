/**
 * The row `hosts`: the cost of a job for a new device when many devices have been seen, compared with the
 * first ones. Manually with any number: `BENCH_HOSTS=1000000`.
 */
import { noopDriver } from "../jobs-service.ts";
import { startService } from "../service.ts";
import type { SpeedRow } from "./row.ts";
import { memoryMb } from "./shared-list.ts";
import { type Rate, runJobs } from "./shared-rate.ts";

export default {
  name: "hosts",
  title: "CPU time of a job for a new device after 60,000 others, relative to the first ones",
  unit: "x",
  better: "less",
  goal: 1.1,
  async measure({ quick }) {
    const hosts = Number(process.env.BENCH_HOSTS ?? (quick ? 6_000 : 60_000));
    const jobs = hosts / 20;
    const service = await startService(noopDriver, { PATCHBAY_MASTER_KEY: "01".repeat(32) });
    try {
      for (let round = 0; round < 3; round++) await runJobs(service, 1_000, (at) => `warm${at}`);
      const rounds: { rate: Rate; mb: number }[] = [];
      for (let from = 0; from < hosts; from += jobs) {
        // Each strategy keeps different state per host.
        const strategy = rounds.length % 2 === 0 ? "fifo" : "pinned";
        const rate = await runJobs(service, jobs, (at) => `h${from + at}.example`, strategy);
        rounds.push({ rate, mb: memoryMb(service.pid, "VmRSS") });
      }
      const first = rounds.slice(0, 6);
      const last = rounds.slice(-6);
      const cpu = (some: typeof rounds) => Math.min(...some.map(({ rate }) => rate.cpuMs));
      const best = (some: typeof rounds) => Math.round(Math.max(...some.map(({ rate }) => rate.perSecond)));
      const memory = { memory_first_mb: first.at(-1)?.mb ?? 0, memory_last_mb: last.at(-1)?.mb ?? 0 };
      const details = { hosts, jobs_per_s_first: best(first), jobs_per_s_last: best(last), ...memory };
      return { value: cpu(last) / cpu(first), floor: { name: "the first ones", value: 1 }, details };
    } finally {
      await service.stop();
    }
  },
} satisfies SpeedRow;
