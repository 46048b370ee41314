/** Schedules in the console: preview and create with a form, pause, resume, run now, history, remove. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { logIn, openBrowser, type Pages, type Visitor, visit } from "../../../scripts/testbed/browser.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { adminKey, type Service, startService } from "../../../src/testkit/service.ts";

describe.skipIf(needs("chromium"))("schedules in the console", () => {
  let browser: Pages;
  let service: Service;
  let one: Visitor;

  beforeAll(async () => {
    service = await startService();
    await service.call("POST", "/inventory/device", {
      devices: [{ name: "sw1", host: "127.0.0.1", port: 9, driver: "netmiko", platform: "cisco_ios" }],
    });
    browser = await openBrowser();
    one = await visit(browser, service.url);
    await logIn(one, adminKey);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  test("creates a schedule from a form with a preview of its firings", async () => {
    const { page } = one;
    await page.getByRole("link", { name: "Schedules", exact: true }).click();
    await page.getByText("No schedules yet.").waitFor();
    await page.getByRole("link", { name: "New schedule" }).click();
    await page.getByLabel("name", { exact: true }).fill("versions");
    await page.getByLabel("when", { exact: true }).fill("30 2 1 1 *");
    await page.getByLabel("time zone").fill("Europe/Berlin");
    await page.getByLabel("Inventory selector").fill("name:sw1");
    await page.getByLabel("Lines").fill("show version");
    await page.getByRole("button", { name: "Preview firings" }).click();
    const next = page.getByRole("list", { name: "Next firings" }).getByRole("listitem");
    await expect.poll(() => next.count()).toBe(10);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "versions" }).waitFor();
    await page.getByText("Not fired yet.").waitFor();
    const [made] = (await service.call<{ what: unknown; cron: string }[]>("GET", "/schedule")).body.data;
    expect(made).toMatchObject({ cron: "30 2 1 1 *", time_zone: "Europe/Berlin" });
    expect(one.complaints).toEqual([]);
  });

  test("pauses, resumes and runs a schedule; its history links to the bulk", async () => {
    const { page } = one;
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("heading", { name: "versions paused" }).waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("heading", { name: "versions active" }).waitFor();
    await page.getByRole("button", { name: "Run now" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Run now" }).click();
    await page.getByText(/\(by hand\)/).waitFor();
    // The firing is submitted after the response.
    const firings = async () => {
      const [made] = (await service.call<{ id: string }[]>("GET", "/schedule")).body.data;
      const path = `/schedule/${made?.id}/firing`;
      return (await service.call<{ status: string }[]>("GET", path)).body.data.map(({ status }) => status);
    };
    await expect.poll(firings).toEqual(["submitted"]);
    await page.reload();
    await page.getByRole("table", { name: "History" }).getByRole("link").click();
    await page.getByRole("definition").filter({ hasText: "name:sw1" }).waitFor();
    expect([one.complaints, one.foreign]).toEqual([[], []]);
  });

  test("edits times, window and lines after a preview of the firings", async () => {
    const { page } = one;
    await page.getByRole("link", { name: "Schedules", exact: true }).click();
    await page.getByRole("link", { name: "versions", exact: true }).click();
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("when", { exact: true }).fill("0 3 1 1 *");
    await page.getByLabel("Only within these windows").fill("Mon-Sun 00:00-23:59 UTC");
    expect(await page.getByLabel("Inventory selector").inputValue()).toBe("name:sw1");
    await page.getByLabel("Lines").fill("show clock");
    await page.getByRole("button", { name: "As JSON" }).click();
    const what = page.getByLabel("Request (JSON)");
    expect(await what.inputValue()).toContain("show version");
    await page.getByRole("button", { name: "As a form" }).click();
    await page.getByLabel("Lines").fill("show clock");
    await page.getByRole("button", { name: "Preview firings" }).click();
    const next = page.getByRole("list", { name: "Next firings" }).getByRole("listitem");
    await expect.poll(() => next.count()).toBe(10);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("0 3 1 1 * Europe/Berlin").waitFor();
    await page.getByText("show clock", { exact: true }).waitFor();
    const request = page.getByText('"command"');
    expect(await request.isVisible()).toBe(false);
    await page.getByText("As JSON").click();
    await request.waitFor();
    const [kept] = (await service.call<{ id: string }[]>("GET", "/schedule")).body.data;
    expect((await service.call("GET", `/schedule/${kept?.id}`)).body.data).toMatchObject({
      name: "versions",
      cron: "0 3 1 1 *",
      time_zone: "Europe/Berlin",
      window: ["Mon-Sun 00:00-23:59 UTC"],
      what: { request: { select: "name:sw1", command: ["show clock"] } },
    });
    expect(one.complaints).toEqual([]);
  });

  test("shows why the service rejects a schedule, and removes one", async () => {
    const { page } = one;
    await page.getByRole("link", { name: "Schedules", exact: true }).click();
    await page.getByRole("link", { name: "New schedule" }).click();
    await page.getByLabel("name", { exact: true }).fill("wrong");
    await page.getByLabel("when", { exact: true }).fill("61 * * * *");
    await page.getByLabel("Inventory selector").fill("name:sw1");
    await page.getByLabel("Lines").fill("show version");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").getByText("cron").waitFor();
    await page.getByRole("link", { name: "Schedules", exact: true }).click();
    await page.getByRole("link", { name: "versions", exact: true }).click();
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
    await page.getByText("No schedules yet.").waitFor();
  });
});
