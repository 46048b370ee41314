/** What docs/guides/recipes.md shows, as it stands there: each recipe is stored, each command runs, also by a hook and in a browser. */
import { createHmac } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { logIn, openBrowser, type Pages, type Visitor, visit } from "../../../scripts/testbed/browser.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { isRecord } from "../../../src/base/json/members.ts";
import { readYaml } from "../../../src/base/yaml/yaml-read.ts";
import { adminKey, type Service, startService } from "../../../src/testkit/service.ts";
import { labEntry, type SimulatedDevice, simulated } from "../devices.ts";
import { loggedIn, type Operator } from "../terminal.ts";

const guide = readFileSync("docs/guides/recipes.md", "utf8");
const blocks = [...guide.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language, text = ""]) => ({
  language,
  text,
}));
const textsIn = (language: string) =>
  blocks.filter((one) => one.language === language).map(({ text }) => text);
const yamlOf = (text: string) => readYaml(text, "", "core").value;
/** Named in the first line. */
const fileOf = (name: string) => textsIn("yaml").find((text) => text.startsWith(`# ${name}`)) ?? "";

const login = { username: "admin", password: "canary-login-9", secret: "canary-enable-9" };
const devices: SimulatedDevice[] = [];
let service: Service;
let someone: Operator;
let hook = "";
let secret = "";

beforeAll(async () => {
  service = await startService({});
  await service.call("PUT", "/credential/lab", login);
  const list = [];
  for (const name of ["sw1", "sw2"]) {
    const device = await simulated("cisco_ios", {
      ...{ ...login, hostname: name },
      shows: { "show vlan id 20": () => "VLAN id 20 not found in current VLAN database" },
    });
    devices.push(device);
    list.push(labEntry(name, device, "cisco_ios", { tags: ["access"] }));
  }
  expect((await service.call("POST", "/inventory/device", { devices: list })).status).toBe(200);
  someone = await loggedIn(service.url, adminKey, {});
  writeFileSync(join(someone.home, "vlan.yaml"), fileOf("vlan.yaml"));
  writeFileSync(join(someone.home, "new-port.yaml"), fileOf("new-port.yaml"));
});
afterAll(async () => {
  await service.stop();
  for (const device of devices) await device.stop();
});

const words = (line: string) =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
/** Commands of a block, with or without a prompt, without what they print. */
const commandsIn = (text: string) =>
  text.split("\n").flatMap((line) => /^(?:\$ )?patchbay (.+)$/.exec(line)?.[1] ?? []);
const inHome = (word: string) => (word.endsWith(".yaml") ? join(someone.home, word) : word);

test("its commands do what it says, in the order of the guide", async () => {
  const commands = [...textsIn("bash"), ...textsIn("console")].flatMap(commandsIn);
  expect(commands.map((line) => words(line).slice(0, 2).join(" "))).toEqual([
    ...["recipe put", "recipe run", "role put", "recipe hook"],
  ]);
  for (const line of commands) {
    const done = await someone.piped(words(line).map(inHome));
    expect([line, done.code, done.code === 0 ? "" : done.err + done.out]).toEqual([line, 0, ""]);
    if (line.includes("recipe run")) expect(done.out).toContain("VLAN 20 (users) is there.");
    if (line.includes("hook add"))
      [, hook = "", secret = ""] = /path +(\/hook\/\S+)\nsecret +(\S+)/.exec(done.out) ?? [];
  }
  for (const device of devices) {
    const sent = device.commands().filter((entered) => /^(?:vlan|name) /.test(entered));
    expect(sent).toEqual(["vlan 20", "name users"]);
  }
  expect(fileOf("vlan.yaml").trim().split("\n").length).toBeLessThan(40);
}, 120_000);

