/** The row `show`: one of many shows in a job, next to a bare ssh2 client on an open session. */
import { floorClient } from "../cli/floor.ts";
import { median, showClock, timed } from "../cli/rows.ts";
import type { SpeedRow } from "./row.ts";
import { startDevice } from "./shared-device.ts";
import { startJobs } from "./shared-jobs.ts";

const shows = 100;

export default {
  name: "show",
  title: `each of ${shows} shows in a job, through the whole service`,
  unit: "ms",
  better: "less",
  goal: 0.5,
  async measure({ quick }) {
    const device = await startDevice();
    const session = await floorClient(device.near, "lines").open("127.0.0.1");
    const rounds = quick ? 5 : 20;
    const bare: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const all = async () => {
        for (let n = 0; n < shows; n++) await session.show(showClock);
      };
      bare.push((await timed(all)) / shows);
    }
    await session.close();
    const jobs = await startJobs();
    await jobs.warmUp(device.near, { command: showClock }, quick ? 30 : 300);
    const command = Array.from({ length: shows }, () => showClock);
    const own: number[] = [];
    for (let round = 0; round < rounds; round++)
      own.push((await timed(() => jobs.run(device.near, { command }, "pinned"))) / shows);
    await jobs.stop();
    device.stop();
    return { value: median(own), floor: { name: "bare ssh2", value: median(bare) } };
  },
} satisfies SpeedRow;
