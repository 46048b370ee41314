/**
 * The journeys of docs/background/console-design.md in Debian's Chromium, on simulated switches of which three are broken:
 * with no more clicks than the page says, at each width, light and dark (in a plain run on one screen and one phone), without a complaint of the browser or of axe;
 * and with a replaced host key, a killed service and a full disk in the middle.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { logIn, openBrowser, type Pages, type Visitor, visit } from "../../../scripts/testbed/browser.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { freePort } from "../../../src/testkit/port.ts";
import { adminKey, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { sampled } from "../../support/sampled.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";
import { faultless, faultlessInEveryLook, listened } from "./console-looks.ts";
import { turn } from "./console-steps.ts";

const mayMount = process.getuid?.() === 0 && process.platform === "linux";
const design = readFileSync("docs/background/console-design.md", "utf8");
const password = "canary-password-37";
const looks = [
  { width: 1280, dark: false },
  { width: 768, dark: true },
  { width: 360, dark: false },
  { width: 360, dark: true },
] as const;
/** Those that answer. */
const good = ["acc-01", "acc-02", "acc-04", "acc-05", "acc-06"];
const refused = "acc-03";
const locked = "acc-07";
/** Loses its connection in the middle of a long push. */
const lost = "acc-08";
/** Types slowly, so that its job runs until it is stopped. */
const slow = "lab-slow";
/** Gets another host key in the middle. */
const replaced = "lab-new";

interface Journey {
  readonly page: Page;
  /** Fewest clicks, as the design tells them. */
  readonly name: string;
}

