/** What opening a page costs: its first paint and content, requests, nodes, heap, and frames while it scrolls. */
import type { Browser, Page } from "playwright-core";
import { adminKey, type Service } from "../../../src/testkit/service.ts";
import { logIn, visit } from "../../testbed/browser.ts";
import { nameOf } from "../history/texts.ts";

export interface PageOf {
  readonly name: string;
  /** The part after `#`. */
  readonly address: string;
  /** Selects what is there only with the data. */
  readonly content: string;
}

export interface Opened {
  readonly page: string;
  /** After the address was opened, with scripts of an earlier visit; milliseconds. */
  readonly first_paint_ms: number;
  /** Until the data is there. */
  readonly content_ms: number;
  /** Of the API, until then. */
  readonly requests: number;
  readonly elements: number;
  /** Records that are shown. */
  readonly rows: number;
  readonly heap_mb: number;
}

/** Pages whose lists grow with what is stored. */
export function pagesOf(bulk: string): readonly PageOf[] {
  const rows = "main tbody tr";
  return [
    { name: "overview", address: "overview", content: "main h2" },
    { name: "jobs", address: "jobs", content: ".row" },
    { name: "bulks", address: "bulks", content: rows },
    { name: "bulk", address: `bulk/${bulk}`, content: ".matrix a" },
    { name: "results of the bulk", address: `results/${bulk}`, content: "main pre" },
    { name: "devices", address: "devices", content: rows },
    { name: "groups", address: "groups", content: rows },
    { name: "device", address: `device/${nameOf(7)}`, content: "main table, main dl" },
    { name: "versions", address: "history", content: rows },
    {
      name: "versions of a device",
      address: `history/${nameOf(7)}`,
      content: ".versions li",
    },
    { name: "new versions", address: "changes?since=30d", content: ".versions li" },
    { name: "search", address: "search?q=reserved", content: ".hit" },
  ];
}

const rounds = 3;
const patienceMs = 20_000;

/** Opens each page in a tab of its own, as a link does that a colleague has sent: the median of some rounds. */
export async function openEach(
  browser: Browser,
  { url }: Pick<Service, "url">,
  pages: readonly PageOf[],
): Promise<readonly Opened[]> {
  const visitor = await visit(browser, url);
  await logIn(visitor, adminKey);
  const opened: Opened[] = [];
  try {
    for (const one of pages) {
      const tries: Opened[] = [];
      for (let round = 0; round < rounds; round++) {
        const page = await visitor.context.newPage();
        tries.push(await open(page, url, one));
        await page.close();
      }
      const median = (of: (one: Opened) => number) =>
        tries.map(of).toSorted((a, b) => a - b)[rounds >> 1] ?? 0;
      const last = tries.at(-1);
      if (last === undefined) continue;
      opened.push({
        ...last,
        first_paint_ms: median((one) => one.first_paint_ms),
        content_ms: median((one) => one.content_ms),
      });
    }
  } finally {
    await visitor.close();
  }
  return opened;
}

/** Requests whose answers depend on what is stored; streams and looks at the state go on anyway. */
export const isOfData = (url: string): boolean => {
  const { pathname } = new URL(url);
  return pathname !== "/" && !/^\/console\/|^\/readyz$|\/events$|^\/session$/.test(pathname);
};

async function open(page: Page, url: string, { name, address, content }: PageOf): Promise<Opened> {
  let requests = 0;
  page.on("request", (request) => {
    if (isOfData(request.url())) requests++;
  });
  await page.goto(`${url}/#/${address}`);
  await page.locator(content).first().waitFor({ timeout: patienceMs });
  const text = await page.evaluate<string>(`(async () => {
    const paint = () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
    const content = performance.now();
    while (paint() === undefined) await new Promise(requestAnimationFrame);
    return JSON.stringify([paint(), content, document.querySelectorAll("*").length,
      document.querySelectorAll("main tbody tr, .row, .matrix a, .versions > li, .hit").length]);
  })()`);
  const [paint = 0, shown = 0, elements = 0, rows = 0]: number[] = JSON.parse(text);
  return {
    page: name,
    first_paint_ms: Math.round(paint),
    content_ms: Math.round(shown),
    ...{ requests, elements, rows, heap_mb: await heapMb(page) },
  };
}

/** After garbage collection. */
export async function heapMb(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  await devtools.detach();
  return Math.round((usedSize / 1024 / 1024) * 10) / 10;
}

export interface Frames {
  readonly frames: number;
  readonly p50_ms: number;
  readonly p95_ms: number;
  readonly worst_ms: number;
}

/** Scrolls one screen per frame, as fast as a wheel does; what is missing is fetched on the way. */
export async function framesOfScroll(page: Page, list: string, screens: number): Promise<Frames> {
  return framesOf(
    page,
    `for (const list = document.querySelector(${JSON.stringify(list)}); times.length < ${screens};) {
      list.scrollTop += list.clientHeight;
      await frame();
    }`,
  );
}

/** Without touching the page. */
export async function framesFor(page: Page, seconds: number): Promise<Frames> {
  return framesOf(page, `for (const end = last + ${seconds * 1000}; last < end;) await frame();`);
}

async function framesOf(page: Page, act: string): Promise<Frames> {
  const text = await page.evaluate<string>(`(async () => {
    const times = [];
    let last = await new Promise(requestAnimationFrame);
    const frame = async () => {
      const now = await new Promise(requestAnimationFrame);
      times.push(now - last);
      last = now;
    };
    ${act}
    return JSON.stringify(times);
  })()`);
  const times: number[] = JSON.parse(text);
  times.sort((a, b) => a - b);
  const at = (share: number) =>
    Math.round((times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0) * 10) / 10;
  return { frames: times.length, p50_ms: at(0.5), p95_ms: at(0.95), worst_ms: at(1) };
}
