/**
 * `bun run bench:console`: the console in Debian's Chromium on a service with 100,000 jobs, 50,000 devices, a bulk of
 * 10,000 with its results and 200,000 versions of configurations: size of the scripts, first paint, content and requests
 * of each page, frames while a list scrolls and while events come, and the heap while as many events come as in an hour
 * at 20 a second (`--events`, default 72000); `--small`: with little stored, to try it. About a minute and a half on a quiet machine with two cores; it says on
 * stderr what it does. Prints JSON.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import { consoleFiles } from "../../src/runtime/pages/console-files.ts";
import { adminKey, type Service, startService } from "../../src/testkit/service.ts";
import { logIn, startBrowser, visit } from "../testbed/browser.ts";
import { everything, fillLarge, importDevices, largeKey, little } from "./console/large.ts";
import { framesFor, framesOfScroll, heapMb, openEach, pagesOf } from "./console/pages.ts";

const { values: flags } = parseArgs({
  options: { events: { type: "string", default: "72000" }, small: { type: "boolean", default: false } },
});
const stored = flags.small ? little : everything;

const begun = performance.now();
const screens = 400;
const bulkScreens = 100;
const live = ["overview", "jobs"] as const;
/** Jobs that are held, and then cancelled: two events each, without devices and threads that take the time. */
const perBulk = 1_000;
/** While frames are measured. */
const streamed = { seconds: 6, jobs: 100, everyMs: 500 };
const eventsASecond = (2 * streamed.jobs * 1000) / streamed.everyMs;

