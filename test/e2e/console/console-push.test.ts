/** Pushes in the console, in Debian's Chromium: templates with checks, dry runs, what was sent. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { logIn, openBrowser, type Pages, type Visitor, visit } from "../../../scripts/testbed/browser.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { adminKey, type Service, startService } from "../../../src/testkit/service.ts";
import { startCliServer } from "../../drivers/napalm/cli-server.ts";
import { createModel } from "../../drivers/napalm/eos/model.ts";
import { terminalOf } from "../../drivers/napalm/eos/terminal.ts";
import { password as modelPassword } from "../../drivers/napalm/open.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";

const template =
  "interface Loopback{{ id }}\n description {{ (vars | default({})).site | default('none') }}\n";

describe.skipIf(needs("chromium"))("a push in the console", () => {
  let browser: Pages;
  let service: Service;
  let device: SimulatedDevice;
  let one: Visitor;
  beforeAll(async () => {
    [device, service, browser] = await Promise.all([
      simulated("cisco_ios", { hostname: "SW1" }),
      startService(),
      openBrowser(),
    ]);
    await service.call("PUT", "/credential/lab", {
      ...{ username: device.username, password: device.password, secret: device.secret },
    });
    await service.call("POST", "/inventory/device", {
      devices: ["ber-1", "par-1"].map((name) => ({
        ...{ name, host: "127.0.0.1", port: device.port, platform: "cisco_ios", driver: "netmiko" },
        ...{ credential: { name: "file", ref: "lab" }, vars: { site: name.slice(0, 3) } },
      })),
    });
    one = await visit(browser, service.url);
    await logIn(one, adminKey);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
    await device?.stop();
  });

  const sent = async (host: string) => {
    const { body } = await service.call<{ id: string; device: string }[]>("GET", "/job?operation=config");
    const job = body.data.find((record) => record.device === host);
    return (await service.call<{ lines: string[]; dialogue: string }>("GET", `/job/${job?.id}/sent`)).body
      .data;
  };

  /** Opens the form for devices of the inventory. */
  async function form() {
    const { page } = one;
    await page.goto(`${service.url}/#/overview`);
    await page.goto(`${service.url}/#/run`);
    await page.getByLabel("from the inventory").check();
    await page.getByLabel("parsing").waitFor();
    await page.getByLabel("configuration from a template").check();
    await page.getByLabel("parsing").waitFor({ state: "detached" });
    await page.getByLabel("Template", { exact: true }).fill(template);
    await page.getByLabel("Variables (JSON)").fill('{"id": 7}');
    return page;
  }

  test("of a template goes onto the devices, checked and saved, after what each gets was shown", async () => {
    const page = await form();
    await page.getByLabel("Devices, one per line").fill("ber-1\npar-1");
    await page.getByLabel("dry run").uncheck();
    await page.getByText("is saved on the devices after the push, unless this is unticked").waitFor();
    expect(await page.getByLabel("save on the devices").isChecked()).toBe(true);
    await page.getByText("Checks around the push").click();
    await page
      .getByLabel("Checks, one per line")
      .fill("before: show version contains Cisco\nafter: show running-config contains Loopback7");
    await page.getByRole("button", { name: "Run" }).click();
    const dialogue = page.getByRole("alertdialog", { name: "Push" });
    await dialogue.getByRole("region", { name: "Rendered for ber-1" }).getByText("description ber").waitFor();
    await dialogue.getByRole("region", { name: "Rendered for par-1" }).getByText("description par").waitFor();
    await dialogue.getByText("The template to 2 devices: push, and save?").waitFor();
    await dialogue.getByRole("button", { name: "Push" }).click();
    await page.getByRole("list", { name: "Devices" }).waitFor();
    await expect.poll(() => page.locator(".cell.finished").count()).toBe(2);
    expect(await sent("ber-1")).toMatchObject({
      lines: ["interface Loopback7", " description ber"],
      dialogue: expect.stringContaining("write memory"),
    });
    await page.locator(".cell.finished").first().click();
    await page.getByRole("table", { name: "Checks" }).getByRole("row").nth(2).waitFor();
    expect(one.complaints).toEqual([]);
  });

  test("is not saved if that is unticked, and says so before and in the question", async () => {
    const page = await form();
    await page.getByLabel("Inventory selector").fill("name:par-1");
    await page.getByLabel("dry run").uncheck();
    await page.getByLabel("save on the devices").uncheck();
    await page.getByText("Not saved: a restart of the device takes the change back.").waitFor();
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText("The template to 1 device: push, without saving?").waitFor();
    await page.getByRole("button", { name: "Push" }).click();
    await expect.poll(() => page.locator(".cell.finished").count()).toBe(1);
    expect((await sent("par-1")).dialogue).not.toContain("write memory");
  });

  test("that cannot be rendered for a device cannot be confirmed", async () => {
    const page = await form();
    await page.getByLabel("Template", { exact: true }).fill("ntp server {{ vars.ntp.first }}");
    await page.getByLabel("Devices, one per line").fill("ber-1");
    await page.getByLabel("dry run").uncheck();
    await page.getByRole("button", { name: "Run" }).click();
    await page
      .getByRole("alert")
      .getByText(/^ber-1: /)
      .waitFor();
    expect(await page.getByRole("button", { name: "Push" }).isDisabled()).toBe(true);
    one.complaints.length = 0;
  });

  test("shows the device's own difference with what was sent, where the driver obtains one", async () => {
    const server = await startCliServer(terminalOf(createModel()));
    const { id } = await service.run({
      ...{ driver: "napalm", config: ["vlan 20", "   name NEW"] },
      connection_args: {
        ...{ device_type: "eos", hostname: "127.0.0.1", username: "admin", password: modelPassword },
        ...{ host_key_policy: "warning", optional_args: { transport: "ssh", port: server.port } },
      },
    });
    const { page } = one;
    await page.goto(`${service.url}/#/job/${id}`);
    await page.getByRole("button", { name: "Show what was sent" }).click();
    const said = page.getByRole("region", { name: "What was sent" });
    await said.getByRole("heading", { name: "Difference" }).waitFor();
    await said.getByText("+vlan 20").first().waitFor();
    await server.close();
  });

  test("typed for a dry run is forgotten with the session: whoever logs in next on the page cannot push it", async () => {
    const page = await form();
    await page.getByLabel("Devices, one per line").fill("ber-1");
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByRole("button", { name: "Push it" }).waitFor();
    const job = page.url();
    await page.getByRole("button", { name: "Log out" }).click();
    await logIn(one, adminKey);
    expect(page.url()).toBe(job);
    await page.getByRole("heading", { name: "finished" }).waitFor();
    expect(await page.getByRole("button", { name: "Push it" }).count()).toBe(0);
    await page.goto(job.replace(/#\/job\//, "#/run?push="));
    await page.getByLabel("Devices, one per line").waitFor();
    expect(await page.getByLabel("Devices, one per line").inputValue()).toBe("");
    expect(await page.getByRole("alertdialog").count()).toBe(0);
  });

  test("that is a dry run has a badge wherever it is seen, and says what was sent", async () => {
    const page = await form();
    await page.getByLabel("Devices, one per line").fill("ber-1");
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByRole("heading", { name: "finished" }).waitFor();
    await page.getByRole("heading", { level: 1 }).locator(".badge", { hasText: "dry run" }).waitFor();
    await page.getByText("Not compared with the device").waitFor();
    await page.goto(`${service.url}/#/jobs`);
    await page.locator(".badge", { hasText: "dry run" }).first().click();
    await page.getByRole("heading", { level: 1 }).locator(".badge", { hasText: "dry run" }).waitFor();
    const pushed = await service.call<{ id: string }[]>(
      "GET",
      "/job?dry_run=false&driver=netmiko&operation=config",
    );
    await page.goto(`${service.url}/#/job/${pushed.body.data[0]?.id}`);
    await page.getByRole("button", { name: "Show what was sent" }).click();
    const said = page.getByRole("region", { name: "What was sent" });
    await said.getByText("interface Loopback7").first().waitFor();
    await said.getByRole("heading", { name: "Answered" }).waitFor();
    expect(await page.locator("h1 .badge").count()).toBe(0);
    expect(one.complaints).toEqual([]);
  });
});
