/** The console's pages of configurations: versions of a device, what differs, changes, search, devices that need a look. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { logIn, openBrowser, type Pages, type Visitor, visit } from "../../../scripts/testbed/browser.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { freePort } from "../../../src/testkit/port.ts";
import { adminKey, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { makeKeyPair } from "../../../src/testkit/simulator/hostkey.ts";
import type { SimulatorOptions } from "../../../src/testkit/simulator/simulator.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";
import { violations } from "./console-looks.ts";
import { picture, turn } from "./console-steps.ts";

const login = { username: "admin", password: "device-password-1", secret: "enable-secret-1" };

describe.skipIf(needs("chromium"))("configurations", () => {
  let service: Service;
  let browser: Pages;
  let one: Visitor;
  let phone: Visitor;
  const hostKey = makeKeyPair();
  const devices = new Map<string, SimulatedDevice>();

  async function startDevice(name: string, options: Partial<SimulatorOptions> = {}) {
    const device = await simulated("arista_eos", {
      ...login,
      hostname: name,
      hostKey: hostKey.private,
      ...options,
    });
    devices.set(name, device);
    return device;
  }
  const take = (body: object) => service.call("POST", "/history/take", body, { Prefer: "wait=60" });
  const push = (name: string, ...config: string[]) => service.run({ device: name, config });

  beforeAll(async () => {
    service = await startService({ env: { PATCHBAY_HISTORY_AFTER_PUSH: "0" } });
    await service.call("PUT", "/credential/lab", login);
    const list = [];
    for (const name of ["ber-1", "ber-2", "gone"]) {
      const port = name === "gone" ? await freePort() : (await startDevice(name)).port;
      list.push({
        ...{ name, host: "127.0.0.1", port, driver: "netmiko", platform: "arista_eos" },
        credential: { name: "file", ref: "lab" },
      });
    }
    expect((await service.call("POST", "/inventory/device", { devices: list })).status).toBe(200);
    await take({ select: "all", note: "first look" });
    browser = await openBrowser();
    one = await visit(browser, service.url, { width: 1280 });
    await logIn(one, adminKey);
    phone = await visit(browser, service.url, { width: 360, dark: true });
    await logIn(phone, adminKey);
  }, 240_000);
  afterAll(async () => {
    await browser?.close();
    await service?.close();
    for (const device of devices.values()) await device.stop();
  });

  const open = async ({ page }: Visitor, address: string) => {
    await turn(page, service, address);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await expect.poll(() => page.getByText("Loading …").count()).toBe(0);
  };

  test("a new version appears while the page is open, and differs in the pushed line only", async () => {
    const { page } = one;
    await open(one, "device/ber-1");
    await page.getByRole("link", { name: "Configuration", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "ber-1" }).waitFor();
    const versions = page.getByRole("region", { name: "Versions" }).getByRole("listitem");
    await expect.poll(() => versions.count()).toBe(1);
    await page.getByText("interface Ethernet49/1", { exact: true }).waitFor();
    await push("ber-1", "interface Ethernet1", "no mtu 9214", "mtu 9000", "description rack 7");
    await take({ devices: ["ber-1"], note: "after CHG-7" });
    await expect.poll(() => versions.count()).toBe(2);
    await page.getByRole("link", { name: "compare 1 2" }).click();
    const sides = page.locator(".sides");
    await sides.waitFor();
    expect(await sides.locator("td.ins").allTextContents()).toContainEqual(
      expect.stringContaining("description rack 7"),
    );
    expect(new URL(page.url()).hash).toContain("from=1");
    await picture(page, "history-difference", true);
    await page.getByRole("link", { name: "By sections" }).click();
    const sections = page.getByRole("list", { name: "Difference 1 → 2" });
    await sections.waitFor();
    expect(await sections.locator(".ins").allTextContents()).toContainEqual(
      expect.stringContaining("added:   description rack 7"),
    );
    expect(await sections.getByRole("listitem").first().textContent()).toContain("interface Ethernet1");
    await picture(page, "history-sections", true);
    await page.getByRole("link", { name: "Side by side" }).click();
    await sides.waitFor();
  });

  test("a note is written, a line found, who wrote it told", async () => {
    const { page } = one;
    await open(one, "history/ber-1");
    await page.getByRole("button", { name: "Note 2" }).click();
    await page.getByRole("textbox", { name: "Note 2" }).fill("checked by alice");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("checked by alice").waitFor();
    await page.getByLabel("find in the text").fill("RACK 7");
    await page.getByText("1 line", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Next" }).click();
    await expect.poll(() => page.locator(".chosen code").textContent()).toBe("   description rack 7");
    await page.getByRole("button", { name: "Who wrote it" }).click();
    await expect
      .poll(() => page.locator(".margin a").allTextContents())
      .toContainEqual(expect.stringMatching(/^2 \d{4}-\d\d-\d\d /));
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download" }).click();
    expect((await saved).suggestedFilename()).toBe("ber-1-running-2.cfg");
    await picture(page, "history-text", true);
  });

  test("changes of the last day are listed with their difference", async () => {
    const { page } = one;
    await open(one, "changes");
    await page.getByRole("button", { name: "Difference: ber-1 2" }).click();
    await page.locator(".sides td.ins").first().waitFor();
    await picture(page, "changes", true);
  });

  test("a line is searched for, and leads to its place", async () => {
    const { page } = one;
    await open(one, "search");
    await page.getByLabel("Part of a line, or an expression").fill("description (rack|server) 1?7");
    await page.getByLabel("expression (RE2)").check();
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("3 lines on 2 devices").waitFor();
    expect(await page.getByText("interface Ethernet1", { exact: true }).count()).toBe(2);
    const marks = await page.locator("mark").allTextContents();
    expect(marks.sort()).toEqual(["description rack 7", "description server 17", "description server 17"]);
    await picture(page, "search", true);
    await page.getByLabel("Part of a line, or an expression").fill("(");
    await page.getByRole("button", { name: "Search" }).click();
    await page
      .getByText(/is not an expression/)
      .first()
      .waitFor();
    await page.goBack();
    await page.getByRole("region", { name: "ber-1" }).getByRole("link", { name: /^line/ }).last().click();
    await expect.poll(() => page.locator(".chosen code").textContent()).toContain("description");
  });

  test("suspects and devices without a configuration are named with the reason, and taken", async () => {
    const { page } = one;
    const device = devices.get("ber-2");
    await device?.stop();
    const transcripts = tempFolder();
    writeFileSync(join(transcripts, "show_running-config.txt"), "! device: ber-2\nhostname ber-2\n");
    await startDevice("ber-2", { port: device?.port ?? 0, transcripts });
    await open(one, "history?state=suspect");
    await page.getByText("No device is in this state.").waitFor();
    await open(one, "history/ber-2");
    await page.getByRole("button", { name: "Read now" }).click();
    await page.waitForURL(/#\/bulk\//);
    await open(one, "history?state=suspect");
    await page.getByRole("link", { name: "ber-2" }).waitFor();
    await page.getByText("the text does not end with the mark of this platform").waitFor();
    await page.getByRole("link", { name: "all", exact: true }).click();
    await page.getByText("failed: ConnectionRefused").waitFor();
    await picture(page, "history", true);
    await open(one, "history/ber-2");
    await page.getByText("suspect").first().waitFor();
    await picture(page, "history-suspect", true);
    // The browser itself logs the search that was refused.
    const others = one.complaints.filter((text) => !text.includes("regex=%28&"));
    expect([others, one.foreign]).toEqual([[], []]);
  });

  const addresses = [
    ...["history", "history/ber-1", "history/ber-1?blame=yes", "history/ber-1?from=1&version=2"],
    "history/ber-1?from=1&version=2&form=structured",
    ...["history/ber-2", "history/gone", "changes", "search?q=description"],
  ];
  test.each(addresses)("%s passes axe on a phone and is cut nowhere", async (address) => {
    const { page, complaints, foreign } = phone;
    await open(phone, address);
    if (address === "changes") await page.getByRole("button", { name: "Difference: ber-1 2" }).click();
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
    await picture(page, `phone-${address.replace(/\W+/g, "-")}`, true);
    expect([complaints.filter((text) => !text.includes("404")), foreign]).toEqual([[], []]);
  });

  test("a key without the right sees no entries, and the pages say what is missing", async () => {
    const made = await service.call<{ key: string }>("POST", "/key", { name: "plain", scope: "read" });
    const plain = await visit(browser, service.url);
    await logIn(plain, made.body.data.key);
    expect(await plain.page.getByRole("link", { name: "Versions" }).count()).toBe(0);
    for (const address of ["history", "history/ber-1", "changes", "search"]) {
      await open(plain, address);
      await plain.page.getByText("the right history is missing").waitFor();
    }
    expect(plain.complaints).toEqual([]);
    await plain.close();
  });
});
