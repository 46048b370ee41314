/** A bulk in the console while it runs: its devices, live; failures by kind, retried with a click; live output of a job. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { logIn, startBrowser, type Visitor, visit } from "../../scripts/testbed/browser.ts";
import { needs } from "../../scripts/testbed/catalogue.ts";
import { storedMasterKey, storeJobs } from "../../scripts/testbed/stored-jobs.ts";
import { adminKey, type Service, startService, tempFolder } from "../../src/testkit/service.ts";
import { type SimulatedDevice, simulated } from "./devices.ts";

const stored = 20_000;
const devices = 120;
const broken = 3;

describe.skipIf(needs("chromium"))("on a service with many jobs", () => {
  const dataDir = tempFolder();
  /** Where the pictures go; CONSOLE_PICTURES=docs/console makes those of docs/console.md anew. */
  const pictures = process.env.CONSOLE_PICTURES ?? join(tempFolder(), "console");
  let service: Service;
  let device: SimulatedDevice;
  let browser: Browser;
  let one: Visitor;
  let bulk = "";

  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    await storeJobs(dataDir, stored);
    device = await simulated("cisco_ios", { hostname: "SW1", latencyMs: 15 });
    service = await startService({ dataDir, env: { PATCHBAY_MASTER_KEY: storedMasterKey } });
    browser = await startBrowser();
    one = await visit(browser, service.url);
    await one.page.getByLabel("API key").waitFor();
    await picture("login");
    await logIn(one, adminKey);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
    await device?.stop();
  });
  const picture = (name: string) => one.page.screenshot({ path: join(pictures, `${name}.png`) });

  test("a bulk is seen while it runs, and ends with its failures by kind", async () => {
    const { page } = one;
    const made = await service.call<{ bulk_id: string }>("POST", "/device/bulk", {
      driver: "netmiko",
      connection_args: {
        ...{ device_type: "cisco_ios", host: "127.0.0.1", port: device.port },
        ...{ username: device.username, password: device.password, secret: device.secret },
      },
      devices: Array.from({ length: devices }, (_, n) => (n < broken ? { port: 9 } : {})),
      command: ["show version", "show ip interface brief"],
      options: { queue_strategy: "fifo", label: "evening check", ticket: "CHG-77" },
    });
    bulk = made.body.data.bulk_id;
    await page.goto(`${service.url}/#/bulk/${bulk}`);
    await page.getByRole("heading", { name: "evening check" }).waitFor();
    await expect.poll(() => page.locator(".cell").count()).toBe(devices);
    await expect.poll(() => page.locator(".cell.failed").count()).toBe(broken);
    await expect.poll(() => page.locator(".cell.finished").count()).toBe(devices - broken);
    await page.getByRole("link", { name: `ConnectionRefused ${broken}` }).click();
    await expect.poll(() => page.locator(".cell").count()).toBe(broken);
    await picture("bulk");
  });

  test("what failed is retried: the secrets that it needs are asked for, and the new bulk is shown", async () => {
    const { page } = one;
    await page.getByRole("button", { name: "Retry the failed" }).click();
    await page.getByRole("alertdialog").getByRole("button").first().click();
    await page.getByLabel("password", { exact: true }).fill(device.password);
    await page.getByLabel("secret", { exact: true }).fill(device.secret);
    await page.getByRole("button", { name: "Retry the failed" }).click();
    await expect.poll(() => page.locator(".cell").count()).toBe(broken);
    await expect.poll(() => new URL(page.url()).hash).not.toContain(bulk);
    await expect.poll(() => page.locator(".cell.failed").count()).toBe(broken);
  });

  test("a long list stays smooth to walk, and says what is new", async () => {
    const { page } = one;
    await page.goto(`${service.url}/#/jobs?status=failed`);
    await page.locator(".row").first().waitFor();
    const rows = () => page.evaluate<number>("document.querySelector('.long-list > div').clientHeight / 30");
    const first = await rows();
    await page.evaluate("document.querySelector('.long-list').scrollTop = 1e6");
    await expect.poll(rows).toBeGreaterThan(first);
    expect(await page.locator(".row").count()).toBeLessThan(120);
    await picture("jobs");
    expect(one.complaints.filter((text) => !text.includes("422"))).toEqual([]);
  });

  test("the overview shows failures first", async () => {
    const { page } = one;
    await page.goto(`${service.url}/#/overview`);
    await page
      .getByRole("link", { name: /ReadTimeout|ConnectionRefused/ })
      .first()
      .waitFor();
    await picture("overview");
    expect(one.foreign).toEqual([]);
  });

  test("a job tells what was asked, its way and its output", async () => {
    const { page } = one;
    await page.goto(`${service.url}/#/bulk/${bulk}`);
    await page.locator(".cell.finished").first().click();
    await page.getByRole("region", { name: "Output of show version" }).waitFor();
    await page.getByRole("list", { name: "Timeline" }).waitFor();
    await picture("job");
  });

  test.each(["run", "templates", "keys"])("%s, as a picture", async (name) => {
    const { page } = one;
    await page.goto(`${service.url}/#/${name}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await expect.poll(() => page.locator("form, table").count()).toBeGreaterThan(0);
    await picture(name);
    expect(one.foreign).toEqual([]);
  });
});
