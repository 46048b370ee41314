/** Jobs a second with 1 to 14 nodes on one server, next to one node. */
import type { SpeedFigure } from "./row.ts";
import { startNodes, usualCallers } from "./shared-nodes.ts";

export async function measureMany(
  quick: boolean,
  server?: Parameters<typeof startNodes>[0],
): Promise<SpeedFigure> {
  const shared = await startNodes(server);
  try {
    const details: Record<string, number> = {};
    const rates: number[] = [];
    for (const count of quick ? [1, 6] : [1, 2, 3, 8, 14]) {
      await shared.grow(count);
      await shared.warmUp(quick ? 0.5 : 1.5);
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
    // With as many callers for each node as one node has above, each puts more into its transactions.
    const busy = usualCallers * shared.nodes.length;
    details[`jobs_per_s_of_${busy}_callers`] = Math.round((await shared.run(quick ? 1.5 : 3, busy)).jobsPerS);
    return { value: (rates.at(-1) ?? 0) / (rates[0] ?? 1), floor: { name: "one node", value: 1 }, details };
  } finally {
    await shared.stop();
  }
}
