/**
 * The row `nodes`: 14 nodes on one libSQL server next to one node, all on the same cores as the server and
 * the callers.
 */
import type { SpeedRow } from "./row.ts";
import { startNodes } from "./shared-nodes.ts";

export default {
  name: "nodes",
  title: "no-op jobs/s of 14 nodes on one libSQL server, relative to one node",
  unit: "x",
  better: "more",
  goal: 0.8,
  async measure({ quick }) {
    const shared = await startNodes();
    try {
      const details: Record<string, number> = {};
      const rates: number[] = [];
      for (const count of quick ? [1, 6] : [1, 2, 3, 8, 14]) {
        await shared.grow(count);
        // Warm up each node.
        await shared.run(quick ? 0.5 : count * 1.5);
        const run = await shared.run(quick ? 1.5 : 3);
        rates.push(run.jobsPerS);
        details[`jobs_per_s_${count}`] = Math.round(run.jobsPerS);
        details[`requests_a_job_${count}`] = Math.round(run.requestsPerJob * 100) / 100;
        details[`server_us_a_job_${count}`] = Math.round(run.serverUsPerJob);
        details[`nodes_us_a_job_${count}`] = Math.round(run.nodesUsPerJob);
        details[`standstill_ms_${count}`] = run.standstillMs;
        if (run.unended > 0) details[`unended_${count}`] = run.unended;
        if (run.refused > 0) details[`refused_with_503_${count}`] = run.refused;
      }
      return { value: (rates.at(-1) ?? 0) / (rates[0] ?? 1), floor: { name: "one node", value: 1 }, details };
    } finally {
      await shared.stop();
    }
  },
} satisfies SpeedRow;
