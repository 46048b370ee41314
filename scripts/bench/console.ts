/**
 * `bun run bench:console`: the console in Debian's Chromium on a service with 100,000 jobs: size, first
 * paint, frame rate while scrolling, memory while jobs change: as many events as in an hour at 20 a second,
 * sent faster (`--events`, default 72000; `--speed`, default 20 times). Prints JSON.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { Browser } from "playwright-core";
import { consoleFiles } from "../../src/runtime/pages/console-files.ts";
import { adminKey, type Service, startService } from "../../src/testkit/service.ts";
import { logIn, startBrowser, type Visitor, visit } from "../testbed/browser.ts";
import { storedMasterKey, storeJobs } from "../testbed/stored-jobs.ts";

const jobs = 100_000;
const screens = 400;
const given = (name: string, standard: number) =>
  Number(new RegExp(`--${name}[= ](\\d+)`).exec(process.argv.join(" "))?.[1] ?? standard);
const wanted = given("events", 72_000);
const speed = given("speed", 20);

/** A job that fails at once sends a page only its final event. */
const eventsOfJob = 1;
const perBulk = 20;
/** In real time. */
const eventsPerSecond = 20;
const views = ["overview", "jobs"] as const;

const dataDir = mkdtempSync(join(tmpdir(), "bench-console-"));
await storeJobs(dataDir, jobs);
const service = await startService({ dataDir, env: { PATCHBAY_MASTER_KEY: storedMasterKey } });
const browser = await startBrowser();
try {
  const visitor = await visit(browser, service.url);
  const paint = await firstPaint(visitor);
  await logIn(visitor, adminKey);
  const frames = await scroll(visitor);
  await visitor.close();
  const memory = await live(browser, service);
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

/** Scrolls one screen per frame, as fast as a wheel does; pages are fetched on the way. */
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

/**
 * Heap sizes of two pages after garbage collection: at the start, after each quarter and at the end; and the
 * events each received.
 */
async function live(browser: Browser, { url, call }: Service): Promise<object> {
  const pages = await Promise.all(views.map((view) => watching(browser, url, view)));
  const devices = Array.from({ length: perBulk }, () => ({
    ...{ host: "127.0.0.1", port: 9, device_type: "cisco_ios" },
  }));
  const shared = { driver: "netmiko", connection_args: { username: "x", password: "x" }, command: "x" };
  const bulks = Math.ceil(wanted / eventsOfJob / perBulk);
  const pauseMs = (1000 * eventsOfJob * perBulk) / (eventsPerSecond * speed);
  await Promise.all(pages.map(({ measure }) => measure()));
  const begun = performance.now();
  for (let sent = 1; sent <= bulks; sent++) {
    await call("POST", "/device/bulk", { ...shared, devices, options: { queue_strategy: "fifo" } });
    const ahead = begun + sent * pauseMs - performance.now();
    if (ahead > 0) await Bun.sleep(ahead);
    if (sent % Math.ceil(bulks / 4) === 0) await Promise.all(pages.map(({ measure }) => measure()));
  }
  const told = await settled(() => Promise.all(pages.map(({ told }) => told())));
  const seconds = (performance.now() - begun) / 1000;
  await Promise.all(pages.map(({ measure }) => measure()));
  return {
    ...{
      jobs: bulks * perBulk,
      seconds: round(seconds),
      as_in_minutes: round(wanted / eventsPerSecond / 60),
    },
    pages: pages.map(({ view, heaps }, index) => ({ view, events_told: told[index], heap_mb: heaps })),
  };
}

/** Waits until the values stop growing. */
async function settled(read: () => Promise<number[]>): Promise<number[]> {
  for (let before = await read(); ; ) {
    await Bun.sleep(10_000);
    const now = await read();
    if (String(now) === String(before)) return now;
    before = now;
  }
}

async function watching(browser: Browser, url: string, view: string) {
  const { page, context } = await visit(browser, url);
  await page.addInitScript(`{
    const Plain = EventSource;
    window.told = 0;
    window.EventSource = class extends Plain {
      constructor(...given) {
        super(...given);
        this.addEventListener("state", () => window.told++);
      }
    };
  }`);
  await page.reload();
  await logIn({ page }, adminKey);
  await page.goto(`${url}/#/${view}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  const devtools = await context.newCDPSession(page);
  const heaps: number[] = [];
  return {
    ...{ view, heaps },
    told: () => page.evaluate<number>("window.told"),
    async measure() {
      await devtools.send("HeapProfiler.collectGarbage");
      const { usedSize } = await devtools.send("Runtime.getHeapUsage");
      heaps.push(round(usedSize / 1024 / 1024));
    },
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