test("its schedule is taken, and fires", async () => {
  const [schedule] = textsIn("json").map((text) => JSON.parse(text));
  const made = await service.call<{ id: string }>("POST", "/schedule", schedule);
  expect([made.status, made.body.message]).toEqual([201, expect.anything()]);
  await service.call("POST", `/schedule/${made.body.data.id}/run`);
  const states = async () =>
    (await service.call<{ state: string }[]>("GET", "/recipe/vlan/run")).body.data.map(({ state }) => state);
  await expect.poll(states, { timeout: 60_000 }).toEqual(["finished", "finished"]);
}, 120_000);

test("its hook takes what NetBox sends, and the run ends well", async () => {
  const text = JSON.stringify({
    ...{ event: "updated", model: "interface", timestamp: new Date().toISOString() },
    data: { name: "Gi1/0/7", untagged_vlan: { vid: 20 }, device: { name: "sw2" } },
  });
  const signature = createHmac("sha512", secret).update(text).digest("hex");
  const answer = await fetch(`${service.url}${hook}`, {
    ...{ method: "POST", body: text },
    headers: { "Content-Type": "application/json", "X-Hook-Signature": signature },
  });
  expect([answer.status, await answer.json()]).toEqual([
    201,
    expect.objectContaining({ data: expect.objectContaining({ outcome: "started" }) }),
  ]);
  const newest = async () =>
    (await service.call<{ state: string; ticket: string }[]>("GET", "/recipe/vlan/run")).body.data[0];
  await expect.poll(newest, { timeout: 60_000 }).toMatchObject({ state: "finished", ticket: "CHG-7" });
}, 120_000);

/** What an excerpt refers to and does not show. */
const around: Record<string, unknown> = {
  type: "object",
  properties: { server: { type: "string" }, ticket_number: { type: "string" } },
};
const asked = { name: "asked", kind: "query", on_failure: "ignore", request: { command: "show version" } };

test("each recipe and excerpt of it is one that the service takes", async () => {
  const recipes = textsIn("yaml").flatMap((text) => {
    const value = yamlOf(text);
    if (Array.isArray(value)) return [{ parameters: around, steps: [asked, ...value] }];
    return isRecord(value) && "steps" in value ? [{ parameters: around, ...value }] : [];
  });
  expect(recipes.length).toBeGreaterThan(4);
  for (const [at, recipe] of recipes.entries()) {
    const { status, body } = await service.call("PUT", `/recipe/excerpt-${at}`, recipe);
    expect([recipe, status, body.data]).toEqual([recipe, 201, expect.anything()]);
  }
});

describe.skipIf(needs("chromium"))("in a browser", () => {
  let browser: Pages;
  let one: Visitor;
  beforeAll(async () => {
    browser = await openBrowser();
    one = await visit(browser, service.url);
    await logIn(one, adminKey);
  });
  afterAll(() => browser?.close());

  test("its recipe is a form: filled in and run, the steps of its run are seen to the end", async () => {
    const { page } = one;
    await page.getByRole("link", { name: "Recipes", exact: true }).click();
    await page.getByRole("link", { name: "vlan", exact: true }).click();
    await page.getByRole("heading", { name: "Add a VLAN to access switches" }).waitFor();
    await page.getByLabel("vlan", { exact: true }).fill("20");
    await page.getByLabel("name", { exact: true }).fill("guests");
    await page.getByLabel("ticket", { exact: true }).fill("CHG-8");
    await page.locator("form.run input[name=select]").fill("name:sw1");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByText("VLAN 20 (guests) is there.").waitFor({ timeout: 60_000 });
    expect(page.url()).toMatch(/recipe\/vlan\/[\w-]+$/);
    expect(devices.map((device) => device.commands().includes("name guests"))).toEqual([true, false]);
    await page.goBack();
    await page.getByLabel("vlan", { exact: true }).fill("1");
    await page.getByLabel("ticket", { exact: true }).fill("CHG-8");
    await page.locator("form.run input[name=select]").fill("name:sw1");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page
      .getByRole("alert")
      .getByText(/at least 2|minimum|2 to 4094/i)
      .waitFor();
  }, 120_000);
});
