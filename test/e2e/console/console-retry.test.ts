/** Ways out of failures in the console, in Debian's Chromium: safe retries, unknown outcomes, a replaced device. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { logIn, openBrowser, type Pages, type Visitor, visit } from "../../../scripts/testbed/browser.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { adminKey, type Service, startService } from "../../../src/testkit/service.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";

const password = "canary-password-26";
const lines = Array.from({ length: 120 }, (_, n) => `ip route 192.0.2.${n} 255.255.255.255 Null0`);

describe.skipIf(needs("chromium"))("after failures", () => {
  let browser: Pages;
  let service: Service;
  /** Closes the connection in the middle of a push. */
  let dropping: SimulatedDevice;
  let one: Visitor;
  let page: Page;
  let bulk = "";
  beforeAll(async () => {
    [dropping, service, browser] = await Promise.all([
      simulated("cisco_ios", { hostname: "SW1", password, faults: { dropAfter: 3_000 } }),
      startService(),
      openBrowser(),
    ]);
    await service.call("PUT", "/credential/lab", { username: "admin", password, secret: dropping.secret });
    const ports = { "lost-1": dropping.port, "gone-1": 9, "gone-2": 9 };
    await service.call("POST", "/inventory/device", {
      devices: Object.entries(ports).map(([name, port]) => ({
        ...{ name, host: "127.0.0.1", port, platform: "cisco_ios", driver: "netmiko" },
        credential: { name: "file", ref: "lab" },
      })),
    });
    const pushed = await service.call<{ bulk_id: string }>("POST", "/device/bulk", {
      ...{ select: "all", config: lines, options: { label: "routes", queue_strategy: "fifo" } },
    });
    bulk = pushed.body.data.bulk_id;
    one = await visit(browser, service.url);
    page = one.page;
    await logIn(one, adminKey);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
    await dropping?.stop();
  });

  const open = async () => {
    await page.goto(`${service.url}/#/overview`);
    await page.goto(`${service.url}/#/bulk/${bulk}`);
    await page.getByRole("heading", { name: "routes" }).waitFor();
  };
  /** Confirms, and gives the devices of the new bulk. */
  async function confirmed(label: string): Promise<string[]> {
    const before = page.url();
    await page.getByRole("alertdialog").getByRole("button", { name: label }).click();
    await expect.poll(() => page.url()).not.toBe(before);
    await page.getByRole("list", { name: "Devices" }).getByRole("link").first().waitFor();
    const id = page.url().split("/").at(-1);
    const { body } = await service.call<{ device: string; retry_of: string }[]>("GET", `/job?bulk_id=${id}`);
    expect(body.data.every((job) => job.retry_of !== undefined)).toBe(true);
    return body.data.map(({ device }) => device).sort();
  }

  test("the safe ones are retried although the outcome of another is unknown", async () => {
    await open();
    await page.getByRole("link", { name: "lost-1 ? ConnectionLost, unknown outcome" }).waitFor();
    await page.getByRole("button", { name: "Retry the 2 safe ones" }).click();
    await page.getByText("Retry 2 devices?").waitFor();
    expect(await confirmed("Retry the 2 safe ones")).toEqual(["gone-1", "gone-2"]);
  });

  test("what is shown is what is retried", async () => {
    await open();
    await page.getByRole("link", { name: "unknown outcome 1" }).click();
    await expect.poll(() => page.locator(".cell").count()).toBe(1);
    await page.getByRole("link", { name: "ConnectionRefused 2" }).click();
    await expect.poll(() => page.locator(".cell").count()).toBe(2);
    expect(await page.getByRole("button", { name: /^Retry/ }).allTextContents()).toEqual([
      "Retry the 2 shown",
    ]);
    await page.getByRole("button", { name: "Retry the 2 shown" }).click();
    expect(await confirmed("Retry the 2 shown")).toEqual(["gone-1", "gone-2"]);
  });

  test("a push of unknown outcome is sent again after its device and lines were named", async () => {
    const label = "Retry the 1 of unknown outcome";
    await open();
    await page.getByRole("button", { name: label }).click();
    const dialogue = page.getByRole("alertdialog");
    await dialogue.getByText("would run a second time").waitFor();
    await dialogue.getByText(/^lost-1/).waitFor();
    await dialogue.getByText(/ip route 192\.0\.2\.\d+ 255/).waitFor();
    await dialogue.getByRole("button", { name: "No", exact: true }).click();
    await page.getByRole("button", { name: label }).click();
    expect(await confirmed(label)).toEqual(["lost-1"]);
    expect(one.complaints).toEqual([]);
  });

  test("the page of a job of unknown outcome has the button as well", async () => {
    const { body } = await service.call<{ id: string }[]>("GET", `/job?bulk_id=${bulk}&device=lost-1`);
    const id = body.data[0]?.id;
    await page.goto(`${service.url}/#/job/${id}`);
    await page.getByText("It is unknown whether the device applied it.").waitFor();
    await page.getByRole("button", { name: "Retry anyway" }).click();
    await page
      .getByRole("alertdialog")
      .getByText(/^lost-1/)
      .waitFor();
    await page.getByRole("alertdialog").getByRole("button", { name: "Retry anyway" }).click();
    await page.getByRole("link", { name: id?.slice(-12) ?? "" }).waitFor();
    expect(one.complaints).toEqual([]);
  });

  test("the new key of a replaced device is accepted on the page, and a retry then works", async () => {
    const old = await simulated("cisco_ios", { password });
    const { port } = old;
    const show = () =>
      service.run({
        ...{ driver: "netmiko", command: "show version", driver_args: { fresh: true } },
        connection_args: {
          ...{ host: "127.0.0.1", port, device_type: "cisco_ios", credential: { name: "file", ref: "lab" } },
        },
      });
    expect((await show()).status).toBe("finished");
    await old.stop();
    const replaced = await simulated("cisco_ios", { password, port, secret: old.secret });
    const { id } = await show();
    await page.goto(`${service.url}/#/job/${id}`);
    await page.getByRole("heading", { name: "HostKeyMismatch" }).waitFor();
    await page.getByRole("button", { name: "Accept the new host key" }).click();
    await page
      .getByRole("alertdialog")
      .getByText(/Does 127\.0\.0\.1 itself show SHA256:/)
      .waitFor();
    await page.getByRole("alertdialog").getByRole("button", { name: "Accept the new host key" }).click();
    await page.getByText("The new host key is accepted: retry the job.").waitFor();
    await page.locator(":focus", { hasText: "Accept the new host key" }).waitFor();
    await page.getByRole("button", { name: "Retry" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Retry" }).click();
    await page.getByRole("heading", { name: "finished" }).waitFor();
    expect(one.complaints).toEqual([]);
    await replaced.stop();
  });
});