describe.skipIf(needs("chromium") || !mayMount)("the journeys of an operator", () => {
  const folder = tempFolder();
  const disk = join(folder, "disk");
  const devices: SimulatedDevice[] = [];
  let newer: SimulatedDevice;
  let browser: Pages;
  let service: Service;
  const start = (port: number) =>
    startService({ dataDir: join(disk, "data"), port, env: { PATCHBAY_MIN_FREE_MB: "80" } });

  beforeAll(async () => {
    mkdirSync(disk);
    execFileSync("/bin/mount", ["-t", "tmpfs", "-o", "size=400m", "tmpfs", disk]);
    [service, browser] = await Promise.all([freePort().then(start), openBrowser()]);
    const ports: Record<string, number> = { [refused]: 9 };
    const add = async (name: string, options: Parameters<typeof simulated>[1]) => {
      const device = await simulated("cisco_ios", { hostname: name, password, ...options });
      devices.push(device);
      ports[name] = device.port;
      return device;
    };
    for (const name of good) await add(name, { latencyMs: 5 });
    await add(locked, { password: "another-password-37" });
    await add(lost, { faults: { dropAfter: 6_000 } });
    await add(slow, { faults: { trickleMs: 60 } });
    newer = await add(replaced, {});
    await service.call("PUT", "/credential/lab", { username: "admin", password, secret: newer.secret });
    const made = await service.call("POST", "/inventory/device", {
      groups: [
        {
          name: "switches",
          driver: "netmiko",
          platform: "cisco_ios",
          credential: { name: "file", ref: "lab" },
        },
        ...["access", "lab"].map((name) => ({ name, parent: "switches" })),
      ],
      devices: Object.entries(ports).map(([name, port], at) => ({
        ...{ name, host: `127.37.0.${at + 1}`, port, site: "berlin" },
        group: name.startsWith("lab") ? "lab" : "access",
      })),
    });
    expect(made.status).toBe(200);
    const wait = { Prefer: "wait=60" };
    const checked = { select: "group:access", command: ["show version", "show ip interface brief"] };
    const options = { label: "evening check", ticket: "CHG-37" };
    await service.call("POST", "/device/bulk", { ...checked, options }, wait);
    const lines = Array.from({ length: 200 }, (_, n) => `ip route 192.0.2.${n} 255.255.255.255 Null0`);
    await service.call("POST", "/device/bulk", { devices: [{ device: lost }], config: lines }, wait);
    await service.call("POST", "/history/take", { select: "group:access" }, wait);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
    await Promise.all(devices.map((one) => one.stop()));
    execFileSync("/bin/umount", ["-l", disk]);
    rmSync(folder, { recursive: true, force: true });
  });

  /** Begins at the overview, and ends with no more clicks than the design tells, with nothing to find for axe and ears. */
  async function journey({ page, name }: Journey, way: () => Promise<unknown>): Promise<void> {
    await turn(page, service, "overview");
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await page.evaluate("sessionStorage.clicks = 0");
    await way();
    const clicks = Number(await page.evaluate("sessionStorage.clicks"));
    expect({ name, clicks }).toEqual({ name, clicks: told(name) });
    await faultless(page);
  }
  /** Until it is stopped. */
  async function runSlow(label: string): Promise<string> {
    const { body } = await service.call<{ bulk_id: string }>("POST", "/device/bulk", {
      ...{ devices: [{ device: slow }, { device: "acc-04" }], command: "show version" },
      ...{ connection_args: { timeout: 600 }, options: { label, ttl: 1_200 } },
    });
    const id = body.data.bulk_id;
    const counts = async () =>
      (await service.call<{ counts: object }>("GET", `/bulk/${id}`)).body.data.counts;
    await expect.poll(counts).toMatchObject({ running: 1, finished: 1 });
    return id;
  }
  async function go(page: Page, name: string): Promise<void> {
    await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
  }

  const kindOf = ({ width }: (typeof looks)[number]) => (width === 360 ? "phone" : "screen");
  describe.each(sampled(looks, 2, kindOf))("at $width pixels, dark: $dark", ({ width, dark }) => {
    let one: Visitor;
    let page: Page;
    const tell = `${width}${dark ? "-dark" : ""}`;
    /** What has broken down is seen in every look, of the first one. */
    const isFirst = width === 1280;
    const brokenDown = () => (isFirst ? faultlessInEveryLook(page, { width, dark }) : faultless(page));
    beforeAll(async () => {
      one = await visit(browser, service.url, { width, dark });
      page = one.page;
      await one.context.addInitScript(
        // Those that reach the page: the driver takes back, at the window, one that would hit what has moved there.
        "document.addEventListener('pointerdown', () => { sessionStorage.clicks = Number(sessionStorage.clicks ?? 0) + 1; }, true)",
      );
      await page.reload();
      await logIn(one, adminKey);
    });
    afterAll(async () => {
      expect([one.complaints, one.foreign]).toEqual([[], []]);
      await one.close();
    });

    test("what is wrong now", async () => {
      await journey({ page, name: "What is wrong now?" }, async () => {
        await named(page, "ConnectionRefused", refused).waitFor();
        await named(page, "AuthenticationFailed", locked).waitFor();
        await named(page, "ConnectionLost", lost).waitFor();
      });
    });

    test("why did it fail, and what now", async () => {
      await journey({ page, name: "Why did it fail, and what now?" }, async () => {
        await named(page, "ConnectionRefused", refused).click();
        await page.getByRole("heading", { level: 2, name: "ConnectionRefused" }).waitFor();
        await page.getByText("Check the port").waitFor();
        await page.getByRole("button", { name: "Retry" }).click();
        await page.getByRole("alertdialog").getByRole("button", { name: "Retry" }).click();
        await page.getByText(/^retry of/).waitFor();
        await page.getByRole("heading", { level: 2, name: "ConnectionRefused" }).waitFor();
      });
    });

    test("what do they say", async () => {
      await journey({ page, name: "What do they say?" }, async () => {
        await go(page, "Bulks");
        await page
          .getByRole("row", { name: /evening check/ })
          .getByRole("link", { name: "Results" })
          .click();
        await page.getByRole("heading", { name: "show ip interface brief the same on 6 devices" }).waitFor();
        await page.getByRole("heading", { name: "AuthenticationFailed on 1 device" }).waitFor();
      });
    });

    test("run and push", async () => {
      await journey({ page, name: "Run and push" }, async () => {
        await go(page, "Run");
        await page.getByLabel("Inventory selector").fill("name:acc-01 or name:acc-02");
        await page.getByText("2 devices", { exact: true }).waitFor();
        await page.getByLabel("configuration", { exact: true }).check();
        await page.getByLabel("Lines").fill(`interface Loopback7\ndescription ${tell}`);
        await page.getByRole("button", { name: "Run", exact: true }).click();
        await page.getByRole("list", { name: "Devices" }).waitFor();
        await expect.poll(() => page.locator(".cell.finished").count()).toBe(2);
        await page.locator("h1 .badge", { hasText: "dry run" }).waitFor();
        await page.getByRole("button", { name: "Push it" }).click();
        await page.getByText("2 lines to 2 devices: push, and save?").waitFor();
        await page.getByRole("alertdialog").getByRole("button", { name: "Push" }).click();
        await page.locator("h1 .badge").waitFor({ state: "detached" });
        await expect.poll(() => page.locator(".cell.finished").count()).toBe(2);
      });
    });

    test("a device", async () => {
      await journey({ page, name: "A device" }, async () => {
        await page.keyboard.press("/");
        await page.getByRole("combobox", { name: /^Device, address/ }).fill("acc-05");
        await page
          .getByRole("option", { name: /acc-05/ })
          .first()
          .waitFor();
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { level: 1, name: "acc-05" }).waitFor();
        await page.getByRole("button", { name: "Test login" }).click();
        await page.getByRole("status").filter({ hasText: "logged in" }).waitFor();
      });
    });

    test("a change", async () => {
      await journey({ page, name: "A change" }, async () => {
        await go(page, "Changes");
        await page.getByRole("link", { name: "New change" }).click();
        await page.getByLabel("name: what it is for").fill(`NTP ${tell}`);
        await page.getByLabel("Inventory selector").fill("name:acc-06");
        await page.getByText("1 device", { exact: true }).waitFor();
        await page.getByLabel("Lines", { exact: true }).fill("ntp server 192.0.2.5");
        await page.getByLabel("votes that it needs").fill("0");
        await page.getByRole("button", { name: "Save draft" }).click();
        await page.getByRole("button", { name: "Plan", exact: true }).click();
        await page.getByRole("button", { name: "Start" }).click();
        await page.getByRole("alertdialog").getByRole("button", { name: "Start" }).click();
        await page.getByRole("heading", { level: 1, name: /done$/ }).waitFor();
      });
    });

    test("find", async () => {
      await journey({ page, name: "Find" }, async () => {
        await page.keyboard.press("/");
        await page.getByRole("combobox", { name: /^Device, address/ }).fill("CHG-37");
        await page
          .getByRole("option", { name: /CHG-37/ })
          .first()
          .waitFor();
        await page.keyboard.press("Enter");
        await page.getByText("CHG-37").first().waitFor();
      });
    });

    test("an output is searched, numbered and wrapped", async () => {
      const shown = await service.run({ device: "acc-02", command: "show version" });
      await page.goto(`${service.url}/#/job/${shown.id}`);
      const output = page.getByRole("region", { name: "Text of show version" });
      await output.getByText("Configuration register").waitFor();
      await page.getByLabel("Find in show version").fill("SOFTWARE (");
      await page.getByText("3 found").waitFor();
      expect(await output.locator("mark").allTextContents()).toEqual([
        ...["Software (", "SOFTWARE (", "SOFTWARE ("],
      ]);
      await page.getByRole("button", { name: "Next" }).click();
      await page.getByRole("button", { name: "Next" }).click();
      expect(await output.locator("mark.chosen").textContent()).toBe("SOFTWARE (");
      await page.getByLabel("line numbers").check();
      const lines = ((await output.locator("pre").last().textContent()) ?? "").split("\n").length;
      expect((await output.locator(".gutter").textContent())?.endsWith(`\n${lines}`)).toBe(true);
      await page.getByLabel("wrap").check();
      expect(await output.locator(".gutter").count()).toBe(0);
      const wide = "((box) => box.scrollWidth - box.clientWidth)(document.querySelector('.viewer'))";
      expect(await page.evaluate(wide)).toBeLessThanOrEqual(0);
    });

    test("stop it", async () => {
      await runSlow(`slow at ${tell}`);
      await journey({ page, name: "Stop it" }, async () => {
        await page.getByRole("link", { name: `slow at ${tell}` }).click();
        await page.getByRole("button", { name: "Stop running jobs" }).click();
        await page.getByRole("alertdialog").getByRole("button").first().click();
        await page.locator(".cell.failed, .cell.cancelled").waitFor();
      });
    });

    test("the key of a replaced device is accepted, and the retry works", async () => {
      const show = { device: replaced, command: "show version", driver_args: { fresh: true } };
      expect((await service.run(show)).status).toBe("finished");
      const { port, secret } = newer;
      await newer.stop();
      newer = await simulated("cisco_ios", { hostname: replaced, password, port, secret });
      devices.push(newer);
      expect((await service.run(show)).status).toBe("failed");
      await page.goto(`${service.url}/#/overview`);
      await named(page, "HostKeyMismatch", replaced).click();
      await page.getByText("presented").waitFor();
      await brokenDown();
      await page.getByRole("button", { name: "Accept the new host key" }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Accept the new host key" }).click();
      await page.getByRole("button", { name: "Retry" }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Retry" }).click();
      await page.getByRole("heading", { level: 1, name: /finished$/ }).waitFor();
      await faultless(page);
    });

    test("a bulk is watched while the service is killed and comes back, and then stopped", async () => {
      const id = await runSlow(`killed at ${tell}`);
      await page.goto(`${service.url}/#/bulk/${id}`);
      await page.locator(".cell.running").waitFor();
      const said = await listened(page);
      const port = Number(new URL(service.url).port);
      await service.kill();
      await page.getByText("The service is unreachable.").first().waitFor();
      await brokenDown();
      service = await start(port);
      await page.getByText("The service is unreachable.").first().waitFor({ state: "hidden" });
      await page.locator(".cell.finished").waitFor();
      await page.getByRole("button", { name: "Stop running jobs" }).click();
      await page.getByRole("alertdialog").getByRole("button").first().click();
      await page.locator(".cell.failed, .cell.cancelled").waitFor();
      await page.getByText("stopped", { exact: true }).waitFor();
      // Each news once, whatever events tell of it.
      expect(await said()).toEqual([expect.stringContaining("unreachable"), "stopped"]);
      await faultless(page);
      forgive(one);
    });

    // Long to wait for, and the same at each width: seen in every look of the first one, outlived on a phone as well.
    const outlived = isFirst || (width === 360 && dark) ? test : test.skip;
    outlived(
      "a full disk is said on the page that one is on, work is refused with the reason, and then taken",
      async () => {
        const ballast = join(disk, "ballast");
        await page.goto(`${service.url}/#/run`);
        await page.getByLabel("Devices, one per line").fill("acc-01");
        await page.getByLabel("Lines").fill("show version");
        writeFileSync(ballast, Buffer.alloc(330 * 1024 * 1024));
        const banner = page.locator(".not-ready", { hasText: "No work is accepted now" });
        await banner.getByText("MiB free").waitFor();
        await page.getByRole("button", { name: "Run", exact: true }).click();
        await page.getByRole("main").getByText(/disk/).first().waitFor();
        expect(await page.getByLabel("Lines").inputValue()).toBe("show version");
        await brokenDown();
        rmSync(ballast);
        await banner.waitFor({ state: "detached" });
        await page.getByRole("button", { name: "Run", exact: true }).click();
        await page.getByRole("heading", { level: 1, name: /finished$/ }).waitFor();
        await faultless(page);
        forgive(one);
      },
    );
  });
});

/** The browser tells of requests that were refused or not answered. */
function forgive({ complaints }: Visitor): void {
  const others = complaints.filter((text) => !text.startsWith("Failed to load resource"));
  complaints.splice(0, complaints.length, ...others);
}

/** A device's link beside its cause in the overview. */
function named(page: Page, cause: string, device: string): Locator {
  const attention = page.getByRole("region", { name: "Needs attention" });
  return attention.getByRole("listitem").filter({ hasText: cause }).getByRole("link", { name: device });
}

/** The clicks of a journey, from the table of the design. */
function told(name: string): number {
  const row = design.split("\n").find((line) => line.startsWith(`| ${name} |`));
  return Number(row?.split("|").at(-2));
}
