/**
 * The row `push-200`: a push of 200 lines to a device that accepts pipelined lines, next to a bare ssh2
 * client that writes all at once.
 */
import { floorClient } from "../cli/floor.ts";
import { linesOf, median, timed } from "../cli/rows.ts";
import type { SpeedRow } from "./row.ts";
import { startDevice } from "./shared-device.ts";
import { startJobs } from "./shared-jobs.ts";

const config = linesOf(200);

export default {
  name: "push-200",
  title: "a job of 200 configuration lines, on a device that accepts pipelined lines",
  unit: "ms",
  better: "less",
  goal: 15,
  async measure({ quick }) {
    const rounds = quick ? 9 : 30;
    const device = await startDevice();
    const bare = async (pushing: "lines" | "one write") => {
      const session = await floorClient(device.near, pushing).open("127.0.0.1");
      return median(await repeated(rounds, () => session.push(config)));
    };
    const oneWrite = await bare("one write");
    const lines = await bare("lines");
    const jobs = await startJobs();
    const ahead = { config, driver_args: { pipeline: true } };
    await jobs.warmUp(device.near, ahead, quick ? 10 : 30);
    const own = await repeated(rounds, () => jobs.run(device.near, ahead, "pinned"));
    const byLine = await repeated(rounds, () => jobs.run(device.near, { config }, "pinned"));
    const far = await repeated(3, () => jobs.run(device.far, ahead, "pinned"));
    await jobs.stop();
    device.stop();
    return {
      value: median(own),
      floor: { name: "bare ssh2, all lines in one write", value: oneWrite },
      details: {
        line_by_line: median(byLine),
        bare_ssh2_line_by_line: lines,
        twenty_ms_away: median(far),
      },
    };
  },
} satisfies SpeedRow;

async function repeated(rounds: number, work: () => Promise<unknown>): Promise<number[]> {
  for (let n = 0; n < 3; n++) await work();
  const each: number[] = [];
  for (let n = 0; n < rounds; n++) each.push(await timed(work));
  return each;
}
