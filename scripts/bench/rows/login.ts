/** The row `login`: a job that connects, runs one show and disconnects, next to a bare ssh2 client. */
import { floorClient } from "../cli/floor.ts";
import { median, showClock, timed } from "../cli/rows.ts";
import type { SpeedRow } from "./row.ts";
import { startDevice } from "./shared-device.ts";
import { startJobs } from "./shared-jobs.ts";

export default {
  name: "login",
  title: "a job that logs in, runs one show and logs out",
  unit: "ms",
  better: "less",
  goal: 8,
  async measure({ quick }) {
    const rounds = quick ? 20 : 100;
    const device = await startDevice();
    const client = floorClient(device.near, "lines");
    const once = async () => {
      const session = await client.open("127.0.0.1");
      await session.show(showClock);
      await session.close();
    };
    for (let n = 0; n < 20; n++) await once();
    const bare: number[] = [];
    for (let n = 0; n < rounds; n++) bare.push(await timed(once));
    const jobs = await startJobs();
    const what = { command: showClock };
    for (let n = 0; n < rounds; n++) await jobs.run(device.near, what, "fifo");
    const own: number[] = [];
    for (let n = 0; n < rounds; n++) own.push(await timed(() => jobs.run(device.near, what, "fifo")));
    await jobs.stop();
    device.stop();
    return { value: median(own), floor: { name: "bare ssh2", value: median(bare) } };
  },
} satisfies SpeedRow;
