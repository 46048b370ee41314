/** A show as a job on a kept session, sequentially, next to a bare ssh2 client. */
import { floorClient } from "../cli/floor.ts";
import { median, showClock, timed } from "../cli/rows.ts";
import type { SpeedFigure } from "./row.ts";
import { type BenchDevice, startDevice } from "./shared-device.ts";
import { startJobs } from "./shared-jobs.ts";

export async function measureShort(quick: boolean, line: "near" | "far"): Promise<SpeedFigure> {
  const device: BenchDevice = await startDevice();
  const shows = (quick ? 60 : 400) / (line === "far" ? 4 : 1);
  const session = await floorClient(device[line], "lines").open("127.0.0.1");
  const bare: number[] = [];
  for (let n = 0; n < shows; n++) bare.push(await timed(async () => void (await session.show(showClock))));
  await session.close();
  const jobs = await startJobs();
  const what = { command: showClock };
  // Warm up with the near device: that also warms the service for the far one.
  await jobs.warmUp(device.near, what, quick ? 60 : 600);
  const once = () => jobs.run(device[line], what, "pinned");
  for (let n = 0; n < 5; n++) await once();
  const own: number[] = [];
  for (let n = 0; n < shows; n++) own.push(await timed(once));
  await jobs.stop();
  device.stop();
  const sorted = own.sort((a, b) => a - b);
  return {
    value: median(own),
    floor: { name: "bare ssh2", value: median(bare) },
    details: { p10: round(sorted[Math.floor(shows / 10)]), p90: round(sorted[Math.floor(shows * 0.9)]) },
  };
}

const round = (ms = 0) => Math.round(ms * 1000) / 1000;
