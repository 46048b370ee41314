/** The console's page of a bulk's results: equal outputs as one, a search, the difference of two devices. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { logIn, openBrowser, type Pages, type Visitor, visit } from "../../../scripts/testbed/browser.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { adminKey, type Service, startService } from "../../../src/testkit/service.ts";
import { type Fleet, startFleet } from "../fleet.ts";
import { cut, faultless, violations } from "./console-looks.ts";

describe.skipIf(needs("chromium"))("the results of a bulk", () => {
  let service: Service;
  let fleet: Fleet;
  let browser: Pages;
  let one: Visitor;
  let bulk = "";

  beforeAll(async () => {
    [service, fleet, browser] = await Promise.all([
      startService(),
      startFleet(4, { 4: { password: "another-one" } }),
      openBrowser(),
    ]);
    const devices = fleet.devices.map(({ connection: { host, port } }) => ({ host, port }));
    const { body } = await service.call<{ bulk_id: string }>(
      "POST",
      "/device/bulk",
      {
        driver: "netmiko",
        connection_args: { device_type: "cisco_ios", username: "admin", password: "device-password-1" },
        command: ["show ip interface brief", "show version"],
        devices,
      },
      { Prefer: "wait=60" },
    );
    bulk = body.data.bulk_id;
    one = await visit(browser, service.url, { width: 900 });
    await logIn(one, adminKey);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await Promise.all([service?.stop(), fleet?.stop()]);
  });

  test("are reached from the bulk and grouped by equal outputs", async () => {
    const { page } = one;
    await page.goto(`${service.url}/#/bulk/${bulk}`);
    await page.getByRole("link", { name: "Results read together" }).click();
    await page.getByRole("heading", { name: "show ip interface brief the same on 3 devices" }).waitFor();
    expect(await page.getByRole("heading", { name: "show version only on 1 device" }).count()).toBe(3);
    await page.getByRole("heading", { name: "AuthenticationFailed on 1 device" }).waitFor();
    expect(await page.getByText("GigabitEthernet").count()).toBeGreaterThan(0);
    await page.getByText("show version: 3 outputs, no two the same").waitFor();
    const changed = page.locator("details", { hasText: "Difference from the first" }).first();
    expect(await changed.locator("ins").first().textContent()).toContain("uptime");
    expect(await violations(page)).toEqual([]);
  });

  test("are led to by the list of bulks, whose counts are copied without that link", async () => {
    const { page } = one;
    await page.goto(`${service.url}/#/bulks`);
    await page.getByRole("cell").getByRole("link", { name: "Results" }).waitFor();
    await page.getByText("Columns, copy").click();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy: Bulks" }).click();
    await page.getByText("copied").waitFor();
    expect((await page.evaluate<string>("navigator.clipboard.readText()")).split("\t")).toContain(
      "✓ finished 3 ✕ failed 1",
    );
    await page.getByRole("link", { name: "Results", exact: true }).click();
    await page.getByRole("heading", { name: "show ip interface brief the same on 3 devices" }).waitFor();
  });

  test("are searched, and limited to a command", async () => {
    const { page } = one;
    await page.getByLabel("Output contains").fill("SW002 uptime");
    await page.getByRole("button", { name: "Search" }).click();
    await expect.poll(() => page.locator("article section").count()).toBe(1);
    await page.getByRole("link", { name: "127.77.0.2" }).waitFor();
    await page.getByLabel("Output contains").fill("");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByLabel("Command").selectOption("show version");
    await expect.poll(() => page.locator("article section").count()).toBe(4);
    expect(new URL(page.url()).hash).toContain("command=show+version");
  });

  test("of two devices are compared", async () => {
    const { page, complaints, foreign } = one;
    await page.getByLabel("First device").fill("127.77.0.1");
    await page.getByLabel("Second device").fill("127.77.0.2");
    await page.getByRole("button", { name: "Compare" }).click();
    const difference = page.getByRole("form", { name: "Compare" }).locator(".difference");
    await difference.waitFor();
    expect(await difference.locator("del").first().textContent()).toContain("sw001 uptime");
    expect(await difference.locator("ins").first().textContent()).toContain("sw002 uptime");
    await page.getByLabel("Command").selectOption("show ip interface brief");
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByText("The outputs are equal.").waitFor();
    await page.getByLabel("Second device").fill("127.77.0.4");
    await page.getByRole("button", { name: "Compare" }).click();
    await page
      .getByRole("alert")
      .getByText("There is no output of 127.77.0.4: AuthenticationFailed.")
      .waitFor();
    expect([complaints, foreign]).toEqual([[], []]);
  });

  test("are read on a phone, with parsed rows and names of any length", async () => {
    const { page } = one;
    const [first, second] = fleet.devices.map(({ connection: { host, port } }) => ({ host, port }));
    const access = { driver: "netmiko", platform: "cisco_ios" };
    const names = ["lyon", "oslo"].map(
      (site) => `${site}-distribution-west-08.building-17.campus.example.net`,
    );
    await service.call("POST", "/inventory/device", {
      devices: [first, second].map((at, n) => ({ ...access, ...at, name: names[n] })),
    });
    const { body } = await service.call<{ bulk_id: string }>(
      "POST",
      "/device/bulk",
      {
        connection_args: { username: "admin", password: "device-password-1" },
        ...{ command: ["show ip interface brief", "show version"], parsing: { name: "textfsm" } },
        devices: names.map((device) => ({ device })),
      },
      { Prefer: "wait=60" },
    );
    await page.setViewportSize({ width: 360, height: 800 });
    await page.goto(`${service.url}/#/results/${body.data.bulk_id}`);
    await page.getByText("rows of all devices").first().waitFor();
    for (const dark of [false, true]) {
      await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
      await faultless(page);
    }
    expect(await page.evaluate(cut)).toEqual([]);
    for (const name of names)
      expect(await page.getByRole("link", { name }).first().isVisible(), name).toBe(true);
  });
});
