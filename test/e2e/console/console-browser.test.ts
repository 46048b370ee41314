/** What a browser may do to the console: refuse to store, go back, and come back. */
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { importDevices } from "../../../scripts/bench/console/large.ts";
import { logIn, openBrowser, type Pages, visit } from "../../../scripts/testbed/browser.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { adminKey, type Service, startService } from "../../../src/testkit/service.ts";

describe.skipIf(needs("chromium"))("a browser", () => {
  let service: Service;
  let browser: Pages;

  beforeAll(async () => {
    service = await startService();
    await importDevices(service, 300);
    browser = await openBrowser();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  test("that refuses to store anything breaks no page: what is chosen holds until it is closed", async () => {
    const visitor = await visit(browser, service.url);
    const { page } = visitor;
    await page.addInitScript(`{
      const refuse = () => { throw new DOMException("full", "QuotaExceededError"); };
      Object.assign(Storage.prototype, { setItem: refuse, getItem: refuse, removeItem: refuse });
    }`);
    await page.reload();
    await logIn(visitor, adminKey);
    await page.goto(`${service.url}/#/devices`);
    await page.getByRole("link", { name: "sw-1", exact: true }).waitFor();
    const heads = page.getByRole("columnheader", { name: "site" });
    await heads.waitFor();
    await page.getByText("Columns").click();
    await page.getByRole("checkbox", { name: "site", exact: true }).uncheck();
    await expect.poll(() => heads.count()).toBe(0);
    await page.getByRole("link", { name: "Groups", exact: true }).click();
    await page.getByRole("link", { name: "berlin", exact: true }).first().waitFor();
    await page.getByRole("link", { name: "Devices", exact: true }).click();
    await page.getByRole("link", { name: "sw-1", exact: true }).waitFor();
    expect(await heads.count()).toBe(0);
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });

  // The others look without: each picture of it is drawn in software.
  test("shows by motion that a job runs, unless it is asked not to move", async () => {
    const silent = createServer((socket) => socket.on("error", () => {})).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const visitor = await visit(browser, service.url);
    const { page } = visitor;
    const { port } = silent.address() as AddressInfo;
    const made = await service.call<{ id: string }>("POST", "/device/exec", {
      driver: "netmiko",
      connection_args: { device_type: "cisco_ios", host: "127.0.0.1", port, username: "x", password: "x" },
      command: "show clock",
    });
    const moving = () => page.evaluate<string[]>("document.getAnimations().map((one) => one.animationName)");
    await logIn(visitor, adminKey);
    await page.goto(`${service.url}/#/jobs`);
    await page.locator(".status.running").first().waitFor();
    expect(await moving()).toEqual([]);
    await page.emulateMedia({ reducedMotion: "no-preference" });
    await expect.poll(moving).toContain("pulse");
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
    await service.call("DELETE", `/job?id=${made.body.data.id}&force=true`);
    silent.close();
  });
});
