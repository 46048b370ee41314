/**
 * `bun run bench:console`: the console in Debian's Chromium on a service with 100,000 jobs: size, first paint, frames
 * while the list is scrolled, memory while jobs change (`--minutes`, default 2). JSON.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { consoleFiles } from "../../src/runtime/console-files.ts";
import { adminKey, type Service, startService } from "../../src/testkit/service.ts";
import { logIn, startBrowser, type Visitor, visit } from "../testbed/browser.ts";
import { storedMasterKey, storeJobs } from "../testbed/stored-jobs.ts";

const jobs = 100_000;
const screens = 400;
const minutes = Number(/--minutes[= ](\d+)/.exec(process.argv.join(" "))?.[1] ?? 2);

const dataDir = mkdtempSync(join(tmpdir(), "bench-console-"));
await storeJobs(dataDir, jobs);
const service = await startService({ dataDir, env: { PATCHBAY_MASTER_KEY: storedMasterKey } });
const browser = await startBrowser();
try {
  const visitor = await visit(browser, service.url);
  const paint = await firstPaint(visitor);
  await logIn(visitor, adminKey);
  const frames = await scroll(visitor);
  const memory = await live(visitor, service);
  const size = (await consoleFiles()).reduce((sum, { packed }) => sum + packed.byteLength, 0);
  const figures = { size_gzip_kb: round(size / 1024), first_paint_ms: paint, jobs, frames, memory };
  console.log(JSON.stringify({ bench: "console", ...figures }, null, 2));
} finally {
  await browser.close();
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function firstPaint({ page }: Visitor): Promise<number> {
  await page.getByLabel("API key").waitFor();
  const text = await page.evaluate<string>(
    "JSON.stringify(performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0)",
  );
  return round(Number(text));
}

/** A screen each frame, as fast as a wheel does; pages are fetched on the way. */
async function scroll({ page }: Visitor): Promise<object> {
  await page.getByRole("link", { name: "Jobs", exact: true }).click();
  await page.locator(".row").first().waitFor();
  const text = await page.evaluate<string>(`(async () => {
    const list = document.querySelector(".long-list");
    const times = [];
    let last = performance.now();
    for (let step = 0; step < ${screens}; step++) {
      list.scrollTop += list.clientHeight;
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      times.push(now - last);
      last = now;
    }
    return JSON.stringify({ times, rows: Math.round(list.scrollHeight / 30) });
  })()`);
  const { times, rows }: { times: number[]; rows: number } = JSON.parse(text);
  times.sort((a, b) => a - b);
  const at = (share: number) =>
    round(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0);
  return { screens, rows_loaded: rows, p50_ms: at(0.5), p95_ms: at(0.95), worst_ms: at(1) };
}

/** Heap of the page after a collection, each quarter of the time, while 20 jobs a second fail at once. */
async function live(visitor: Visitor, { call }: Service): Promise<object> {
  const { page, context } = visitor;
  await page.goto(`${service.url}/#/overview`);
  const devtools = await context.newCDPSession(page);
  const heaps: number[] = [];
  const quarterMs = (minutes * 60_000) / 4;
  let submitted = 0;
  const devices = Array.from({ length: 20 }, () => ({
    host: "127.0.0.1",
    port: 9,
    device_type: "cisco_ios",
  }));
  const shared = { driver: "netmiko", connection_args: { username: "x", password: "x" }, command: "x" };
  for (let quarter = 0; quarter < 4; quarter++) {
    for (const until = performance.now() + quarterMs; performance.now() < until; await Bun.sleep(1000)) {
      await call("POST", "/device/bulk", { ...shared, devices, options: { queue_strategy: "fifo" } });
      submitted += devices.length;
    }
    await devtools.send("HeapProfiler.collectGarbage");
    const { usedSize } = await devtools.send("Runtime.getHeapUsage");
    heaps.push(round(usedSize / 1024 / 1024));
  }
  return { minutes, jobs_submitted: submitted, heap_mb: heaps };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