const dataDir = mkdtempSync(join(tmpdir(), "bench-console-"));
const load = loadavg()[0] ?? 0;
step("fills the store");
const bulk = await fillLarge(dataDir, stored);
const service = await startService({ dataDir, env: { PATCHBAY_MASTER_KEY: largeKey } });
const browser = await startBrowser();
try {
  step("imports the devices");
  await importDevices(service, stored.devices);
  step("opens the pages");
  const scripts = await scriptSizes();
  const firstVisit = await firstPaint(browser, service.url);
  const pages = await openEach(browser, service, pagesOf(bulk));
  step("scrolls, and streams");
  const frames = await framesOfLists(browser, service, bulk);
  step("lives through an hour of events");
  const memory = await anHour(browser, service, Number(flags.events));
  const figures = {
    ...{ load, stored, ...scripts, first_visit_paint_ms: firstVisit, pages, frames, memory },
    seconds: Math.round((performance.now() - begun) / 1000),
  };
  console.log(JSON.stringify({ bench: "console", ...figures }, null, 2));
} finally {
  await browser.close();
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
process.exit(0);

function step(name: string): void {
  console.error(`${Math.round((performance.now() - begun) / 1000)} s: ${name}`);
}

async function scriptSizes(): Promise<object> {
  const scripts = (await consoleFiles()).filter(({ path }) => path.endsWith(".js"));
  const kb = (files: typeof scripts) =>
    Math.round((files.reduce((sum, { packed }) => sum + packed.byteLength, 0) / 1024) * 10) / 10;
  return {
    scripts_kb: kb(scripts),
    first_script_kb: kb(scripts.filter(({ path }) => path.includes("/app-"))),
  };
}

/** Of somebody who was never here; a service that runs from source bundles the pages before it sends the first one. */
async function firstPaint(browser: Browser, url: string): Promise<number> {
  await fetch(url, { headers: { Accept: "text/html" } });
  const visitor = await visit(browser, url);
  await visitor.page.getByLabel("API key").waitFor();
  const at = await visitor.page.evaluate<number>(
    "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0",
  );
  await visitor.close();
  return Math.round(at);
}

async function framesOfLists(browser: Browser, service: Service, bulk: string): Promise<object> {
  const visitor = await visit(browser, service.url);
  const { page } = visitor;
  await logIn(visitor, adminKey);
  const go = async (address: string, content: string) => {
    await page.goto(`${service.url}/#/${address}`);
    await page.locator(content).first().waitFor();
  };
  await go("jobs", ".row");
  const jobs = await framesOfScroll(page, ".long-list", screens);
  await go(`bulk/${bulk}`, ".matrix a");
  const ofBulk = await framesOfScroll(page, "html", bulkScreens);
  const streaming: Record<string, object> = {};
  for (const view of live) {
    await go(view, view === "jobs" ? ".row" : "main h2");
    const [frames] = await Promise.all([framesFor(page, streamed.seconds), stream(service)]);
    streaming[view] = frames;
  }
  await visitor.close();
  return { scroll: { jobs, bulk: ofBulk }, events_a_second: eventsASecond, while_events_come: streaming };
}

async function stream(service: Service): Promise<void> {
  const rounds = (streamed.seconds * 1000) / streamed.everyMs;
  const from = performance.now();
  for (let round = 1; round <= rounds; round++) {
    await holdAndCancel(service, streamed.jobs);
    const ahead = from + round * streamed.everyMs - performance.now();
    if (ahead > 0) await Bun.sleep(ahead);
  }
}

async function holdAndCancel({ call }: Service, jobs: number): Promise<void> {
  const devices = Array.from({ length: jobs }, (_, n) => ({ host: `127.0.${n >> 8}.${n & 255 || 1}` }));
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  const answer = await call<{ bulk_id: string }>("POST", "/device/bulk", {
    ...{ driver: "netmiko", connection_args: { username: "x", password: "x", device_type: "cisco_ios" } },
    ...{ command: "x", devices, options: { queue_strategy: "fifo", not_before: tomorrow } },
  });
  const id = answer.body.data?.bulk_id;
  if (id === undefined) throw new Error(`the bulk was refused: ${answer.body.message}`);
  const ended = await call("DELETE", `/bulk/${id}`);
  if (ended.body.code !== 200) throw new Error(`the bulk was not cancelled: ${ended.body.message}`);
}

/** Heaps of two pages at the start, after each quarter, and at the end; and the events that each received. */
async function anHour(browser: Browser, service: Service, events: number): Promise<object> {
  const pages = await Promise.all(live.map((view) => watching(browser, service.url, view)));
  const bulks = Math.ceil(events / (2 * perBulk));
  const from = performance.now();
  for (let sent = 1; sent <= bulks; sent++) {
    await holdAndCancel(service, perBulk);
    if (sent % Math.ceil(bulks / 4) === 0) await Promise.all(pages.map(({ measure }) => measure()));
  }
  for (const { arrived } of pages) await arrived(2 * perBulk * bulks);
  const seconds = Math.round((performance.now() - from) / 1000);
  await Promise.all(pages.map(({ measure }) => measure()));
  const told = await Promise.all(pages.map((page) => page.told()));
  return {
    ...{ events: 2 * perBulk * bulks, seconds },
    pages: pages.map(({ view, heaps }, index) => ({ view, told: told[index], heap_mb: heaps })),
  };
}

async function watching(browser: Browser, url: string, view: string) {
  const { page } = await visit(browser, url);
  await page.addInitScript(`{
    const Plain = EventSource;
    window.told = { state: 0, reset: 0, slow: 0 };
    window.EventSource = class extends Plain {
      constructor(...given) {
        super(...given);
        for (const name of Object.keys(told)) this.addEventListener(name, () => told[name]++);
      }
    };
  }`);
  await page.reload();
  await logIn({ page }, adminKey);
  await page.goto(`${url}/#/${view}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  const heaps: number[] = [];
  const measure = async () => void heaps.push(await heapMb(page));
  await measure();
  return {
    ...{ view, heaps, measure },
    told: () => page.evaluate<Record<string, number>>("told"),
    /** A listener that fell too far behind begins anew, and is told of no more. */
    arrived: (events: number) =>
      page
        .waitForFunction(`told.state >= ${events} || told.reset + told.slow > 0`, undefined, {
          timeout: 30_000,
        })
        .catch(() => console.error(`${view}: not all events came within 30 s`)),
  };
}
