/**
 * `bun run bench:sessions`: memory per kept session. Opens 500 sessions of the driver, or of a bare ssh2
 * client (`floor`), sends one command on each and prints JSON.
 */
import process from "node:process";
import { driverClient } from "./cli/driver.ts";
import { floorClient } from "./cli/floor.ts";
import { type BenchSession, bounded, round, showClock, timed } from "./cli/rows.ts";

const count = Number(process.argv[2] ?? 500);
const whose = process.argv[3] === "floor" ? "floor" : "driver";
const device = Bun.spawn([process.execPath, "scripts/bench/cli/device.ts", "20", "20"], {
  stdout: "pipe",
  stderr: "inherit",
});
const line = await device.stdout.getReader().read();
const { near } = JSON.parse(new TextDecoder().decode(line.value)) as { near: number };
const client = whose === "floor" ? floorClient(near, "lines") : driverClient(near);
const open: BenchSession[] = [];

async function use(session: BenchSession): Promise<void> {
  await session.show(showClock);
}

// The first sessions load code and buffers that all share.
for (let n = 0; n < 20; n++) open.push(await client.open(`127.0.8.${n + 1}`));
for (const session of open) await use(session);
const before = await rssKb();
const opening = await timed(() =>
  bounded(count, 50, async (n) => {
    open.push(await client.open(`127.0.${10 + (n >> 7)}.${(n & 127) + 1}`));
  }),
);
const oneEach = await timed(() => Promise.all(open.map(use)));
const after = await rssKb();
console.log(
  JSON.stringify(
    {
      bench: "sessions",
      whose,
      sessions: count,
      opened_ms: round(opening),
      one_command_on_each_ms: round(oneEach),
      rss_mb: { before: round(before / 1024), after: round(after / 1024) },
      kb_per_session: round((after - before) / count),
      goal_kb: 300,
    },
    null,
    2,
  ),
);
await Promise.all(open.map((session) => session.close()));
device.kill();
process.exit((after - before) / count <= 300 ? 0 : 1);

/** RSS after the login garbage has been returned to the system, which takes several polls. */
async function rssKb(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let look = 0; look < 10; look++) {
    Bun.gc(true);
    await Bun.sleep(100);
    least = Math.min(least, process.memoryUsage().rss / 1024);
  }
  return least;
}
