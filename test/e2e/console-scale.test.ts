/**
 * The console on 100,000 jobs, 50,000 devices, a bulk of 10,000 and 200,000 versions, in a plain run on a fifth of all but
 * the bulk: no page asks once per record, and none shows all of them at once. What it takes: `bun run bench:console`.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { everything, fillLarge, importDevices, largeKey } from "../../scripts/bench/console/large.ts";
import { isOfData, pagesOf } from "../../scripts/bench/console/pages.ts";
import { logIn, openBrowser, type Pages, type Visitor, visit } from "../../scripts/testbed/browser.ts";
import { needs } from "../../scripts/testbed/catalogue.ts";
import { adminKey, type Service, startService, tempFolder } from "../../src/testkit/service.ts";
import { isExhaustive } from "../support/sampled.ts";

/** A fifth is 20 pages of devices, and 4 of those that have a configuration: more than a list may ask for. */
const large = isExhaustive()
  ? everything
  : { ...everything, jobs: 20_000, devices: 10_000, configured: 2_000 };
/** More than any page of several lists needs. */
const mostRequests = 20;
/** A list asks for its first page, and for what is counted. */
const mostOfList = 3;
const lists = ["jobs", "bulks", "devices", "groups", "versions", "new versions"];
/** A list that reads on shows its first rows before. */
const readOnMs = 300;
/** A bulk of 10,000 reads its jobs in 20 pages. */
const mostOfBulk = 30;
const mostElements = 6_000;
const records = "main tbody tr, .row, .matrix a, .versions > li, .hit";

describe.skipIf(needs("chromium"))("on a service with all that it promises to hold", () => {
  let service: Service;
  let browser: Pages;
  let visitor: Visitor;
  let bulk = "";
  let asked: string[] = [];

  beforeAll(async () => {
    const dataDir = tempFolder();
    bulk = await fillLarge(dataDir, large);
    service = await startService({ dataDir, env: { PATCHBAY_MASTER_KEY: largeKey } });
    await importDevices(service, large.devices);
    browser = await openBrowser();
    visitor = await visit(browser, service.url);
    await logIn(visitor, adminKey);
    visitor.page.on("request", (request) => {
      if (isOfData(request.url())) asked.push(request.url());
    });
  }, 600_000);
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  const open = async (address: string, content: string) => {
    asked = [];
    await visitor.page.goto(`${service.url}/#/${address}`);
    await visitor.page.locator(content).first().waitFor();
  };
  const count = (selector: string) => visitor.page.locator(selector).count();

  test.each(pagesOf("").map(({ name }) => name))("%s: few requests, few rows at once", async (name) => {
    const page = pagesOf(bulk).find((one) => one.name === name);
    await open(page?.address ?? "", page?.content ?? "");
    const isList = lists.includes(name);
    if (isList) await visitor.page.waitForTimeout(readOnMs);
    const most = name === "bulk" ? mostOfBulk : isList ? mostOfList : mostRequests;
    expect(asked.length, asked.join("\n")).toBeLessThanOrEqual(most);
    expect(await count(records)).toBeLessThanOrEqual(500);
    expect(await count("*")).toBeLessThan(mostElements);
  });

  test("the list of jobs keeps as few rows while it scrolls, and asks for many at a time", async () => {
    await open("jobs", ".row");
    const reached = await visitor.page.evaluate<number>(`(async () => {
      const list = document.querySelector(".long-list");
      for (let tries = 0; tries < 2_000 && list.scrollHeight < 3_000 * 30; tries++) {
        list.scrollTop = list.scrollHeight;
        await new Promise(requestAnimationFrame);
      }
      return list.scrollHeight;
    })()`);
    expect(reached).toBeGreaterThanOrEqual(3_000 * 30);
    expect(await count(".row")).toBeLessThan(100);
    // Requests for pages of a hundred or more.
    expect(asked.length).toBeLessThan(60);
  });

  test("a search shows some hundred lines of what it has found, and more on demand", async () => {
    await open("search?q=reserved", ".hit");
    const { page } = visitor;
    // The devices that follow by themselves are there, too.
    await page.getByText(/lines on \d{2,} devices, and more$/).waitFor();
    const first = await count(".hit");
    expect(first).toBeLessThanOrEqual(500);
    expect(asked.length, asked.join("\n")).toBeLessThanOrEqual(mostRequests);
    const more = page.getByRole("button", { name: "More", exact: true });
    const found = asked.length;
    // What is there already is shown first.
    for (let turn = 0; asked.length === found; turn++) {
      const before = await count(".hit");
      await more.click();
      await expect.poll(() => count(".hit")).toBeGreaterThan(before);
      if (turn === 0) expect(asked).toHaveLength(found);
    }
    const shown = (await page.locator(".hits > h2 > a").allTextContents()).toSorted();
    expect(shown).toEqual([...new Set(shown)]);
  });

  test("a bulk of 10,000 shows first who did not finish, reads all of them in pages, and more on demand", async () => {
    await open(`bulk/${bulk}`, ".matrix a");
    const { page } = visitor;
    await page.getByText("and 9500 more").waitFor();
    expect(asked.length, asked.join("\n")).toBeLessThan(40);
    expect(await count(".matrix a.failed")).toBe(20);
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByText("and 9000 more").waitFor();
    expect(await count(".matrix a")).toBe(1_000);
    await page.getByRole("link", { name: "ReadTimeout 20" }).click();
    await expect.poll(() => count(".matrix a")).toBe(20);
  });

  test("10,000 answers are a few groups", async () => {
    await open(`results/${bulk}`, "main pre");
    const { page } = visitor;
    // All of them, and the name of the bulk.
    const paths = asked.map((url) => new URL(url).pathname);
    expect(paths.toSorted()).toEqual([`/bulk/${bulk}`, `/bulk/${bulk}/results`]);
    await page.getByText("10000 results").waitFor();
    await page.getByText("the same on 9892 devices").waitFor();
    expect(await count("main pre")).toBeLessThan(20);
    expect(await page.getByText("ReadTimeout on 20 devices").count()).toBe(1);
  });

  test("one of all devices is found by its name, with a request for each kind", async () => {
    const { page } = visitor;
    const last = `sw-${large.devices - 1}`;
    await open("overview", "main h2");
    asked = [];
    await page.keyboard.press("/");
    await page.keyboard.type(last);
    await page.getByRole("option", { name: last }).first().waitFor();
    expect(asked.length, asked.join("\n")).toBeLessThan(10 * last.length);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: last }).waitFor();
  });

  test("nothing of it made the browser complain", () => {
    expect(visitor.complaints).toEqual([]);
  });
});
