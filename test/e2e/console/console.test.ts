/** The console in Debian's Chromium on a running service: what users see, and that hostile text is harmless. */
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { logIn, openBrowser, type Pages, type Visitor, visit } from "../../../scripts/testbed/browser.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { freePort } from "../../../src/testkit/port.ts";
import { adminKey, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";

/** Runs as a script, image or link wherever it is not treated as text. */
const hostile = `<img src=x onerror="document.title='broken in'"><script>document.title='broken in'</script>`;

describe.skipIf(needs("chromium"))("the console", () => {
  let browser: Pages;
  let service: Service;
  let device: SimulatedDevice;
  let one: Visitor;
  const dataDir = tempFolder();

  const login = () => ({
    ...{ device_type: "cisco_ios", host: "127.0.0.1", port: device.port },
    ...{ username: device.username, password: device.password, secret: device.secret },
  });
  const keyWith = async (scope: string) =>
    (await service.call<{ key: string }>("POST", "/key", { name: `${scope}-${Date.now()}`, scope })).body.data
      .key;
  /** Must hold for every visited page. */
  function expectQuiet({ complaints, foreign }: Visitor) {
    expect(complaints).toEqual([]);
    expect(foreign).toEqual([]);
  }

  beforeAll(async () => {
    device = await simulated("cisco_ios", { hostname: "SW1" });
    service = await startService({ dataDir, port: await freePort() });
    browser = await openBrowser();
    one = await visit(browser, service.url);
    await logIn(one, adminKey);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
    await device?.stop();
  });

  test("rejects a wrong key with the API's message, accepts the right one, and leaves nothing after logout", async () => {
    const person = await visit(browser, service.url);
    await person.page.getByLabel("API key").fill("pb_wrong");
    await person.page.getByRole("button", { name: "Log in" }).click();
    await person.page.getByText("The API key is missing or not valid.").first().waitFor();
    person.complaints.length = 0;
    await logIn(person, adminKey);
    const cookies = await person.context.cookies();
    expect(cookies).toMatchObject([{ name: "patchbay_session", httpOnly: true, sameSite: "Strict" }]);
    expect(
      await person.page.evaluate<string>("JSON.stringify([localStorage, sessionStorage, document.cookie])"),
    ).not.toMatch(/pb_|pbs_|test-admin/);
    await person.page.getByRole("button", { name: "Log out" }).click();
    await person.page.getByLabel("API key").waitFor();
    expect(await person.context.cookies()).toEqual([]);
    expectQuiet(person);
    await person.close();
  });

  test("takes a push from the form to its result after a confirmation", async () => {
    const { page } = one;
    await page.getByRole("link", { name: "Run", exact: true }).click();
    await page.getByLabel("Devices, one per line").fill(`127.0.0.1:${device.port}`);
    await page.getByLabel("device type", { exact: true }).fill("cisco_ios");
    await page.getByLabel("username", { exact: true }).fill(device.username);
    await page.getByLabel("password", { exact: true }).fill(device.password);
    await page.getByLabel("enable secret", { exact: true }).fill(device.secret);
    await page.getByLabel("configuration", { exact: true }).check();
    await page.getByLabel("dry run").uncheck();
    await page.getByLabel("Lines").fill("interface Loopback7\n description from the console");
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText("2 lines to 1 device: push, and save?").waitFor();
    await page.getByRole("button", { name: "Push" }).click();
    await page.getByRole("heading", { name: "finished" }).waitFor();
    await page.getByText("SW1(config-if)").first().waitFor();
    expectQuiet(one);
  });

  test("shows why a job failed and what was requested; parsed output is a table", async () => {
    const failed = await service.run({
      ...{ driver: "netmiko", connection_args: { ...login(), password: "wrong" }, command: "show version" },
    });
    await one.page.goto(`${service.url}/#/job/${failed.id}`);
    await one.page.getByRole("heading", { name: "AuthenticationFailed" }).waitFor();
    await one.page.goto(`${service.url}/#/jobs?error_type=AuthenticationFailed`);
    await one.page.getByRole("option", { name: /show version.*AuthenticationFailed/ }).waitFor();
    const parsed = await service.run({
      ...{
        driver: "netmiko",
        connection_args: login(),
        command: "show version",
        parsing: { name: "textfsm" },
      },
    });
    await one.page.goto(`${service.url}/#/job/${parsed.id}`);
    await one.page.getByRole("columnheader", { name: "software_image" }).waitFor();
    expectQuiet(one);
  });

  test("shows the checks of a push, and releases a held job", async () => {
    const { page } = one;
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const { id } = (
      await service.call<{ id: string }>("POST", "/device/execute", {
        ...{ driver: "netmiko", connection_args: login(), config: ["interface Loopback8"] },
        checks: { before: [{ name: "it answers", command: "show version", contains: "Cisco" }] },
        options: { not_before: later },
      })
    ).body.data;
    await page.goto(`${service.url}/#/job/${id}`);
    await page.getByRole("heading", { name: "held" }).waitFor();
    await page.getByRole("button", { name: "Release" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Release" }).click();
    await page.getByRole("heading", { name: "finished" }).waitFor();
    const check = page.getByRole("table", { name: "Checks" }).getByRole("row").last();
    await check.getByText("it answers").waitFor();
    await check.locator(".status", { hasText: "ok" }).waitFor();
    expectQuiet(one);
  });

  test("shows live output, and stops a running job", async () => {
    const { page } = one;
    // Slow output, character by character, for minutes.
    const slow = await simulated("cisco_ios", { hostname: "SW9", faults: { trickleMs: 60 } });
    try {
      const { id } = (
        await service.call<{ id: string }>("POST", "/device/execute", {
          ...{ driver: "netmiko", command: "show version", options: { ttl: 1_200 } },
          connection_args: { ...login(), port: slow.port, timeout: 300 },
        })
      ).body.data;
      await page.goto(`${service.url}/#/job/${id}`);
      await page.getByRole("region", { name: "Live output" }).getByText("Cisco").waitFor();
      await page.getByRole("heading", { name: "running" }).waitFor();
      await page.getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("heading", { name: "Cancelled" }).waitFor();
      expectQuiet(one);
    } finally {
      await slow.stop();
    }
  });

  test("renders hostile text as text in requests, labels, notes and template errors", async () => {
    const { page } = one;
    const job = await service.run({
      ...{ driver: "netmiko", connection_args: login(), command: hostile },
      options: { label: hostile, ticket: hostile.slice(0, 90), note: hostile, tags: [hostile.slice(0, 60)] },
    });
    await page.goto(`${service.url}/#/job/${job.id}`);
    await page.getByText(hostile).first().waitFor();
    await page.goto(`${service.url}/#/jobs`);
    await page.getByText("<img src=x").first().waitFor();
    await page.getByRole("link", { name: "Templates" }).click();
    await page.getByLabel("Template").fill(`{{ "${hostile.replaceAll('"', "'")}" }} {% ${hostile} %}`);
    await page.getByRole("button", { name: "Render" }).click();
    await page.getByText(/^Line 1/).waitFor();
    expect(await page.title()).not.toBe("broken in");
    expect(await page.locator("img[src=x]").count()).toBe(0);
  });

  test("renders and parses templates, and marks errors in the editor", async () => {
    const { page } = one;
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByRole("link", { name: "Templates" }).click();
    await page.getByRole("button", { name: "Render" }).click();
    await page.getByText("description MADE HERE").waitFor();
    await page.getByLabel("textfsm").check();
    await page.getByRole("button", { name: "Parse" }).click();
    await page.getByRole("columnheader", { name: "State" }).waitFor();
    await page.getByLabel("jinja2").check();
    await page.getByLabel("Template", { exact: true }).fill("interface {{ name }}\n{{ 1 + }}\nend");
    await page.getByRole("button", { name: "Render" }).click();
    await page.getByText("Line 2, column 8").waitFor();
    expect(await page.locator(".editor .wrong").allTextContents()).toEqual(["{{ 1 + }}"]);
    expect(await page.locator(".editor mark").allTextContents()).toEqual(["}"]);
  });

  test("shows no results of tests that a template was changed after", async () => {
    const { page } = one;
    const before = one.complaints.length;
    await service.call("PUT", "/template/greeting", {
      ...{ engine: "jinja2", template: "hello" },
      tests: [{ name: "greets", context: {}, expected: "hello" }],
    });
    await page.goto(`${service.url}/#/template/greeting`);
    const results = page.getByRole("region", { name: "Results of the tests" });
    await page.getByRole("button", { name: "Run the tests" }).click();
    await results.getByText("greets").waitFor();
    await page.getByLabel("Template", { exact: true }).fill("goodbye");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").getByRole("paragraph").waitFor();
    expect(await results.count()).toBe(0);
    one.complaints.length = before;
  });

  test("calls the parameters of a recipe what its author calls them", async () => {
    const { page } = one;
    const number = { type: "integer" };
    await service.call("PUT", "/recipe/shape", {
      parameters: {
        type: "object",
        properties: { limit: number, map: number, max_rate: { type: "integer", title: "Rate" } },
      },
      steps: [{ name: "ask", kind: "query", request: { command: "show clock" } }],
    });
    await page.goto(`${service.url}/#/recipe/shape`);
    await page.getByLabel("Rate", { exact: true }).waitFor();
    expect(await page.locator("form label[for^=value-]").allTextContents()).toEqual(["limit", "map", "Rate"]);
  });

  test("uses the output of a job to try a template", async () => {
    const { page } = one;
    const command = "show ip interface brief";
    await service.run({ driver: "netmiko", connection_args: login(), command, options: { label: "sample" } });
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByRole("link", { name: "Templates" }).click();
    await page.getByLabel("textfsm").check();
    await page.getByLabel("Job to take the output from").selectOption({ index: 1 });
    await page.getByRole("button", { name: command }).click();
    await expect.poll(() => page.getByLabel("Output of the device").inputValue()).toContain("Interface");
    await page.getByLabel("a template of the set").check();
    await page.getByLabel("command", { exact: true }).fill(command);
    await page.getByRole("button", { name: "Parse" }).click();
    await page
      .getByRole("columnheader", { name: "intf" })
      .or(page.getByRole("columnheader", { name: "interface" }))
      .first()
      .waitFor();
    expect(one.complaints.filter((text) => !text.includes("400 (Bad Request)"))).toEqual([]);
    expect(one.foreign).toEqual([]);
  });

  test("shows drift by device and section, a device's lines, and drafts the change that mends it", async () => {
    const { page } = one;
    const before = one.complaints.length;
    const { username, password, secret, port } = device;
    await service.call("PUT", "/credential/sw1", { username, password, secret });
    const credential = { name: "file", ref: "sw1" };
    const entry = {
      ...{ name: "sw1", host: "127.0.0.1", port, driver: "netmiko", platform: "cisco_ios", credential },
      tags: ["edge"],
    };
    await service.call("POST", "/inventory/device", { devices: [entry] });
    const put = await service.call("PUT", "/intent/base", {
      select: "tag:edge",
      text: "ntp server 192.0.2.1\n",
      sections: [
        { name: "ntp", match: ["ntp *"] },
        { name: "telnet", match: ["line vty * > transport input telnet"], mode: "absent" },
      ],
    });
    expect(put.status, JSON.stringify(put.body)).toBe(201);
    await page.goto(`${service.url}/#/drift`);
    await page.getByText("is known: read it first").waitFor();
    const take = await service.call<{ bulk_id: string }>("POST", "/history/take", { device: "sw1" });
    const jobs = await service.call<{ id: string }[]>("GET", `/job?bulk_id=${take.body.data.bulk_id}`);
    expect(await service.ended(jobs.body.data[0]?.id ?? "")).toMatchObject({ status: "finished" });
    await service.call("GET", "/drift/summary?wait=30");
    await page.getByRole("button", { name: "Compare now" }).click();
    await page.reload();
    const row = page.getByRole("row", { name: /^sw1/ });
    await expect
      .poll(() => row.getByRole("cell").allInnerTexts())
      .toEqual(["sw1", "≠ drifted 1 missing", "✓ compliant"]);
    await page.getByRole("cell", { name: "ntp server 192.0.2.1" }).waitFor();
    await row.getByRole("link", { name: "sw1" }).click();
    await page.getByText("+ntp server 192.0.2.1").waitFor();
    await page.getByRole("heading", { name: "A fix would send these lines; they are proven" }).waitFor();
    await page.getByRole("button", { name: "Draft a change that fixes it" }).click();
    await page.getByRole("heading", { name: "fix of base" }).waitFor();
    expect(new URL(page.url()).hash).toMatch(/^#\/change\/\S{36}$/);
    expect(one.complaints.slice(before)).toEqual([]);
    expect(one.foreign).toEqual([]);
  });

  test("offers each scope only what it may do", async () => {
    const reader = await visit(browser, service.url);
    await logIn(reader, await keyWith("read"));
    const shown = await reader.page.getByRole("navigation").getByRole("link").allTextContents();
    expect(shown).toEqual([
      "Overview",
      "Changes",
      "Jobs",
      "Bulks",
      "Schedules",
      "Recipes",
      "Devices",
      "Groups",
      "Workers",
      "Keys",
      "Licences",
      "API",
    ]);
    expectQuiet(reader);
    await reader.close();
  });

  test("says so for an unknown page and an unknown job, with a link back", async () => {
    const person = await visit(browser, service.url);
    const { page } = person;
    await logIn(person, adminKey);
    await page.goto(`${service.url}/#/nosuch`);
    await page.getByRole("heading", { name: "There is no such page" }).waitFor();
    await page.goto(`${service.url}/#/job/nosuch`);
    await page.getByRole("alert").getByRole("paragraph").waitFor();
    await page.getByRole("main").getByRole("link", { name: "Jobs" }).click();
    await page.getByRole("heading", { name: "Jobs" }).waitFor();
    await person.close();
  });

  test("is usable by keyboard alone: login, jobs, one job", async () => {
    const person = await visit(browser, service.url);
    const { page } = person;
    await service.run({ driver: "netmiko", connection_args: login(), command: "show clock" });
    const press = (...keys: string[]) =>
      keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
    await page.getByLabel("API key").waitFor();
    await press("Tab");
    await page.keyboard.type(adminKey);
    await press("Enter");
    await page.getByRole("navigation").waitFor();
    await page.getByRole("link", { name: "Jobs", exact: true }).focus();
    await press("Enter");
    await page.locator(".row").first().waitFor();
    await page.getByRole("listbox").focus();
    await press("j", "j", "k", "Enter");
    await page.getByRole("region", { name: "From a shell" }).waitFor();
    await person.close();
  });

  test("finds devices, jobs, changes and pages by one key", async () => {
    const { page } = one;
    const before = one.complaints.length;
    await service.call("PUT", "/inventory/device/ber-core-1", { host: "192.0.2.77", site: "berlin" });
    const query = { driver: "netmiko", connection_args: login(), command: "show clock" };
    const { id } = await service.run({ ...query, options: { ticket: "CHG-4711" } });
    await page.goto(`${service.url}/#/workers`);
    await page.getByRole("heading", { name: "Workers" }).waitFor();
    const box = page.getByRole("combobox", { name: /^Device, address/ });
    const offer = (name: RegExp) => page.getByRole("listbox", { name: "Find" }).getByRole("option", { name });
    const find = async (wanted: string, expected: RegExp) => {
      await page.keyboard.press("/");
      await box.fill(wanted);
      await offer(expected).first().waitFor();
    };
    await find("core", /ber-core-1.*berlin/);
    await find("192.0.2.7", /ber-core-1/);
    await find("192.0.2.64/27", /ber-core-1/);
    await find("ber/", /Jobs of ber\//);
    await find("CHG-4711", /finished · show clock · CHG-4711/);
    await find(id.slice(0, 20), /show clock/);
    await find('"><b>', /Jobs of "><b>/);
    // Opened again at once: the box has not told its end by then, every fifth time.
    for (let again = 0; again < 20; again++) {
      await page.keyboard.press("Escape");
      await page.keyboard.press("/");
      await box.fill("core");
    }
    await page.keyboard.press("Escape");
    await box.waitFor({ state: "detached" });
    await find("sched", /Schedules/);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Schedules" }).waitFor();
    expect(await box.count()).toBe(0);
    // The key is a character in a field.
    await page.goto(`${service.url}/#/jobs`);
    await page.getByLabel("ticket", { exact: true }).press("/");
    expect(await box.count()).toBe(0);
    expect(one.complaints.slice(before)).toEqual([]);
    expect(one.foreign).toEqual([]);
  });

  test("keys that are pressed before the jobs are there count as soon as they are", async () => {
    const { page } = one;
    await service.run({ driver: "netmiko", connection_args: login(), command: "show clock" });
    await page.goto(`${service.url}/#/overview`);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    const released = Promise.withResolvers<void>();
    await page.route("**/job?*", (route) => released.promise.then(() => route.continue()));
    await page.goto(`${service.url}/#/jobs`);
    await page.getByRole("listbox").focus();
    for (const key of ["j", "j", "k", "Enter"]) await page.keyboard.press(key);
    expect(page.url()).toMatch(/#\/jobs$/);
    released.resolve();
    await page.getByRole("region", { name: "From a shell" }).waitFor();
    await page.unrouteAll({ behavior: "wait" });
  });

  test("a selected job stays selected when others come before it", async () => {
    const { page } = one;
    const query = { driver: "netmiko", connection_args: login(), command: "show clock" };
    const { id } = await service.run(query);
    await page.goto(`${service.url}/#/jobs`);
    const list = page.getByRole("listbox", { name: "Jobs" });
    const first = list.getByRole("option").first();
    await first.getByText(id.slice(-12)).waitFor();
    await list.focus();
    await page.keyboard.press("j");
    const selected = list.getByRole("option", { selected: true });
    expect(await selected.textContent()).toContain(id.slice(-12));
    const other = await service.run(query);
    // The list is read anew, whether it has heard of the other one by now or not.
    await page.getByLabel("status", { exact: true }).selectOption("finished");
    await first.getByText(other.id.slice(-12)).waitFor();
    expect(await selected.textContent()).toContain(id.slice(-12));
    await list.focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/#/job/${id}`);
  });

  test("the ledger says that nothing is unexplained only when it has been told so", async () => {
    const { page } = one;
    const released = Promise.withResolvers<void>();
    await page.route("**/ledger/outside?*", (route) => released.promise.then(() => route.continue()));
    await page.goto(`${service.url}/#/ledger`);
    await page.getByRole("region", { name: "Changed outside" }).waitFor();
    await page.getByRole("cell", { name: "ledger.begin" }).waitFor();
    const claim = page.getByText("Every version is explained by an entry.");
    expect(await claim.count()).toBe(0);
    released.resolve();
    await claim.waitFor();
    await page.unrouteAll({ behavior: "wait" });
    await page.getByRole("button", { name: "Verify" }).click();
    await page.locator(".badge.good", { hasText: "intact" }).waitFor();
  });

  test("focuses a page as soon as it is there, so that it takes no focus from where the user went on", async () => {
    const person = await visit(browser, service.url);
    const { page } = person;
    await page.getByLabel("API key").waitFor();
    // Called right after each change of the document.
    await page.evaluate(`window.focused = [];
      new MutationObserver(() => {
        const address = document.querySelector("nav [aria-current]")?.getAttribute("href");
        if (address && address !== window.focused.at(-1)?.[0])
          window.focused.push([address, document.activeElement?.tagName]);
      }).observe(document, { subtree: true, childList: true, attributes: true });`);
    await logIn(person, adminKey);
    await page.getByRole("link", { name: "Jobs", exact: true }).click();
    await page.getByRole("heading", { name: "Jobs" }).waitFor();
    const seen = JSON.parse(await page.evaluate<string>("JSON.stringify(window.focused)"));
    expect(seen).toEqual([
      ["#/overview", "MAIN"],
      ["#/jobs", "MAIN"],
    ]);
    await person.close();
  });

  test("keeps a running bulk up to date in a page that is hidden", async () => {
    const { page } = one;
    const silent = createServer((socket) => socket.on("error", () => {})).listen(0, "0.0.0.0");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const bulk = (
      await service.call<{ bulk_id: string; succeeded: { id: string }[] }>("POST", "/device/bulk", {
        ...{ driver: "netmiko", command: "show clock", connection_args: { ...login(), port, timeout: 500 } },
        devices: [{ host: "127.0.0.1" }, { host: "127.0.0.2" }],
      })
    ).body.data;
    await page.goto(`${service.url}/#/bulk/${bulk.bulk_id}`);
    const cells = (status: string) => page.locator(`.cell.${status}`).count();
    await expect.poll(() => cells("running")).toBe(2);
    // A hidden page gets no frames.
    await page.evaluate("window.requestAnimationFrame = () => 0");
    await service.call("DELETE", `/job?id=${bulk.succeeded[0]?.id}&force=true`);
    await expect.poll(() => cells("running")).toBe(1);
    await service.call("DELETE", `/bulk/${bulk.bulk_id}?force=true`);
    await expect.poll(() => cells("running")).toBe(0);
    silent.close();
  });

  test("reports an unreachable service and recovers when it is back", async () => {
    const { page } = one;
    await page.getByRole("link", { name: "Workers" }).click();
    const port = Number(new URL(service.url).port);
    await service.kill();
    await page.getByText("The service is unreachable.").first().waitFor();
    service = await startService({ dataDir, port });
    await page.getByText("The service is unreachable.").first().waitFor({ state: "hidden" });
    await page.getByRole("heading", { name: "Workers" }).waitFor();
  });
});
