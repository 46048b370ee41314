/** Questions of buttons: nothing moves when one asks, nor when it is answered. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { logIn, openBrowser, type Pages, visit } from "../../../scripts/testbed/browser.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { adminKey, type Service, startService } from "../../../src/testkit/service.ts";
import { holdJobs, loaded, open } from "./console-steps.ts";

describe.skipIf(needs("chromium"))("a button that asks", () => {
  let service: Service;
  let browser: Pages;

  beforeAll(async () => {
    service = await startService();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  test.each([1280, 768, 360])("keeps its place and that of its neighbours, at %s pixels", async (width) => {
    const device = { name: "sw-1", host: "127.0.3.1", driver: "netmiko", platform: "cisco_ios" };
    await service.call("POST", "/inventory/device", { devices: [device] });
    const change = await service.call<{ id: string }>("POST", "/change", {
      ...{ name: "NTP", devices: ["sw-1"], config: "ntp server 192.0.2.1" },
    });
    const visitor = await visit(browser, service.url, { width });
    await logIn(visitor, adminKey);
    const { page } = visitor;
    for (const [view, name] of [
      [`bulk/${await holdJobs(service, 2)}`, "Cancel queued jobs"],
      [`change/${change.body.data.id}`, "Cancel"],
      ["device/sw-1", "Remove"],
    ] as const) {
      await open(page, service, view);
      await loaded(page);
      const before = await placesOf(page);
      expect(before.length, view).toBeGreaterThan(2);
      await page.getByRole("button", { name, exact: true }).click();
      const answers = page.getByRole("alertdialog").getByRole("button");
      await answers.first().waitFor();
      expect(await placesOf(page), view).toEqual(before);
      // Both are on one line.
      const [yes, no] = await answers.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().y));
      expect(yes, view).toBe(no);
      await answers.last().click();
      await page.getByRole("alertdialog").waitFor({ state: "detached" });
      expect(await placesOf(page), view).toEqual(before);
    }
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });
});

/** Where the buttons below the heading are. */
const placesOf = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelector(".actions").children]
    .filter((one) => one.matches("a, button, span:not(.asking, [role])"))
    .map((one) => one.textContent + " " + JSON.stringify(one.getBoundingClientRect()))`);
