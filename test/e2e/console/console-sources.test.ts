/** Inventory sources in the console: create, sync, remove; and discovery of devices. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import * as v from "valibot";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { logIn, openBrowser, type Pages, type Visitor, visit } from "../../../scripts/testbed/browser.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { labelOf } from "../../../src/console/text/labels.ts";
import { adminKey, type Service, startService } from "../../../src/testkit/service.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";
import { violations } from "./console-looks.ts";

describe.skipIf(needs("chromium"))("sources and discovery in the console", () => {
  let browser: Pages;
  let service: Service;
  let files: Server;
  let device: SimulatedDevice;
  let one: Visitor;
  let fleet = "";
  /** Content of the source. */
  let given = "name,host\nsw1,192.0.2.1\nsw2,192.0.2.2\n";

  beforeAll(async () => {
    files = createServer((_request, response) => response.end(given));
    await new Promise<void>((done) => files.listen(0, "127.0.0.1", done));
    const { port } = files.address() as AddressInfo;
    fleet = JSON.stringify({
      ...{ name: "fleet", kind: "url", url: `http://127.0.0.1:${port}/fleet.csv`, format: "csv" },
      ...{ mode: "mirror", max_removals: 0 },
    });
    device = await simulated("arista_eos", { hostname: "leaf1" });
    service = await startService({ env: { PATCHBAY_URL_ALLOW: "127.0.0.1" } });
    browser = await openBrowser();
    one = await visit(browser, service.url);
    await logIn(one, adminKey);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
    await device?.stop();
    files?.closeAllConnections();
    files?.close();
  });
  const open = (view: string, visitor = one) => visitor.page.goto(`${service.url}/#/${view}`);
  const surely = async (name: string) => {
    await one.page.getByRole("button", { name }).click();
    await one.page.getByRole("alertdialog").getByRole("button", { name }).click();
  };
  const deviceStatus = async (name: string) =>
    (await service.call("GET", `/inventory/device/${name}`)).status;
  /** Text of the cells in a table's rows. */
  const cells = (table: string) =>
    one.page.getByRole("table", { name: table }).getByRole("row").nth(1).getByRole("cell").allTextContents();

  test("creates a source, previews its changes and syncs it", async () => {
    const { page } = one;
    await page.getByRole("link", { name: "Sources", exact: true }).click();
    await page.getByText("No sources yet.").waitFor();
    await page.getByRole("link", { name: "New source" }).click();
    const form = page.getByRole("region", { name: "The source" });
    for (const [name, value] of Object.entries(v.parse(v.record(v.string(), v.unknown()), JSON.parse(fleet))))
      if (name === "mode") await form.getByLabel(labelOf(name), { exact: true }).selectOption(String(value));
      else await form.getByLabel(labelOf(name), { exact: true }).fill(String(value));
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "fleet" }).waitFor();
    await page.getByText("Not synced yet.").waitFor();
    await page.getByRole("button", { name: "Preview changes" }).click();
    await page.getByRole("heading", { name: "Would change: 2 added" }).waitFor();
    expect(await deviceStatus("sw2")).toBe(404);
    await surely("Sync now");
    await page.getByRole("heading", { name: "Done: 2 added" }).waitFor();
    await page.getByRole("table", { name: "Changes" }).getByRole("link", { name: "device sw2" }).waitFor();
    expect(await deviceStatus("sw2")).toBe(200);
    const newest = async () => (await cells("Syncs")).slice(1);
    const done = ["configured", "succeeded", "2 added, 0 changed, 0 removed, 0 unchanged"];
    await expect.poll(newest).toEqual(done);
    expect(await violations(one.page)).toEqual([]);
    expect([one.complaints, one.foreign]).toEqual([[], []]);
  });

  test("lists last and next sync, and shows API errors unchanged", async () => {
    const { page } = one;
    const at = new Date(Date.now() + 300 * 86_400_000).toISOString();
    const what = { kind: "sync", source: "fleet" };
    const made = await service.call("POST", "/schedule", { name: "nightly", at, what });
    expect(made.status).toBe(201);
    await open("sources");
    await page.getByRole("table", { name: "Sources" }).getByRole("link", { name: /in \d/ }).waitFor();
    const outcome = async () => (await cells("Sources")).slice(5, 7);
    expect(await outcome()).toEqual(["succeeded", "2 added, 0 changed, 0 removed, 0 unchanged"]);
    given = "name,host\nsw1,192.0.2.9\n";
    await surely("Sync now");
    await page.getByRole("alert").getByText("max_removals").first().waitFor();
    await expect
      .poll(outcome)
      .toEqual([
        expect.stringMatching(/^✕ failed Validation: max_removals: 1 would be removed/),
        expect.stringMatching(/^Would change: .*1 removed/),
      ]);
    expect(await deviceStatus("sw2")).toBe(200);
    await page.getByRole("table", { name: "Sources" }).getByRole("link", { name: /in \d/ }).click();
    await page.getByRole("heading", { name: "nightly" }).waitFor();
    expect(one.foreign).toEqual([]);
  });

  test("edits, syncs and removes a source without duplicating it; its devices stay", async () => {
    const { page } = one;
    await open("source/fleet");
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const removals = page.getByRole("region", { name: "The source" }).getByLabel("removals at most");
    expect(await removals.inputValue()).toBe("0");
    await removals.fill("-1");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").getByText("must be at least 0").waitFor();
    await page.getByRole("button", { name: "As JSON" }).click();
    const form = page.getByLabel("The source (JSON)");
    await form.fill((await form.inputValue()).replace('"max_removals": 0', '"max_removals": 1'));
    await page.getByRole("button", { name: "Save" }).click();
    await form.waitFor({ state: "hidden" });
    await open("sources");
    await surely("Sync now");
    await page.getByRole("status").getByText("fleet: Done: 0 added, 1 changed, 1 removed").waitFor();
    await open("source");
    await page.getByRole("button", { name: "As JSON" }).click();
    await page.getByLabel("The source (JSON)").fill(fleet.replace("fleet", "Fleet"));
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").getByText("A source with this name exists").waitFor();
    await open("source/fleet");
    await surely("Remove");
    await page.getByText("No sources yet.").waitFor();
    expect([await deviceStatus("sw1"), await deviceStatus("sw2")]).toEqual([200, 404]);
  });

  test("discovers devices and adds detected platforms to the inventory", async () => {
    const { page } = one;
    const host = "127.0.0.1";
    await service.call("POST", "/inventory/device", {
      devices: [
        { name: "leaf", host, port: device.port, tags: ["lab"] },
        { name: "shut", host, port: 9, driver: "netmiko", platform: "cisco_ios", tags: ["lab"] },
      ],
    });
    await open("discover?select=tag:lab");
    await page.getByRole("status").getByText("2 devices").waitFor();
    await page.getByLabel("username").fill(device.username);
    await page.getByLabel("password").fill(device.password);
    await page.getByRole("button", { name: "Discover" }).click();
    const row = (name: string) =>
      page.getByRole("table", { name: "Findings" }).getByRole("row").filter({ hasText: name });
    await row("shut").getByText("ConnectionRefused").waitFor();
    // Its platform is detected first, then the device is queried.
    await row("leaf").getByText("Arista", { exact: true }).waitFor({ timeout: 150_000 });
    expect(await violations(one.page)).toEqual([]);
    const platform = async () =>
      (await service.call<{ platform: string | null }>("GET", "/inventory/device/leaf")).body.data.platform;
    expect(await platform()).toBeNull();
    const take = page.getByRole("button", { name: "Use arista_eos" });
    await take.click();
    await take.waitFor({ state: "detached" });
    expect(await platform()).toBe("arista_eos");
    expect([one.complaints.filter((text) => !text.includes("422")), one.foreign]).toEqual([[], []]);
  });

  test.each([
    ["operate", []],
    ["admin", ["192.0.2.0/24"]],
  ])(
    "a key of scope %s for the hosts %j is offered no source and no platform changes",
    async (scope, hosts) => {
      const body = { name: `${scope}-limited`, scope, hosts };
      const made = await service.call<{ key: string }>("POST", "/key", body);
      const person = await visit(browser, service.url);
      await logIn(person, made.body.data.key);
      await person.page.getByRole("link", { name: "Schedules", exact: true }).waitFor();
      expect(await person.page.getByRole("link", { name: "Sources", exact: true }).count()).toBe(0);
      await open("sources", person);
      await person.page.getByRole("alert").getByRole("paragraph").waitFor();
      expect(await person.page.getByRole("link", { name: "New source" }).count()).toBe(0);
      await person.page.getByRole("link", { name: "Discovery", exact: true }).click();
      await person.page.getByRole("button", { name: "Discover" }).waitFor();
      expect(await person.page.getByRole("checkbox").count()).toBe(0);
      await person.close();
    },
  );
});
