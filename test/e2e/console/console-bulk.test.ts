/**
 * The console with 100,000 stored jobs and a running bulk of 500 devices, in a plain run with fewer of both and on some
 * of the pages: every page, and operations on the bulk.
 */
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { logIn, openBrowser, type Pages, type Visitor, visit } from "../../../scripts/testbed/browser.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { storedMasterKey, storeJobs } from "../../../scripts/testbed/stored-jobs.ts";
import { freePort } from "../../../src/testkit/port.ts";
import { adminKey, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { isExhaustive, sampled } from "../../support/sampled.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";
import { violations } from "./console-looks.ts";
import { picture, turn } from "./console-steps.ts";

const stored = isExhaustive() ? 100_000 : 5_000;
const devices = isExhaustive() ? 500 : 150;
const broken = 3;
/** In navigation order. */
const pages = [
  ...[
    "overview",
    "change",
    "jobs",
    "bulks",
    "run",
    "templates",
    "devices",
    "groups",
    "sources",
    "schedules",
    "workers",
  ],
  ...[
    "history",
    "changes",
    "search",
    "drift",
    "keys",
    "persons",
    "roles",
    "credentials",
    "ledger",
    "audit",
    "plugins",
    "settings",
    "licences",
  ],
];

describe.skipIf(needs("chromium"))("on a service with many jobs", () => {
  const dataDir = tempFolder();
  let service: Service;
  let device: SimulatedDevice;
  /** Accepts connections and never answers: its job runs until it is stopped. */
  let silent: Server;
  let browser: Pages;
  let one: Visitor;
  let phone: Visitor;
  let bulk = "";

  const start = (port: number) =>
    startService({ dataDir, port, env: { PATCHBAY_MASTER_KEY: storedMasterKey } });

  beforeAll(async () => {
    await storeJobs(dataDir, stored);
    device = await simulated("cisco_ios", { hostname: "SW1", latencyMs: 15 });
    silent = createServer((socket) => socket.on("error", () => {})).listen(0, "127.0.0.1");
    await once(silent, "listening");
    service = await start(await freePort());
    await fill(service);
    browser = await openBrowser();
    one = await visit(browser, service.url);
    await one.page.getByLabel("API key").waitFor();
    await picture(one.page, "login");
    await logIn(one, adminKey);
    phone = await visit(browser, service.url, { width: 360 });
    await logIn(phone, adminKey);
  }, 240_000);
  afterAll(async () => {
    await browser?.close();
    await service?.close();
    await device?.stop();
    silent?.close();
  });
  const cells = (look = "") => one.page.locator(`.cell${look}`).count();

  test("shows a bulk while it runs", async () => {
    const { page } = one;
    const waiting = { port: (silent.address() as AddressInfo).port, timeout: 500 };
    const made = await service.call<{ bulk_id: string }>("POST", "/device/bulk", {
      driver: "netmiko",
      connection_args: {
        ...{ device_type: "cisco_ios", host: "127.0.0.1", port: device.port },
        ...{ username: device.username, password: device.password, secret: device.secret },
      },
      devices: [waiting, ...Array.from({ length: devices - 1 }, (_, n) => (n < broken ? { port: 9 } : {}))],
      command: ["show version", "show ip interface brief"],
      options: { queue_strategy: "fifo", label: "evening check", ticket: "CHG-77" },
    });
    bulk = made.body.data.bulk_id;
    await page.goto(`${service.url}/#/bulk/${bulk}`);
    await page.getByRole("heading", { name: "evening check" }).waitFor();
    await expect.poll(() => cells()).toBe(devices);
    const seldom = { timeout: 150_000, interval: 250 };
    await expect.poll(() => cells(".finished, .cell.failed"), seldom).toBe(devices - 1);
    // By reason: a job that failed for another one is told with it.
    const failed = await service.call<{ result: { error: { type: string; message: string } } }[]>(
      "GET",
      `/job?bulk_id=${bulk}&status=failed`,
    );
    const reasons = failed.body.data.map(({ result: { error } }) => `${error.type}: ${error.message}`);
    expect(reasons.filter((reason) => !reason.startsWith("ConnectionRefused"))).toEqual([]);
    expect(await cells(".failed")).toBe(broken);
    await page.getByRole("link", { name: `ConnectionRefused ${broken}` }).click();
    await expect.poll(() => cells()).toBe(broken);
    await picture(one.page, "bulk");
  });

  describe("on a phone, meanwhile", () => {
    const looks = pages.flatMap((name) => [false, true].map((dark) => ({ name, dark })));
    const some = sampled(looks, 12, ({ dark }) => String(dark)).map(
      ({ name, dark }) => [name, dark] as const,
    );
    test.each([...some, ["bulk", true] as const])(
      "%s (dark: %s) passes axe, does not overflow and loads nothing external",
      async (name, dark) => {
        const { page, complaints, foreign } = phone;
        await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
        await turn(page, service, name === "bulk" ? `bulk/${bulk}` : name);
        await page.getByRole("heading", { level: 1 }).waitFor();
        await expect.poll(() => page.getByText("Loading …").count()).toBe(0);
        expect(await violations(page)).toEqual([]);
        const width = await page.evaluate<number>("document.documentElement.scrollWidth");
        expect(width).toBeLessThanOrEqual(360);
        expect([complaints, foreign]).toEqual([[], []]);
      },
    );

    test("reaches every page by keyboard from the previous one", async () => {
      const { page } = phone;
      for (const name of pages) {
        const link = page.getByRole("navigation").locator(`a[href="#/${name}"]`);
        await link.focus();
        await page.keyboard.press("Enter");
        await expect.poll(() => link.getAttribute("aria-current")).toBe("page");
        await expect.poll(() => page.evaluate("document.activeElement?.tagName")).toBe("MAIN");
      }
    });
  });

  test("stops the running jobs of a bulk, which then ends", async () => {
    const { page } = one;
    await page.goto(`${service.url}/#/bulk/${bulk}`);
    await page.getByRole("button", { name: "Stop running jobs" }).click();
    await page.getByRole("alertdialog").getByRole("button").first().click();
    await page.getByRole("button", { name: "Retry failed" }).waitFor();
    await expect.poll(() => cells(".failed")).toBe(broken + 1);
  });

  test("retries failed jobs after asking for the needed secrets, and shows the new bulk", async () => {
    const { page } = one;
    await page.getByRole("button", { name: "Retry failed" }).click();
    await page.getByRole("alertdialog").getByRole("button").first().click();
    await page.getByLabel("password", { exact: true }).fill(device.password);
    await page.getByLabel("enable secret", { exact: true }).fill(device.secret);
    await page.getByRole("button", { name: "Retry failed" }).click();
    await expect.poll(() => new URL(page.url()).hash).not.toContain(bulk);
    // The device of the stopped job is silent again.
    await expect.poll(() => cells()).toBe(broken + 1);
    await expect.poll(() => cells(".failed")).toBe(broken);
  });

  test("keeps a long list smooth and announces new entries", async () => {
    const { page } = one;
    await page.goto(`${service.url}/#/jobs?status=failed`);
    await page.locator(".row").first().waitFor();
    const rows = () => page.evaluate<number>("document.querySelector('.long-list > div').clientHeight / 30");
    const first = await rows();
    await page.evaluate("document.querySelector('.long-list').scrollTop = 1e6");
    await expect.poll(rows).toBeGreaterThan(first);
    expect(await page.locator(".row").count()).toBeLessThan(120);
    await picture(one.page, "jobs");
    expect(one.complaints.filter((text) => !text.includes("422"))).toEqual([]);
  });

  test("shows failures first in the overview", async () => {
    const { page } = one;
    await page.goto(`${service.url}/#/overview`);
    await page
      .getByRole("link", { name: /ReadTimeout|ConnectionRefused/ })
      .first()
      .waitFor();
    const attention = page.getByRole("region", { name: "Needs attention" });
    const refused = attention.getByRole("listitem").filter({ hasText: "ConnectionRefused" });
    await refused.getByText("Check the port").waitFor();
    await refused.getByRole("link", { name: "127.0.0.1" }).waitFor();
    const [schedules, charts] = ["Next schedules", "How it went"].map((name) =>
      page.getByRole("region", { name }),
    );
    await schedules?.first().getByRole("link", { name: "versions" }).waitFor();
    await charts?.getByText("Run time").waitFor();
    await picture(one.page, "overview");
    await page.goto(`${service.url}/#/overview?minutes=60`);
    await attention.getByRole("link", { name: "ConnectionRefused" }).click();
    await page.locator(".row", { hasText: "ConnectionRefused" }).first().waitFor();
    expect(one.foreign).toEqual([]);
  });

  test("shows the request, timeline and output of a job", async () => {
    const { page } = one;
    await page.goto(`${service.url}/#/bulk/${bulk}`);
    await page.locator(".cell.finished").first().click();
    await page.getByRole("region", { name: "Output of show version" }).waitFor();
    await page.getByRole("list", { name: "Timeline" }).waitFor();
    await picture(one.page, "job");
  });

  test.each(["run", "templates", "keys", "devices", "schedules", "settings"])(
    "screenshot of %s",
    async (name) => {
      const { page } = one;
      await page.goto(`${service.url}/#/${name}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await expect.poll(() => page.locator("form, table").count()).toBeGreaterThan(0);
      await picture(one.page, name);
      expect(one.foreign).toEqual([]);
    },
  );

  test("reports a killed service on every page and recovers after its restart", async () => {
    const { page, complaints } = phone;
    await page.goto(`${service.url}/#/overview`);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    const port = Number(new URL(service.url).port);
    await service.kill();
    await page.getByText("The service is unreachable.").first().waitFor();
    for (const name of pages.toReversed()) {
      await page.evaluate(`location.hash = "#/${name}"`);
      const link = page.getByRole("navigation").locator(`a[href="#/${name}"]`);
      await expect.poll(() => link.getAttribute("aria-current")).toBe("page");
      await page.getByText("The service is unreachable.").first().waitFor();
      await page.getByRole("heading", { level: 1 }).waitFor();
    }
    service = await start(port);
    await page.getByText("The service is unreachable.").first().waitFor({ state: "hidden" });
    await page.getByRole("figure").first().waitFor();
    expect(complaints.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
  });
});

/** Creates something to list on each page. */
async function fill({ call }: Service): Promise<void> {
  const made = [
    await call("POST", "/inventory/device", {
      groups: [
        { name: "campus", driver: "netmiko", platform: "cisco_ios", vars: { ntp: "10.0.0.1" } },
        { name: "access", parent: "campus", role: "access", credential: { name: "file", ref: "lab" } },
      ],
      devices: Array.from({ length: 300 }, (_, n) => ({
        ...{ name: `sw${n}`, host: `10.1.${Math.floor(n / 200)}.${(n % 200) + 1}`, group: "access" },
        ...{
          site: n % 3 === 0 ? "paris" : "berlin",
          tags: n % 7 === 0 ? ["lab"] : [],
          enabled: n % 50 !== 9,
        },
      })),
    }),
    await call("PUT", "/credential/lab", { username: "admin", password: "not-shown" }),
    await call("PUT", "/inventory/source/fleet", {
      ...{ kind: "url", url: "https://files.example/fleet.csv", format: "csv" },
    }),
    await call("POST", "/schedule", {
      ...{ name: "versions", cron: "30 2 * * 1-5", time_zone: "Europe/Berlin" },
      what: { kind: "query", request: { select: "site:berlin", command: "show version" } },
    }),
  ];
  expect(made.map(({ status }) => status)).toEqual([200, 201, 201, 201]);
}
