/** The inventory in the console: import with preview, view, change, remove; limited keys see their part. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { logIn, openBrowser, type Pages, type Visitor, visit } from "../../../scripts/testbed/browser.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { adminKey, type Service, startService } from "../../../src/testkit/service.ts";

const document = JSON.stringify({
  groups: [{ name: "access", driver: "netmiko", platform: "cisco_ios", vars: { ntp: "10.0.0.9" } }],
  devices: [
    { name: "sw1", host: "10.1.0.1", group: "access", tags: ["lab"] },
    { name: "sw2", host: "10.2.0.1", group: "access", port: 2222 },
  ],
});

describe.skipIf(needs("chromium"))("the inventory in the console", () => {
  let browser: Pages;
  let service: Service;
  let one: Visitor;

  beforeAll(async () => {
    service = await startService();
    browser = await openBrowser();
    one = await visit(browser, service.url);
    await logIn(one, adminKey);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });
  const open = (view: string, visitor = one) => visitor.page.goto(`${service.url}/#/${view}`);
  const stored = async (name: string) =>
    (await service.call<Record<string, unknown>>("GET", `/inventory/device/${name}?effective=false`)).body
      .data;

  test("previews an import, then applies it", async () => {
    const { page } = one;
    await open("import");
    await page.getByLabel("format").selectOption("json");
    await page.getByLabel("Text").fill(document);
    await page.getByRole("button", { name: "Preview changes" }).click();
    await page.getByRole("heading", { name: "Would change: 3 added" }).waitFor();
    expect((await service.call("GET", "/inventory/device/sw1")).status).toBe(404);
    // Only what one has come for is filled.
    expect(await page.locator("main button:not(.quiet, .careful)").allTextContents()).toEqual(["Apply"]);
    await page.getByRole("button", { name: "Apply" }).click();
    const go = Promise.withResolvers<void>();
    await page.route("**/inventory/import?*", (route) => go.promise.then(() => route.continue()));
    await page.getByRole("alertdialog").getByRole("button", { name: "Apply" }).click();
    await page.getByRole("button", { name: "Apply …" }).waitFor({ timeout: 5_000 });
    go.resolve();
    await page.getByRole("heading", { name: "Done: 3 added" }).waitFor();
    expect(await stored("sw2")).toMatchObject({ host: "10.2.0.1", port: 2222 });
    await page.getByLabel("mode").selectOption("mirror");
    await page.getByLabel("Text").fill('{"devices": [{"name": "sw1", "host": "10.1.0.9"}]}');
    await page.getByRole("button", { name: "Preview changes" }).click();
    await page.getByRole("heading", { name: "0 added, 1 changed, 1 removed" }).waitFor();
    expect(await page.locator("del").allTextContents()).toContain("10.1.0.1");
    expect(await page.locator("ins").allTextContents()).toContain("10.1.0.9");
  });

  test("lists devices, and shows where the values of a device come from", async () => {
    const { page } = one;
    await open("devices?select=group:access");
    await page.getByText("2 of 2").waitFor();
    await page.getByLabel("Inventory selector").fill("tag:lab");
    await page.keyboard.press("Enter");
    await page.getByText("1 of 1").waitFor();
    await page.getByRole("link", { name: "sw1" }).click();
    await page.getByRole("heading", { name: "sw1" }).waitFor();
    const row = page.getByRole("row").filter({ hasText: "vars.ntp" });
    await row.waitFor();
    expect(await row.getByRole("cell").allTextContents()).toEqual(["vars.ntp", "10.0.0.9", "group:access"]);
    await row.getByRole("link", { name: "group:access" }).click();
    await page.getByRole("heading", { name: "access" }).waitFor();
    await page.getByRole("link", { name: "Its devices" }).click();
    await page.getByText("2 of 2").waitFor();
    expect([one.complaints, one.foreign]).toEqual([[], []]);
  });

  test("sorts a list by its heads, with the order in the address, and keeps the columns that were chosen", async () => {
    const { page } = one;
    await open("devices");
    const names = () => page.getByRole("row").locator("td:first-child").allTextContents();
    await expect.poll(async () => (await names()).length).toBeGreaterThan(1);
    const given = await names();
    await page.getByRole("button", { name: "host" }).click();
    await page.getByRole("button", { name: "host" }).click();
    await page
      .getByRole("columnheader", { name: "host", exact: false })
      .and(page.locator("[aria-sort=descending]"))
      .waitFor();
    expect(new URL(page.url()).hash).toContain("sort=-host");
    const falling = await names();
    expect(falling.toSorted()).toEqual(given.toSorted());
    await page.getByText("Columns, copy").click();
    await page.getByLabel("group", { exact: true }).uncheck();
    await page.reload();
    await expect.poll(names).toEqual(falling);
    expect(await page.getByRole("columnheader", { name: "group" }).count()).toBe(0);
    await page.getByText("Columns, copy").click();
    await page.getByLabel("group", { exact: true }).check();
    await page.getByRole("columnheader", { name: "group" }).waitFor();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy: Devices" }).click();
    await page.getByText("copied").waitFor();
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(copied.split("\n")[0]).toBe("device\tstate\thost\tdriver\tgroup\ttags");
    expect(
      copied
        .split("\n")
        .slice(1)
        .map((row) => row.split("\t")[0]),
    ).toEqual(falling);
    expect([one.complaints, one.foreign]).toEqual([[], []]);
  });

  test("sorts the tables of a page each alone", async () => {
    const { page } = one;
    const rows = ["ntp", "snmp"].flatMap((intent) =>
      ["sw1", "sw2"].map((device) => ({
        ...{ device, intent, state: "compliant", reason: null, needs_person: false, sections: [] },
        ...{ since: null, version: null, compared_at: null },
      })),
    );
    await page.route(
      ({ pathname }) => pathname === "/drift",
      (route) => route.fulfill({ json: { code: 200, message: "ok", data: rows } }),
    );
    await open("drift");
    await page.getByRole("button", { name: "device", exact: true }).nth(1).press("Enter");
    await expect.poll(() => page.locator("[aria-sort]").count()).toBe(1);
    expect(new URL(page.url()).hash).toContain("sort.snmp=device");
    await page.unrouteAll();
  });

  test("shows workers also while their jobs cannot be read", async () => {
    const { page } = one;
    const { data } = (await service.call<object[]>("GET", "/worker")).body;
    const busy = { ...data[0], name: "one.fifo.1", status: "busy", current_job: "0123-4567" };
    await page.route("**/worker", (route) =>
      route.fulfill({ json: { code: 200, message: "ok", data: [busy] } }),
    );
    await page.route("**/job?status=running*", (route) =>
      route.fulfill({ status: 503, json: { code: -1, message: "Not now." } }),
    );
    await open("workers");
    await page.getByRole("row", { name: /one.fifo.1/ }).waitFor();
    await page.unrouteAll();
    one.complaints.length = 0;
  });

  test("edits a device as written, and detects a concurrent change", async () => {
    const { page } = one;
    await open("device/sw2");
    await page.getByRole("button", { name: "Edit" }).click();
    const form = page.getByRole("region", { name: "The device as written" });
    expect(await form.getByLabel("host").inputValue()).toBe("10.2.0.1");
    await form.getByLabel("port").fill("70000");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").getByText("must be at most 65535").waitFor();
    await form.getByLabel("port").fill("");
    await form.getByLabel("tags").fill("lab, spare");
    await form.getByLabel("credential").fill("file:lab");
    await form.getByLabel("vars").fill('{"ntp": 7.0}');
    await page.getByRole("button", { name: "Save" }).click();
    await form.waitFor({ state: "detached" });
    const credential = { name: "file", ref: "lab" };
    expect(await stored("sw2")).toMatchObject({ tags: ["lab", "spare"], credential, group: "access" });
    await page.getByRole("row").filter({ hasText: "file:lab" }).waitFor();
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("button", { name: "As JSON" }).click();
    const editor = page.getByLabel("The device as written (JSON)");
    await editor.fill('{"name": "sw2", "host": "10.2.0.2", "group": "access"');
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").getByRole("paragraph").waitFor();
    await editor.fill('{"name": "sw2", "host": "10.2.0.2", "group": "access"}');
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("row").filter({ hasText: "10.2.0.2" }).waitFor();
    expect(await stored("sw2")).toMatchObject({ host: "10.2.0.2" });
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("button", { name: "As JSON" }).click();
    await editor.waitFor();
    await service.call("PATCH", "/inventory/device/sw2", { site: "berlin" });
    await editor.fill('{"name": "sw2", "host": "10.2.0.3"}');
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").getByRole("paragraph").waitFor();
    expect(await stored("sw2")).toMatchObject({ host: "10.2.0.2", site: "berlin" });
  });

  test("stores a credential and makes a key by forms; neither value is shown again", async () => {
    const { page } = one;
    await open("credentials");
    await page.getByRole("button", { name: "New credential" }).click();
    await page.getByLabel("reference", { exact: true }).fill("branch");
    await page.getByLabel("username", { exact: true }).fill("admin");
    await page.getByLabel("password", { exact: true }).fill("not-shown-again");
    await page.getByRole("button", { name: "Save" }).click();
    const stored = page.getByRole("row").filter({ hasText: "file:branch" });
    await stored.getByText("username, password").or(stored.getByText("password, username")).waitFor();
    expect(await page.content()).not.toContain("not-shown-again");
    await open("keys");
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("name", { exact: true }).fill("grafana");
    await page.getByLabel("scope", { exact: true }).selectOption("read");
    await page.getByLabel("hosts", { exact: true }).fill("10.1.0.0/16, sw*");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "The key grafana" }).waitFor();
    const made = page.getByRole("row").filter({ hasText: "10.1.0.0/16, sw*" });
    await made.getByText("read").waitFor();
    await made.getByText("never").waitFor();
    await open("groups");
    await page.getByRole("row").filter({ hasText: "access" }).getByRole("link", { name: "2" }).waitFor();
    await open("keys");
    expect(await page.getByText("pb_").count()).toBe(0);
    expect(one.foreign).toEqual([]);
  });

  test("creates and removes a device", async () => {
    const { page } = one;
    await open("devices");
    await page.getByRole("link", { name: "New device" }).click();
    await page.getByLabel("name", { exact: true }).fill("sw3");
    await page.getByLabel("host", { exact: true }).fill("10.1.0.3");
    await page.getByLabel("enabled").selectOption("true");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "sw3" }).waitFor();
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
    await page.getByText("2 of 2").waitFor();
    expect((await service.call("GET", "/inventory/device/sw3")).status).toBe(404);
  });

  test("runs on a selector; a push shows the number of devices first", async () => {
    const { page } = one;
    await open("run?select=tag:lab");
    await page.getByRole("status").getByText("1 device", { exact: true }).waitFor();
    await page.getByLabel("Inventory selector").fill("group:access");
    await page.getByRole("status").getByText("2 devices").waitFor();
    await page.getByLabel("from the inventory").check();
    await page.getByLabel("Inventory selector").fill("group:access");
    await page.getByLabel("configuration", { exact: true }).check();
    await page.getByLabel("dry run").uncheck();
    await page.getByLabel("Lines").fill("interface Loopback7");
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText("1 line to 2 devices: push, and save?").waitFor();
    await page.getByRole("button", { name: "Push" }).click();
    await page.getByRole("definition").filter({ hasText: "group:access" }).waitFor();
    await expect.poll(() => page.locator(".cell").count()).toBe(2);
    const [bulk] = (await service.call<{ id: string; select: string }[]>("GET", "/bulk")).body.data;
    expect(bulk).toMatchObject({ total: 2, select: "group:access" });
    await service.call("DELETE", `/bulk/${bulk?.id}?force=true`);
  });

  test("a limited key sees its own devices and cannot change them", async () => {
    const made = await service.call<{ key: string }>("POST", "/key", {
      ...{ name: "branch", scope: "operate", hosts: ["10.1.0.0/16"] },
    });
    const branch = await visit(browser, service.url);
    await logIn(branch, made.body.data.key);
    await open("devices", branch);
    await branch.page.getByText("1 of 1").waitFor();
    expect(await branch.page.getByRole("link", { name: "New device" }).count()).toBe(0);
    await open("device/sw1", branch);
    await branch.page.getByRole("heading", { name: "sw1" }).waitFor();
    expect(await branch.page.getByRole("button", { name: "Edit" }).count()).toBe(0);
    expect([branch.complaints, branch.foreign]).toEqual([[], []]);
    await branch.close();
  });
});
