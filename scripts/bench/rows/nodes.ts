/** The row `nodes`: 14 nodes on one libSQL server beside one, all on the same cores as the server and the callers. */
import type { SpeedRow } from "./row.ts";
import { startNodes } from "./shared-nodes.ts";

/** Each node to the speed of one that has been up for a while. */
const warmUpEach = 250;

export default {
  name: "nodes",
  title: "no-op jobs/s of 14 nodes on one libSQL server, as a part of what one node does",
  unit: "x",
  better: "more",
  goal: 0.8,
  async measure({ quick }) {
    const shared = await startNodes();
    try {
      const rates: Record<string, number> = {};
      const [one, ...more] = quick ? [1, 6] : [1, 2, 3, 8, 14];
      let [first, last] = [0, 0];
      for (const count of [one ?? 1, ...more]) {
        await shared.grow(count);
        await shared.rate(warmUpEach * count);
        const before = shared.serverMs();
        const jobs = quick ? 1_500 : 4_000;
        last = await shared.rate(jobs);
        if (first === 0) first = last;
        rates[`jobs_per_s_${count}`] = Math.round(last);
        rates[`server_us_a_job_${count}`] = Math.round(((shared.serverMs() - before) * 1_000) / jobs);
      }
      const details = { ...rates, refused_with_503: shared.refused() };
      return { value: last / first, floor: { name: "one node", value: 1 }, details };
    } finally {
      await shared.stop();
    }
  },
} satisfies SpeedRow;
