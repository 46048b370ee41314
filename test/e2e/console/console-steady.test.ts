/**
 * What holds on every page, in a plain run looked at on some of each kind: it has its heading before the service has
 * answered, nothing that stays is drawn anew while events come, and scrolling, focus, back and addresses behave as those of other pages on the web.
 */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { importDevices } from "../../../scripts/bench/console/large.ts";
import { logIn, openBrowser, type Pages, type Visitor, visit } from "../../../scripts/testbed/browser.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { adminKey, type Service, startService } from "../../../src/testkit/service.ts";
import { sampled } from "../../support/sampled.ts";
import { cut, violations } from "./console-looks.ts";
import { holdJobs, loaded, open, settled, turn } from "./console-steps.ts";

const lists = [
  ...["overview", "run", "change", "jobs", "bulks", "schedules", "recipes", "templates", "devices", "groups"],
  ...["discover", "sources", "history", "changes", "search?q=ntp", "drift", "workers", "keys", "persons"],
  ...["roles", "credentials", "ledger", "audit", "plugins", "settings", "licences"],
];
const forms = [
  "change/new",
  "schedule",
  "device",
  "group",
  "source",
  "role",
  "template",
  "import",
  "my-keys",
];
/** Of one thing, or a list of them. */
function kindOf(view: string): string {
  if (forms.includes(view)) return "form";
  return /^[\w-]+\/|bulk_id=/.test(view) ? "entry" : "list";
}
const entries = [
  ...["job/x", "bulk/x", "results/x", "change/x", "schedule/x", "recipe/x", "recipe/x/run", "template/x"],
  ...["device/x", "group/x", "source/x", "history/x", "drift/x", "role/x"],
];

