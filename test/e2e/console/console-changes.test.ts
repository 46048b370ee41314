/** The console's pages of changes: drafted and voted on by two persons, started, watched on a phone, stopped and returned. */
import { spawnSync } from "node:child_process";
import process from "node:process";
import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { logIn, openBrowser, type Pages, type Visitor, visit } from "../../../scripts/testbed/browser.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import type { ChangeDetail, ChangeTarget } from "../../../src/api/changes/change.ts";
import { adminKey, programOf } from "../../../src/testkit/service.ts";
import { type SignInPlace, startSignInPlace } from "../../support/oidc.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";
import { violations } from "./console-looks.ts";
import { picture, turn } from "./console-steps.ts";

const login = { username: "admin", password: "device-password-1", secret: "enable-secret-1" };
const names = ["acc-1", "acc-2", "acc-3", "acc-4", "acc-5"];
const [program, ...begin] = programOf();

describe.skipIf(needs("chromium"))("changes", () => {
  const devices: SimulatedDevice[] = [];
  let place: SignInPlace;
  let browser: Pages;
  let anna: Visitor;
  let ben: Visitor;
  let phone: Visitor;
  let id = "";

  beforeAll(async () => {
    place = await startSignInPlace({
      persons: [
        { subject: "p-anna", name: "anna", groups: ["netops"] },
        { subject: "p-ben", name: "ben", groups: ["netops"] },
      ],
      env: { PATCHBAY_MCP: "propose" },
    });
    // On the machine of the service: its admin key cannot give a right that it does not have.
    const role = ["role", "put", "netops", "--scope", "operate", "--group", "netops"];
    const put = spawnSync(program, [...begin, ...role, "--rights", "approve,history"], {
      encoding: "utf8",
      env: { PATH: process.env.PATH, PATCHBAY_DATA_DIR: place.service.dataDir },
    });
    expect(put.status, put.stderr).toBe(0);
    const { call } = place.service;
    await call("PUT", "/credential/lab", login);
    const list = [];
    for (const name of names) {
      const device = await simulated("arista_eos", { ...login, hostname: name });
      devices.push(device);
      const at = { host: "127.0.0.1", port: device.port, driver: "netmiko", platform: "arista_eos" };
      list.push({ name, ...at, credential: { name: "file", ref: "lab" }, tags: ["lab"], site: "berlin" });
    }
    expect((await call("POST", "/inventory/device", { devices: list })).status).toBe(200);
    await call("POST", "/history/take", { select: "tag:lab" }, { Prefer: "wait=60" });
    browser = await openBrowser();
    anna = await signedIn("anna");
    ben = await signedIn("ben", { dark: true });
    phone = await visit(browser, place.service.url, { width: 360, anyCertificate: true });
    await logIn(phone, adminKey);
  }, 240_000);
  afterAll(async () => {
    await browser?.close();
    await place?.stop();
    for (const device of devices) await device.stop();
  });

  async function signedIn(name: string, look: { dark?: boolean } = {}): Promise<Visitor> {
    const visitor = await visit(browser, place.service.url, { ...look, anyCertificate: true });
    const { page } = visitor;
    await page.getByRole("link", { name: "Sign in with corp" }).click();
    await page.getByLabel("Name").fill(name);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("navigation").waitFor();
    return visitor;
  }
  const open = async ({ page }: Visitor, address: string) => {
    await turn(page, place.service, address);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await expect.poll(() => page.getByText("Loading …").count()).toBe(0);
  };
  const state = (page: Page, word: string) =>
    page.getByRole("heading", { level: 1, name: new RegExp(`\\S ${word}$`) }).waitFor();
  const read = async () => (await place.service.call<ChangeDetail>("GET", `/change/${id}`)).body.data;
  /** Draft as anna, by the API of her session. */
  async function draft(page: Page, more: object): Promise<string> {
    const body = {
      ...{ name: "NTP of Berlin", ticket: "CHG-1042", select: "tag:lab", config: "ntp server 192.0.2.1" },
      ...{ strategy: { canary: 1, waves: ["2", "100%"] }, ...more },
    };
    const answer = await page.evaluate<string>(
      `fetch("/change", { method: "POST", headers: { "Content-Type": "application/json" }, body: ${JSON.stringify(JSON.stringify(body))} }).then((answer) => answer.text())`,
    );
    const { data }: { data: ChangeDetail } = JSON.parse(answer);
    return data.id;
  }
  const failing = {
    config: ["ntp server 192.0.2.9"],
    checks: {
      after: [{ command: "show running-config", contains: "ntp server 198.51.100.77" }],
      on_failure: "keep",
    },
  };

  test("a change is drafted by its form, edited without its lines, planned and done", async () => {
    const { page } = anna;
    // The provider's page has no icon.
    const before = anna.complaints.length;
    await open(anna, "change");
    await page.getByRole("link", { name: "New change" }).click();
    await page.getByLabel("name: what it is for").fill("Banner of acc-5");
    await page.getByLabel("Inventory selector").fill("name:acc-5");
    await page.getByText("1 device", { exact: true }).waitFor();
    await page.getByLabel("Lines", { exact: true }).fill("ntp server 192.0.2.5");
    await page.getByText("Checks around the push").click();
    await page.getByLabel("Checks, one per line").fill("after: show version contains EOS");
    await page.getByLabel("votes that it needs").fill("0");
    expect(await page.getByLabel("waves after it").getAttribute("placeholder")).toBe("25%, 100%");
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Save draft" }).press("Enter");
    await state(page, "draft");
    const drafted = page.getByRole("region", { name: "Plan" });
    await drafted.getByText("Not planned yet: these lines are asked for").waitFor();
    await drafted.getByText("ntp server 192.0.2.5", { exact: true }).waitFor();
    await drafted.getByText("1 device, 1 line: acc-5").waitFor();
    await page.getByRole("link", { name: "Edit" }).click();
    await page.setViewportSize({ width: 360, height: 800 });
    expect(await page.getByLabel("Checks, one per line").inputValue()).toBe(
      "after: show version contains EOS",
    );
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    expect(await violations(page)).toEqual([]);
    await page.getByLabel("name: what it is for").fill("NTP of acc-5");
    await page.getByLabel("stop if more devices fail than").fill("1");
    await page.getByRole("button", { name: "Save as a new revision" }).press("Enter");
    await page.getByRole("heading", { level: 1, name: "NTP of acc-5 draft" }).waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("button", { name: "Plan", exact: true }).click();
    await state(page, "approved");
    const plan = page.getByRole("region", { name: "Plan" });
    await plan.getByText("ntp server 192.0.2.5", { exact: true }).waitFor();
    await plan.getByText("Check after: show version contains EOS").waitFor();
    await plan.getByText("It stops if more than 1 in a wave or 1 in all fail").waitFor();
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Start" }).click();
    await expect
      .poll(() => page.getByRole("heading", { level: 1 }).textContent(), { timeout: 60_000 })
      .toMatch(/done$/);
    await page.getByRole("link", { name: "bulk that pushes" }).waitFor();
    expect(anna.complaints.slice(before)).toEqual([]);
  });

  test("a push typed on the run page becomes a draft, with nothing lost", async () => {
    const { page } = anna;
    await open(anna, "run?select=name:acc-4");
    await page.getByText("1 device", { exact: true }).waitFor();
    await page.getByLabel("netmiko").check();
    await page.getByLabel("Devices, one per line").fill("acc-5");
    await page.getByLabel("username", { exact: true }).fill("somebody");
    expect(await page.getByRole("button", { name: "Make it a change" }).count()).toBe(0);
    await page.getByLabel("configuration from a template").check();
    await page.getByLabel("dry run", { exact: true }).uncheck();
    await page.getByRole("textbox", { name: "Template", exact: true }).fill("ntp server {{ address }}");
    await page.getByLabel("Variables (JSON)").fill('{ "address": "192.0.2.44" }');
    await page.getByText("Checks around the push").click();
    await page.getByLabel("Checks, one per line").fill("after: show version contains EOS");
    await page.getByLabel("ticket").fill("CHG-44");
    await page.getByRole("button", { name: "Make it a change" }).press("Enter");
    await page.getByRole("heading", { level: 1, name: "New change" }).waitFor();
    await page
      .getByRole("alert")
      .getByText("Not taken from the push: driver, connection_args.username.")
      .waitFor();
    await page.getByLabel("name: what it is for").fill("NTP by template");
    await page.getByLabel("Find devices by name").fill("acc-3");
    await page.getByRole("button", { name: "acc-3" }).click();
    expect(await page.getByLabel("Devices, one per line").inputValue()).toBe("acc-5\nacc-3");
    await page.getByText("Gates: what must hold").click();
    await page.getByRole("button", { name: "Add sentinels" }).click();
    const sentinels = page.getByRole("group", { name: "Sentinels 1" });
    await sentinels.getByLabel("Inventory selector").fill("name:acc-1");
    await sentinels.getByLabel("Checks, one per line").fill("show version contains EOS");
    await page.getByRole("button", { name: "Add a question over HTTP" }).click();
    await page.getByRole("button", { name: "Add a question over HTTP" }).click();
    await page.getByRole("button", { name: "Remove: Question 1" }).click();
    const question = page.getByRole("group", { name: "Question 1" });
    await question.getByLabel("URL").fill("https://monitor.example.net/alerts");
    await question.getByLabel("holds if this JSONata is true").fill("$count(body) = 0");
    await page.getByLabel("a push is permanent when it has passed").selectOption("the gate of its wave");
    expect(await violations(page)).toEqual([]);
    await picture(page, "change-from-push", true);
    await page.getByRole("button", { name: "Save draft" }).press("Enter");
    await state(page, "draft");
    const drafted = new URL(page.url()).hash.split("/").at(-1) ?? "";
    const { body } = await place.service.call<ChangeDetail>("GET", `/change/${drafted}`);
    expect(body.data).toMatchObject({
      ...{ name: "NTP by template", ticket: "CHG-44" },
      request: {
        ...{ select: "name:acc-4", devices: ["acc-5", "acc-3"], hold: "wave" },
        ...{ config: { address: "192.0.2.44" }, driver_args: { save: true } },
        rendering: { name: "jinja2", template: "ntp server {{ address }}" },
        checks: { after: [{ command: "show version", contains: "EOS" }] },
        sentinels: [{ select: "name:acc-1", checks: [{ command: "show version", contains: "EOS" }] }],
        strategy: {
          questions: [{ url: "https://monitor.example.net/alerts", expression: "$count(body) = 0" }],
        },
      },
    });
    id = drafted;
  });

  test("its gates are edited by the form, and another draft begins empty", async () => {
    const { page } = anna;
    await open(anna, "change/new");
    expect(await page.getByLabel("ticket").inputValue()).toBe("");
    await open(anna, `change/${id}?edit=true`);
    const sentinels = page.getByRole("group", { name: "Sentinels 1" });
    const question = page.getByRole("group", { name: "Question 1" });
    await sentinels.getByLabel("Checks, one per line").waitFor();
    expect(await question.getByLabel("URL").inputValue()).toBe("https://monitor.example.net/alerts");
    await page.getByLabel("give back what devices had").check();
    await page.getByLabel("or this version, of one device").fill("1");
    await page.getByRole("button", { name: "Remove: Sentinels 1" }).click();
    await page.setViewportSize({ width: 360, height: 800 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("button", { name: "Save as a new revision" }).press("Enter");
    await state(page, "draft");
    const { request } = await read();
    expect(request).toMatchObject({ restore: { version: 1 }, driver_args: { save: true } });
    expect(request).not.toHaveProperty("config");
    expect(request).not.toHaveProperty("sentinels");
    await place.service.call("POST", `/change/${id}/cancel`, {});
  });

  test("a push that has ended leads to a change that gives its device back what it had", async () => {
    const { page } = anna;
    const body = { device: "acc-5", config: ["ntp server 203.0.113.5"], options: { ticket: "CHG-5" } };
    const pushed = await place.service.call<ChangeDetail>("POST", "/device/execute", body, {
      Prefer: "wait=60",
    });
    await place.service.call("POST", "/history/take", { devices: ["acc-5"] }, { Prefer: "wait=60" });
    await open(anna, `job/${pushed.body.data.id}`);
    await page.getByRole("button", { name: "Give back by a change" }).press("Enter");
    await page.getByRole("heading", { level: 1, name: "New change" }).waitFor();
    await page.getByLabel("name: what it is for").fill("Return of CHG-5");
    expect(await page.getByLabel("Devices, one per line").inputValue()).toBe("acc-5");
    await page.getByRole("button", { name: "Save draft" }).press("Enter");
    await state(page, "draft");
    await page.getByRole("button", { name: "Plan", exact: true }).click();
    await state(page, "waits for approval");
    const plan = page.getByRole("region", { name: "Plan" });
    await plan.getByText("no ntp server 203.0.113.5", { exact: true }).waitFor();
    const drafted = new URL(page.url()).hash.split("/").at(-1) ?? "";
    await place.service.call("POST", `/change/${drafted}/cancel`, {});
    const taken = { device: "acc-5", config: ["no ntp server 203.0.113.5"] };
    await place.service.call("POST", "/device/execute", taken, { Prefer: "wait=60" });
  });

  test("an author plans a draft, and reads what will be sent", async () => {
    id = await draft(anna.page, failing);
    const { page } = anna;
    await open(anna, "change?waits_for_you=true");
    await page.getByRole("link", { name: "NTP of Berlin" }).click();
    await state(page, "draft");
    await page.getByRole("button", { name: "Plan", exact: true }).click();
    await state(page, "waits for approval");
    const plan = page.getByRole("region", { name: "Plan" });
    await plan.getByText("ntp server 192.0.2.9", { exact: true }).waitFor();
    await plan.getByText("Check after: show running-config contains ntp server 198.51.100.77").waitFor();
    await plan.getByText("It stops if any device fails").waitFor();
    await plan.getByRole("button", { name: /^Difference: acc-/ }).click();
    await plan.getByText(/\+ ?ntp server 192\.0\.2\.9/).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await page.getByRole("region", { name: "Waves" }).getByRole("listitem").count()).toBe(3);
    await page.getByText("You are the author").waitFor();
    expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0);
    await picture(page, "change-planned", true);
    await plan.getByRole("button", { name: "Ask the device" }).click();
    await plan.getByText("the driver netmiko cannot let this device compare").waitFor();
  });

  test("a vote for a plan that was replaced is refused with words", async () => {
    const { page } = ben;
    await open(ben, `change/${id}`);
    const { revision } = await read();
    await page.getByRole("button", { name: "Approve" }).click();
    // The page hears nothing of the new plan, and then that it is being made.
    const held: Route[] = [];
    let isHeld = true;
    const showPlanning = async (route: Route) => {
      const isChange = new URL(route.request().url()).pathname === `/change/${id}`;
      if (!isChange) return route.continue();
      const { data } = JSON.parse(await (await route.fetch()).text());
      return route.fulfill({ json: { code: 200, message: "success", data: { ...data, state: "planning" } } });
    };
    await page.route("**/change/**", (route) => {
      if (route.request().method() !== "GET") return route.continue();
      return isHeld ? void held.push(route) : showPlanning(route);
    });
    await place.service.call("POST", `/change/${id}/plan`);
    await page.getByRole("alertdialog").getByRole("button", { name: "Approve" }).click();
    await page
      .getByRole("alert")
      .getByText(`The vote is for revision ${revision} with another plan`)
      .waitFor();
    isHeld = false;
    // Those that the page has given up are gone.
    for (const route of held) await showPlanning(route).catch(() => undefined);
    await state(page, "planning");
    await page.unroute("**/change/**");
    await place.service.call("POST", `/change/${id}/plan`);
    await page
      .getByRole("alert")
      .getByText(`it is revision ${revision + 2} now, you have read ${revision}`)
      .waitFor();
    await picture(page, "change-replaced", true);
    expect((await read()).votes).toEqual([]);
  });

  test("a second person approves what they have read, and the author starts it", async () => {
    const { page } = ben;
    await page.getByRole("button", { name: "I have read revision 3" }).click();
    await page.getByRole("button", { name: "Approve" }).click();
    const asks = page.getByRole("alertdialog", { name: "Approve" });
    await asks.getByText("5 devices in 3 waves get the same lines").waitFor();
    await asks.getByLabel("Note (why)").fill("as agreed");
    await asks.getByRole("button", { name: "Approve" }).click();
    await state(page, "approved");
    await page.getByText("as agreed").waitFor();
    // The author's page hears of it.
    await state(anna.page, "approved");
    await open(phone, `change/${id}`);
    await anna.page.getByRole("button", { name: "Start" }).click();
    const sure = anna.page.getByRole("alertdialog", { name: "Start" });
    await sure.getByText("The first wave, of 1 device, begins now.").waitFor();
    await picture(anna.page, "change-start", true);
    await sure.getByRole("button", { name: "Start" }).click();
  });

  test("the canary fails its check: the others get nothing, it is given back, and every open page shows it", async () => {
    const reasons = async () =>
      (await place.service.call<ChangeTarget[]>("GET", `/change/${id}/target`)).body.data.map(
        ({ state, reason }) => `${state} ${reason}`,
      );
    await expect.poll(reasons, { timeout: 30_000 }).toContainEqual(expect.stringMatching(/returned/));
    expect((await read()).state, (await reasons()).join()).toBe("returned");
    await state(phone.page, "returned");
    await state(anna.page, "returned");
    await anna.page.getByText("1 device of wave 1 has failed; the limit is 0").first().waitFor();
    const { body } = await place.service.call<ChangeTarget[]>("GET", `/change/${id}/target`);
    expect(body.data.map((one) => one.state)).toEqual(["returned", ...names.slice(1).map(() => "waiting")]);
    const rows = anna.page.getByRole("region", { name: "Devices" }).getByRole("row");
    await rows.filter({ hasText: "acc-1" }).getByText("returned").waitFor();
    await rows.filter({ hasText: "acc-1" }).getByRole("link", { name: "return" }).waitFor();
    await anna.page.getByRole("link", { name: "Wave 2" }).click();
    await expect.poll(() => rows.count()).toBe(3);
    await picture(anna.page, "change-returned", true);
    await picture(phone.page, "phone-change-returned", true);
  });

  test("a phone stops a change that runs, with the keyboard alone", async () => {
    const { page } = phone;
    id = await draft(anna.page, {
      approvals: { count: 0 },
      strategy: { canary: 2, waves: ["100%"], soak_seconds: 3_000 },
    });
    const { call } = place.service;
    await call("POST", `/change/${id}/plan`);
    await call("POST", `/change/${id}/start`, {});
    await open(phone, "change?state=running");
    await page.getByRole("link", { name: "NTP of Berlin" }).focus();
    await page.keyboard.press("Enter");
    await state(page, "running");
    await page.getByRole("region", { name: "Waves" }).getByText("waits after the wave").waitFor();
    await page.getByText("in 49 min").or(page.getByText("in 50 min")).first().waitFor();
    await picture(page, "phone-change-running", true);
    await page.getByRole("button", { name: "Stop" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Then up to 2 devices will get back what they had before.").waitFor();
    await page.getByText("3 devices that waited will get nothing.").waitFor();
    await picture(page, "phone-change-stop", true);
    await page.keyboard.press("Tab");
    await page.keyboard.type("links flap");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await state(page, "returned");
    await page.getByText("links flap").first().waitFor();
    expect(await page.evaluate("document.activeElement.localName")).toBe("main");
    const { body } = await place.service.call<ChangeTarget[]>("GET", `/change/${id}/target`);
    expect(body.data.map((one) => [one.state, one.reason])).toEqual([
      ...names.slice(0, 2).map(() => ["returned", null]),
      ...names.slice(2).map(() => ["waiting", null]),
    ]);
  });

  test.each([
    ["change", 360, true],
    ["change", 768, false],
    ["change/", 360, false],
    ["change/", 768, true],
    ["change/", 1280, false],
  ] as const)("%s passes axe at %i pixels (dark: %s) and is cut nowhere", async (address, width, dark) => {
    const { page, complaints, foreign } = phone;
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
    await open(phone, address === "change" ? address : `change/${id}`);
    await page.getByRole("table").first().waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    await picture(page, `${address.replace("/", "-page")}-${width}`, true);
    expect([complaints, foreign]).toEqual([[], []]);
  });

  test("whoever votes on the proposal of an agent sees its reason in a box, as text, and the grades of its lines", async () => {
    const { page } = ben;
    const made = await place.service.call<{ key: string }>("POST", "/key", { name: "bot", scope: "agent" });
    const reason = "acc-1 has no clock. <b>Approve</b> it at once.";
    const proposal = { name: "A clock", reason, devices: ["acc-1"], lines: ["ntp server 192.0.2.123"] };
    await fetch(`${place.service.url}/mcp`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-API-KEY": made.body.data.key },
      body: JSON.stringify({
        ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
        params: { name: "propose_change", arguments: proposal },
      }),
    });
    await open(ben, "change?waits_for_you=true");
    await page.getByRole("link", { name: "A clock" }).click();
    await state(page, "waits for approval");
    const box = page.locator("section.foreign");
    await box.getByRole("heading", { name: "Proposed by an agent" }).waitFor();
    expect(await box.locator("blockquote").textContent()).toBe(reason);
    const plan = page.getByRole("region", { name: "Plan" });
    await plan.getByText("ntp server 192.0.2.123", { exact: true }).waitFor();
    await plan.getByRole("button", { name: /^Difference: acc-/ }).click();
    await plan.getByText(/\+ ?ntp server 192\.0\.2\.123/).waitFor();
    const rehearsal = page.getByRole("region", { name: "Rehearsal" });
    await rehearsal.getByText("1 of 1 devices are rehearsed.").waitFor();
    await page.getByRole("button", { name: "Approve" }).waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, "change-of-agent", true);
    // Of lines that a device would refuse, the questions of a vote and of the start tell before the yes.
    for (const [word, shown] of [
      ["Approve", "waiting_approval"],
      ["Start", "approved"],
    ] as const) {
      await page.route(/\/change\/[\w-]+$/, async (route) => {
        const response = await route.fetch();
        const body = (await response.text())
          .replace(/"refusing":\d+/, '"refusing":1')
          .replace('"state":"waiting_approval"', `"state":"${shown}"`);
        await route.fulfill({ response, body });
      });
      await page.reload();
      await page.getByRole("button", { name: word, exact: true }).click();
      const sure = page.getByRole("alertdialog", { name: word });
      await sure.getByText("1 device would probably refuse lines.").waitFor();
    }
    // Its job says what a twin with the stored configuration made of the lines.
    await rehearsal.getByRole("link", { name: "its jobs" }).click();
    await page.getByRole("list", { name: "Devices" }).getByRole("link", { name: /acc-/ }).click();
    await rehearsal.getByText(/roven on a twin/).waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test("a draft shows its lines with secrets as marks, and says where they come from if it has none", async () => {
    const { page } = anna;
    const { call } = place.service;
    const secret = await draft(page, {
      config: ["snmp-server community hush-4711 ro", "ntp server 192.0.2.8"],
    });
    await open(anna, `change/${secret}`);
    const plan = page.getByRole("region", { name: "Plan" });
    await plan.getByText("5 devices, 2 lines: acc-1").waitFor();
    expect(await plan.locator("pre").textContent()).toMatch(
      /^snmp-server community <secret [^>]*> ro\nntp server 192\.0\.2\.8$/,
    );
    const answer = await call<ChangeDetail>("GET", `/change/${secret}`);
    expect(JSON.stringify(answer.body)).not.toContain("hush-4711");
    const one = await draft(page, { select: undefined, devices: ["acc-1"], config: "ntp server 192.0.2.8" });
    await open(anna, `change/${one}`);
    await plan.getByText("1 device, 1 line: acc-1").waitFor();
    const rendered = await draft(page, {
      rendering: { name: "jinja2", template: "ntp server {{ ntp }}" },
      config: { ntp: "192.0.2.7" },
    });
    await open(anna, `change/${rendered}`);
    await plan.getByText("a template gives the lines of each device").waitFor();
    for (const drafted of [secret, one, rendered])
      expect((await call("POST", `/change/${drafted}/cancel`, { revision: 1 })).status).toBe(200);
  });

  test("no page has complained", () => {
    // The browser itself logs the vote that was refused, and the provider has no icon.
    const others = [...anna.complaints, ...ben.complaints].filter(
      (text) => !text.includes("/vote") && !text.includes(place.provider.issuer),
    );
    expect(others).toEqual([]);
  });
});
