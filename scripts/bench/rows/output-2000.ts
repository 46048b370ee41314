/**
 * The row `output-2000`: 2,000 lines of output as a job on a kept session, next to a bare ssh2 client on an
 * open one.
 */
import { floorClient } from "../cli/floor.ts";
import { median, showMuch, timed } from "../cli/rows.ts";
import type { SpeedRow } from "./row.ts";
import { startDevice } from "./shared-device.ts";
import { startJobs } from "./shared-jobs.ts";

export default {
  name: "output-2000",
  title: "2,000 lines of output, a whole job on a kept session",
  unit: "ms",
  better: "less",
  goal: 4,
  async measure({ quick }) {
    const rounds = quick ? 60 : 300;
    const device = await startDevice();
    const session = await floorClient(device.near, "lines").open("127.0.0.1");
    const bare: number[] = [];
    for (let n = 0; n < rounds + 20; n++) bare.push(await timed(() => session.show(showMuch)));
    await session.close();
    const jobs = await startJobs();
    const what = { command: showMuch };
    await jobs.warmUp(device.near, what, quick ? 60 : 300);
    const own: number[] = [];
    for (let n = 0; n < rounds; n++) own.push(await timed(() => jobs.run(device.near, what, "pinned")));
    await jobs.stop();
    device.stop();
    return { value: median(own), floor: { name: "bare ssh2", value: median(bare.slice(20)) } };
  },
} satisfies SpeedRow;