describe.skipIf(needs("chromium"))("every page", () => {
  let service: Service;
  let browser: Pages;
  let visitor: Visitor;
  let views: readonly string[];

  beforeAll(async () => {
    service = await startService();
    await importDevices(service, 300);
    const bulk = await holdJobs(service, 60);
    const { data: jobs } = (await service.call<{ id: string }[]>("GET", `/job?bulk_id=${bulk}&limit=1`)).body;
    const change = await service.call<{ id: string }>("POST", "/change", {
      ...{ name: "NTP", devices: ["sw-1", "sw-2"], config: "ntp server 192.0.2.1" },
    });
    const schedule = await service.call<{ id: string }>("POST", "/schedule", {
      ...{ name: "versions", cron: "30 2 * * *" },
      what: { kind: "query", request: { select: "name:sw-1", command: "show version" } },
    });
    views = [
      ...["overview", "jobs", "bulks", `bulk/${bulk}`, `job/${jobs[0]?.id}`, "change"],
      ...[`change/${change.body.data.id}`, "schedules", `schedule/${schedule.body.data.id}`, "devices"],
      ...["device/sw-1", "groups", "history", "workers", "audit", "keys", "ledger", `jobs?bulk_id=${bulk}`],
    ];
    browser = await openBrowser();
    visitor = await visit(browser, service.url);
    const { page } = visitor;
    await page.addInitScript(countEvents);
    await page.reload();
    await logIn(visitor, adminKey);
  }, 240_000);
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  test("has a heading, and nothing that axe finds, while the answers are still to come", async () => {
    const { page } = visitor;
    const waiting: (() => void)[] = [];
    await page.route(
      (url) => !/^\/(?:console\/|session|$)/.test(url.pathname) || url.pathname.includes("/later-"),
      async (route) => {
        await new Promise<void>((resolve) => waiting.push(resolve));
        await route.continue().catch(() => {});
      },
    );
    for (const view of sampled([...lists, ...entries], 16, kindOf)) {
      await open(page, service, view);
      await page.getByRole("navigation").waitFor();
      // Fetched a second later at most, and only once.
      expect(await page.getByRole("heading", { level: 1 }).allTextContents(), view).toEqual([
        expect.stringMatching(/\w/),
      ]);
      expect(await violations(page), view).toEqual([]);
    }
    // What the last page asked for is asked no more.
    await page.goto("about:blank");
    await page.unrouteAll({ behavior: "ignoreErrors" });
    for (const go of waiting) go();
  }, 600_000);

  test("draws nothing anew that stays while events come, and keeps what is scrolled to and focused", async () => {
    const { page } = visitor;
    for (const view of sampled(views, 7, kindOf)) {
      await open(page, service, view);
      await settled(page);
      await page.evaluate(watch);
      await holdJobs(service, 3, true);
      await holdJobs(service, 3, true);
      await expect.poll(() => page.evaluate("told"), { message: view }).toBeGreaterThanOrEqual(12);
      await settled(page);
      expect(await page.evaluate("seen()"), view).toEqual({ again: [], scrolled: true, focused: true });
    }
  }, 600_000);

  test("begins at its top, and is where it was when one comes back", async () => {
    const { page } = visitor;
    for (const [list, entry, box] of [
      ["devices", "device/", "html"],
      [views.at(-1) ?? "", "job/", ".long-list"],
    ] as const) {
      await open(page, service, list);
      await settled(page);
      const top = () => page.evaluate<number>(`document.querySelector("${box}").scrollTop`);
      await page.evaluate(`document.querySelector("${box}").scrollTop = 700`);
      await expect.poll(top).toBe(700);
      await settled(page);
      const inView = box === "html" ? `main tbody a[href^="#/${entry}"]` : ".long-list .row";
      // Without a scroll of the tool's own.
      await page.evaluate(
        `[...document.querySelectorAll('${inView}')].find((one) => one.getBoundingClientRect().top > 300).click()`,
      );
      await expect.poll(() => new URL(page.url()).hash).toContain(entry);
      await page.getByRole("heading", { level: 1 }).waitFor();
      expect(await page.evaluate("scrollY"), entry).toBe(0);
      await settled(page);
      await page.goBack();
      await expect.poll(() => new URL(page.url()).hash).toBe(`#/${list}`);
      await expect.poll(top, { message: list }).toBe(700);
    }
  }, 240_000);

  test("is where it was when it is loaded anew", async () => {
    const { page } = visitor;
    for (const [list, box] of [
      ["devices", "html"],
      [views.at(-1) ?? "", ".long-list"],
    ] as const) {
      await open(page, service, list);
      await settled(page);
      const top = () => page.evaluate<number>(`document.querySelector("${box}").scrollTop`);
      await page.evaluate(`document.querySelector("${box}").scrollTop = 700`);
      await expect.poll(top).toBe(700);
      await settled(page);
      await page.reload();
      await loaded(page);
      await expect.poll(top, { message: list }).toBe(700);
    }
  }, 240_000);

  test("that an upgraded service has no more is told, with a way to its new pages", async () => {
    const before = await visit(browser, service.url);
    const { page } = before;
    const isGone = (url: URL) => url.pathname.includes("/later-");
    await page.route(isGone, (route) => route.fulfill({ status: 404 }));
    await logIn(before, adminKey);
    await page.goto(`${service.url}/#/devices`);
    await page.getByRole("alert").getByText("the service may have been upgraded").waitFor();
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Devices");
    // What was fetched before is still there.
    await page.getByRole("link", { name: "Jobs", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Jobs" }).waitFor();
    await page.getByRole("link", { name: "Devices", exact: true }).click();
    const reload = page.getByRole("button", { name: "Reload" });
    // It is asked for again, which must not find it before it is said to be gone.
    await reload.waitFor();
    await page.unroute(isGone);
    await reload.click();
    await page.getByRole("link", { name: "sw-1", exact: true }).waitFor();
    expect(new URL(page.url()).hash).toBe("#/devices");
    await before.close();
  }, 240_000);

  test("is drawn if the scripts come between its first drawing and what it does then", async () => {
    const other = await visit(browser, service.url);
    const { page } = other;
    const asked = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    await page.route(
      (url) => url.pathname.includes("/later-"),
      async (route) => {
        asked.resolve();
        await go.promise;
        await route.continue();
      },
    );
    await page.addInitScript(`{
      const { setTimeout: usual } = window;
      window.setTimeout = (act, ms, ...given) => usual(act, window.isBusy && !(ms > 50) ? 3_000 : ms, ...given);
    }`);
    await page.reload();
    await logIn(other, adminKey);
    await page.goto(`${service.url}/#/devices`);
    await asked.promise;
    await page.evaluate('window.isBusy = true; location.hash = "#/groups"');
    await page.getByRole("heading", { level: 1, name: "Groups" }).waitFor();
    go.resolve();
    await page.getByRole("link", { name: "New group" }).waitFor();
    await other.close();
  }, 240_000);

  test("cuts nothing on a phone, however long the names are", async () => {
    const name = "lyon-distribution-west-08.building-17.campus.example.net";
    await service.call("POST", "/inventory/device", {
      groups: [{ name: "distribution-of-the-western-campus", driver: "netmiko", platform: "cisco_ios" }],
      devices: [{ name, host: "127.0.3.250", group: "distribution-of-the-western-campus" }],
    });
    const bulk = await holdJobs(service, [{ device: name }, { host: "127.0.3.251" }]);
    const phone = await visit(browser, service.url, { width: 360 });
    await logIn(phone, adminKey);
    const { page } = phone;
    const own = [`bulk/${bulk}`, `results/${bulk}`, `device/${name}`];
    for (const view of new Set([...sampled([...views, ...lists, ...forms], 20, kindOf), ...own])) {
      await turn(page, service, view);
      await loaded(page);
      expect(await page.evaluate(cut), view).toEqual([]);
    }
    await open(page, service, "jobs");
    const card = page.getByRole("option").filter({ hasText: name }).first();
    await card.waitFor();
    const seen = await card.getByText(name).evaluate((of) => of.getBoundingClientRect().bottom);
    expect(seen).toBeLessThanOrEqual(await card.evaluate((of) => of.getBoundingClientRect().bottom));
    await phone.close();
  }, 600_000);

  test("breaks no word of a button on a tablet", async () => {
    const tablet = await visit(browser, service.url, { width: 768 });
    await logIn(tablet, adminKey);
    for (const view of ["recipes", "keys", "workers"]) {
      await open(tablet.page, service, view);
      await loaded(tablet.page);
      await tablet.page.locator("td button").first().waitFor();
      const heights = "[...document.querySelectorAll('td button')].map((one) => one.offsetHeight)";
      const found = await tablet.page.evaluate<number[]>(heights);
      // One line, as high as a thumb.
      expect(Math.max(...found), view).toBeLessThan(50);
      expect(Math.min(...found), view).toBeGreaterThanOrEqual(40);
    }
    await tablet.close();
  });

  test("has lists of up to eight columns as tables on a tablet, and cuts nothing", async () => {
    await holdJobs(service, 1, false, "a bulk in a table");
    const tablet = await visit(browser, service.url, { width: 768 });
    await logIn(tablet, adminKey);
    const { page } = tablet;
    for (const view of ["devices", "bulks", "recipes", "history"]) {
      await open(page, service, view);
      await loaded(page);
      await page.locator("main tbody tr").first().waitFor();
      expect(await page.evaluate(styleOf("main tbody tr", "display")), view).toBe("table-row");
      expect(await page.evaluate(cut), view).toEqual([]);
    }
    await open(page, service, "jobs");
    await page.locator(".row[role=option]").first().waitFor();
    const columns = `${styleOf(".row[role=option]", "gridTemplateColumns")}.split(" ").length`;
    expect(await page.evaluate(columns)).toBe(6);
    await page.setViewportSize({ width: 706, height: 800 });
    const end = "document.querySelector('.row > time').getBoundingClientRect().right";
    expect(await page.evaluate(end)).toBeLessThan(698);
    await tablet.close();
  });

  test("moves nothing that is about to be pressed while events come", async () => {
    const still = await visit(browser, service.url);
    const { page } = still;
    await logIn(still, adminKey);
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 });
      const label = `to be stopped at ${width}`;
      const bulk = await holdJobs(service, 60, false, label);
      const jobs = await service.call<{ id: string }[]>("GET", `/job?bulk_id=${bulk}&limit=60`);
      const [first, ...others] = jobs.body.data.map(({ id }) => id);
      await open(page, service, "overview");
      const link = page.getByRole("link", { name: label, exact: true });
      await link.hover();
      const lies = await placesOf(page, `a[href="#/bulk/${bulk}"]`);
      const isRead = page.waitForResponse((answer) => answer.url().includes("/bulk?status=running"));
      const later = await holdJobs(service, 2, false, `later at ${width}`);
      // Above it is what comes now; as long as somebody goes for the link, it stays where it is.
      let read = false;
      void isRead.then(() => {
        read = true;
      });
      for (let x = 0; !read; x++) await page.mouse.move(...(await lies.middle(x)));
      expect(await lies.seen()).toHaveLength(1);
      await page.locator(`a[href="#/bulk/${later}"]`).waitFor();
      await link.click();
      const stop = page.getByRole("button", { name: "Stop running jobs" });
      await stop.waitFor();
      await page.locator(".cell").nth(59).waitFor();
      const stands = await placesOf(page, ".actions > :has(> .careful) + :has(> .careful)");
      const cancelled = page.locator(".cell.cancelled");
      await service.call("DELETE", `/job?id=${first}`);
      await cancelled.waitFor();
      for (const id of others) await service.call("DELETE", `/job?id=${id}`);
      await page.getByText("ended", { exact: true }).waitFor();
      // It has nothing to stop any more, and nothing else has taken its place.
      expect(await stop.isDisabled()).toBe(true);
      expect(await stands.seen()).toHaveLength(1);
    }
    expect(still.complaints).toEqual([]);
    await still.close();
  });

  test("shows what comes also to a pointer that never rests", async () => {
    const restless = await visit(browser, service.url);
    const { page } = restless;
    await logIn(restless, adminKey);
    const bulk = await holdJobs(service, 2, false, "moved over");
    await open(page, service, "overview");
    const link = page.locator(`a[href="#/bulk/${bulk}"]`);
    await link.hover();
    const lies = await placesOf(page, `a[href="#/bulk/${bulk}"]`);
    const [left, top] = await lies.middle(0);
    const later = await holdJobs(service, 2, false, "comes later");
    const isShown = page.locator(`a[href="#/bulk/${later}"]`);
    let moves = 0;
    await expect
      .poll(
        async () => {
          await page.mouse.move(left + (++moves % 2), top);
          return isShown.count();
        },
        { timeout: 60_000, interval: 100 },
      )
      .toBe(1);
    await restless.close();
  });

  test("is used with the keyboard alone: a question has the focus, and its button when it is answered", async () => {
    const { page } = visitor;
    const { data: held } = (await service.call<{ id: string }[]>("GET", "/job?status=held&limit=1")).body;
    await open(page, service, `job/${held[0]?.id}`);
    await page.getByText(/^its time, /).waitFor();
    const cancel = page.getByRole("button", { name: "Cancel", exact: true });
    const question = page.getByRole("alertdialog");
    await cancel.focus();
    await page.keyboard.press("Enter");
    await question.waitFor();
    expect(await page.evaluate("document.activeElement.role")).toBe("alertdialog");
    expect(await question.getAttribute("aria-label")).toBe("Cancel the held job?");
    for (const key of ["Tab", "Tab", "Enter"]) await page.keyboard.press(key);
    await question.waitFor({ state: "detached" });
    await page.keyboard.press("Enter");
    await question.waitFor();
    for (const key of ["Tab", "Enter"]) await page.keyboard.press(key);
    await page.getByRole("heading", { level: 1, name: /cancelled$/ }).waitFor();
    // Somebody has decided it: nothing failed.
    await page.locator("section.warning").getByText("The job was cancelled before it started.").waitFor();
    expect(await page.locator(".problem, .failed, [aria-label=Error]").count()).toBe(0);
  });

  test("has the focus where it was when what was asked for is refused", async () => {
    const refused = await visit(browser, service.url);
    const { page } = refused;
    await logIn(refused, adminKey);
    const bulk = await holdJobs(service, 1);
    const { data: held } = (await service.call<{ id: string }[]>("GET", `/job?bulk_id=${bulk}`)).body;
    await open(page, service, `job/${held[0]?.id}`);
    await page.route("**/job?id=*", (route) =>
      route.request().method() === "DELETE" ? route.abort() : route.continue(),
    );
    await page.getByRole("button", { name: "Cancel", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("alertdialog").waitFor();
    for (const key of ["Tab", "Enter"]) await page.keyboard.press(key);
    await page.locator(".actions .problem").waitFor();
    // Chromium takes it from what has lost its box after the next frame.
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Cancel");
    // A question that is asked with a note stays the box that it was.
    await page.route("**/change/**", (route) =>
      route.request().method() === "POST" ? route.abort() : route.continue(),
    );
    await open(page, service, views.find((view) => view.startsWith("change/")) ?? "");
    await page.locator(".actions > * > .careful").first().click();
    const decide = page.getByRole("alertdialog");
    const drawn = () => page.evaluate(styleOf("[role=alertdialog]", "display"));
    expect(await drawn()).toBe("block");
    await decide.locator("[type=submit]").click();
    await decide.locator(".problem").waitFor();
    expect(await drawn()).toBe("block");
    await page.keyboard.press("Escape");
    await decide.waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.className")).toBe("careful");
    await refused.close();
  });

  test("says of sessions which browser they are of, and all that it calls itself on request", async () => {
    const { page } = visitor;
    await open(page, service, "keys");
    const browserOf = page.getByRole("table", { name: "Sessions" }).getByText("Chrome, Linux").first();
    await browserOf.waitFor();
    expect(await browserOf.getAttribute("title")).toMatch(/^Mozilla\/5\.0 .*Chrome/);
  });

  test("has an address that shows a colleague the same", async () => {
    const colleague = await visit(browser, service.url);
    await logIn(colleague, adminKey);
    const own = ["devices?select=name%3Asw-1*", "jobs?status=held"];
    for (const view of [...sampled(views, 7, kindOf), ...own]) {
      const both = [visitor.page, colleague.page];
      await Promise.all([turn(visitor.page, service, view), open(colleague.page, service, view)]);
      for (const page of both) await loaded(page);
      await expect
        .poll(
          async () => {
            const [ours, theirs] = await Promise.all(both.map(shownOn));
            return ours === theirs ? "the same" : [ours, theirs];
          },
          { message: view },
        )
        .toBe("the same");
    }
    await colleague.close();
    expect([visitor.complaints, colleague.complaints]).toEqual([[], []]);
  }, 240_000);
});

/** Heading, filters and number of rows. */
const shownOn = (page: Page) =>
  page.evaluate<string>(`JSON.stringify([
    document.querySelector("h1").textContent,
    [...document.querySelectorAll("main :is(input, select)")].map(({ value }) => value),
    document.querySelectorAll("main tbody tr").length,
  ])`);

/** Where something lies in each frame from now on. */
async function placesOf(page: Page, selector: string) {
  const box = await page.locator(selector).boundingBox();
  if (box === null) throw new Error(`${selector} is not shown`);
  await page.evaluate(`{
    const one = document.querySelector(${JSON.stringify(selector)});
    const places = new Set();
    const look = () => {
      const { x, y } = one.getBoundingClientRect();
      places.add(one.isConnected ? x + " " + y : "gone");
      requestAnimationFrame(look);
    };
    look();
    window.places = places;
  }`);
  return {
    middle: async (step: number): Promise<[x: number, y: number]> => [
      box.x + 4 + (step % 8),
      box.y + box.height / 2,
    ],
    seen: () => page.evaluate<readonly string[]>("[...places]"),
  };
}

const countEvents = `{
  window.told = 0;
  const Plain = EventSource;
  window.EventSource = class extends Plain {
    constructor(...given) {
      super(...given);
      if (given[0] === "/events") this.addEventListener("state", () => told++);
    }
  };
}`;

/** An element that goes and one like it that comes are one that was drawn anew. */
const watch = `{
  told = 0;
  const gone = new Set();
  const again = [];
  const like = (node) => node.tagName + " " + (node.textContent || node.outerHTML);
  const main = document.querySelector("main");
  new MutationObserver((changes) => {
    for (const { removedNodes } of changes)
      for (const node of removedNodes) if (node.nodeType === 1) gone.add(node).add(like(node));
    for (const { addedNodes } of changes)
      for (const node of addedNodes)
        if (node.nodeType === 1 && (gone.has(node) || gone.has(like(node)))) again.push(like(node).slice(0, 80));
  }).observe(main, { childList: true, subtree: true });
  const box = document.querySelector(".long-list") ?? document.scrollingElement;
  box.scrollTop = 90;
  const at = box.scrollTop;
  const link = [...main.querySelectorAll("a, button, input, [tabindex]")].findLast((one) => one.checkVisibility()) ?? main;
  link.focus({ preventScroll: true });
  window.seen = () => ({
    again,
    scrolled: box.isConnected && box.scrollTop === at,
    focused: document.activeElement === link,
  });
}`;

const styleOf = (selector: string, name: string) =>
  `getComputedStyle(document.querySelector("${selector}")).${name}`;
