/** What somebody who does not see the console is told: live regions that are heard, and a focus that is not lost. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { importDevices } from "../../../scripts/bench/console/large.ts";
import { logIn, openBrowser, type Pages, visit } from "../../../scripts/testbed/browser.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { adminKey, type Service, startService } from "../../../src/testkit/service.ts";
import { holdJobs, open, settled } from "./console-steps.ts";

describe.skipIf(needs("chromium"))("the console", () => {
  let service: Service;
  let browser: Pages;
  let page: Page;

  beforeAll(async () => {
    service = await startService();
    await importDevices(service, 30);
    browser = await openBrowser();
    const visitor = await visit(browser, service.url);
    await logIn(visitor, adminKey);
    page = visitor.page;
  }, 240_000);
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  test("gives the focus of a row that is gone to its neighbour, or to the heading of the list", async () => {
    const held = [
      await holdJobs(service, 1, false, "first to go"),
      await holdJobs(service, 1, false, "next to go"),
    ];
    await open(page, service, "overview");
    const link = (bulk: string | undefined) =>
      page.locator(`section[aria-label=Now] a[href="#/bulk/${bulk}"]`);
    const focused = () => page.evaluate<string>("document.activeElement.textContent");
    for (const bulk of held) {
      await link(bulk).focus();
      await service.call("DELETE", `/bulk/${bulk}`);
      await link(bulk).waitFor({ state: "detached" });
      expect(
        await page.evaluate("!!document.activeElement.closest('section[aria-label=Now]')"),
        await focused(),
      ).toBe(true);
    }
  });

  test("has a live region before its text, so that it is heard", async () => {
    const come = () => page.evaluate<readonly string[]>("come");
    const watched = async (view: string) => {
      await open(page, service, view);
      await settled(page);
      await page.evaluate(liveRegionsThatCome);
    };
    await watched("device/sw-1");
    await page.route("**/device/test-connection", (route) =>
      route.fulfill({ json: { code: 200, message: "ok", data: { success: true, error_message: null } } }),
    );
    await page.getByRole("button", { name: "Test login" }).click();
    await page.getByRole("status").getByText("logged in").waitFor();
    expect(await come()).toEqual([]);
    await page.unroute("**/device/test-connection");
    await watched("run");
    await page.getByLabel("Inventory selector").fill("name:sw-1");
    await page.getByRole("status").getByText("1 device").waitFor();
    expect(await come()).toEqual([]);
    await watched("change/new");
    await page.getByLabel("Find devices by name").fill("sw-1");
    await page
      .getByRole("status")
      .getByText(/\d devices/)
      .waitFor();
    expect(await come()).toEqual([]);
    await watched("roles");
    await page.getByLabel("Groups, one per line").fill("nobody");
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByRole("status").getByText("No role:").waitFor();
    expect(await come()).toEqual([]);
    await watched("search");
    await page.getByLabel("Part of a line, or an expression").fill("no such line");
    await page.getByRole("main").getByRole("button", { name: "Search" }).click();
    await page.getByRole("status").getByText("No line matches.").waitFor();
    expect(await come()).toEqual([]);
  });

  test("says what is wrong in a region that was there, and says it again when it happens again", async () => {
    await open(page, service, "run");
    await settled(page);
    await page.evaluate(liveRegionsThatCome);
    await page.getByLabel("Lines").fill("show version");
    const alert = page.getByRole("alert").getByText("Enter a device.");
    for (const _ of ["first", "again"]) {
      await page.evaluate("window.heard = 0");
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await alert.waitFor();
      await expect.poll(() => page.evaluate<number>("window.heard")).toBeGreaterThan(0);
    }
    expect(await page.evaluate("come")).toEqual([]);
    await page.getByRole("link", { name: "Jobs", exact: true }).click();
    await alert.waitFor({ state: "detached" });
  });

  test("has what is wrong only where it is shown, for whoever reads on after it was said", async () => {
    await open(page, service, "run");
    await settled(page);
    await page.evaluate(liveRegionsThatCome);
    await page.evaluate("window.heard = 0");
    await page.getByLabel("Lines").fill("show version");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    const alert = page.getByRole("alert").getByText("Enter a device.");
    await alert.waitFor();
    expect(await page.evaluate("window.heard")).toBeGreaterThan(0);
    await page.evaluate("window.heard = 0");
    await alert.waitFor({ state: "detached" });
    await page.locator(".problem").getByText("Enter a device.").waitFor();
    expect(await page.evaluate("window.heard")).toBe(0);
  });

  test("says all that is wrong on a page", async () => {
    const refused = (message: string) => ({ status: 403, json: { code: -1, message } });
    await page.route("**/drift/summary", (route) => route.fulfill(refused("No counts.")));
    await page.route(
      ({ pathname }) => pathname === "/drift",
      (route) => route.fulfill(refused("No devices.")),
    );
    await open(page, service, "drift");
    const said = async () => (await page.getByRole("alert").getByRole("paragraph").allTextContents()).sort();
    await expect.poll(said).toEqual(["No counts.", "No devices."]);
    await page.unrouteAll();
  });

  test("tells an error of its own also while the service is away, and then what was not answered", async () => {
    await open(page, service, "run");
    await page.getByLabel("Lines").fill("show version");
    await page.getByLabel("Devices, one per line").fill("sw-1");
    const run = page.getByRole("button", { name: "Run", exact: true });
    await page.context().setOffline(true);
    await run.click();
    await page.getByText("The service is unreachable.").waitFor();
    await page.evaluate("before = FormData.prototype.get; FormData.prototype.get = () => undefined.of");
    await run.click();
    const told = page.locator(".problem");
    await told.getByText("undefined").waitFor();
    await page.evaluate("FormData.prototype.get = before");
    await run.click();
    await told.waitFor({ state: "detached" });
    await page.context().setOffline(false);
    await told.getByText("The service did not answer: try again.").waitFor();
  });
});

/** Regions that are drawn together with their text: a screen reader may read none of them. Counts what alerts say. */
const liveRegionsThatCome = `{
  window.come = [];
  const live = "[role=status], [role=alert], [aria-live]";
  new MutationObserver((changes) => {
    for (const { type, target, addedNodes } of changes) {
      if (type === "attributes" && target.matches(live) && target.textContent) come.push(target.outerHTML);
      if (target.nodeType === 1 && target.closest("[role=alert]") && addedNodes.length) window.heard += 1;
      for (const node of addedNodes)
        if (node.nodeType === 1)
          for (const one of [node, ...node.querySelectorAll(live)])
            if (one.matches(live) && one.textContent) come.push(one.outerHTML);
    }
  }).observe(document.body, { childList: true, subtree: true, attributeFilter: ["role", "aria-live"] });
}`;
