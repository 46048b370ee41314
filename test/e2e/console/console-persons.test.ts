/** Roles and persons in the console, used by a person who signed in at a real provider: preview before saving, block, and "mine". */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser, type Pages, type Visitor, visit } from "../../../scripts/testbed/browser.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import type { RoleRecord } from "../../../src/api/access/person.ts";
import { type Browser as PlainBrowser, type SignInPlace, startSignInPlace } from "../../support/oidc.ts";
import { violations } from "./console-looks.ts";

const anna = { subject: "p-anna", name: "anna", groups: ["net-admins"] };
const ben = { subject: "p-ben", name: "ben", groups: ["staff"] };

describe.skipIf(needs("chromium"))("roles and persons in a browser", () => {
  let place: SignInPlace;
  let browser: Pages;
  let one: Visitor;
  let bens: PlainBrowser;

  beforeAll(async () => {
    place = await startSignInPlace({ persons: [anna, ben] });
    await place.role("admins", "net-admins", "admin");
    await place.role("readers", "staff", "read");
    bens = place.browser();
    await bens.signIn(`${place.service.url}/login/corp`, "ben");
    browser = await openBrowser();
    one = await visit(browser, `${place.service.url}/#/roles`, { anyCertificate: true });
    await one.page.getByRole("link", { name: "Sign in with corp" }).click();
    await one.page.getByLabel("Name").fill("anna");
    await one.page.getByRole("button", { name: "Sign in" }).click();
    await one.page.getByRole("heading", { name: "Roles" }).waitFor();
  }, 240_000);
  afterAll(async () => {
    await browser?.close();
    await place?.stop();
  });

  const open = async (page: Page, path: string, heading: string) => {
    await page.goto(`${place.service.url}/#/${path}`);
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    await expect.poll(() => page.getByText("Loading …").count()).toBe(0);
  };
  const rowOf = (page: Page, name: string) => page.getByRole("row", { name: new RegExp(`\\b${name}\\b`) });
  const statusOfBen = async () =>
    (await bens.get(`${place.service.url}/person/me`, { Accept: "*/*" })).status;

  test("a key of an agent is offered no right that it cannot have", async () => {
    const { page } = one;
    await open(page, "my-keys", "My keys");
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("name", { exact: true }).fill("helper");
    await page.getByLabel("approve").check();
    await page.getByLabel("scope", { exact: true }).selectOption("agent");
    await page.getByLabel("approve").waitFor({ state: "detached" });
    await page.getByLabel("history", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "The key anna/helper" }).waitFor();
  });

  test("what somebody may do is told before a role is saved, and in words", async () => {
    const { page } = one;
    await open(page, "role", "New role");
    await page.getByLabel("name", { exact: true }).fill("operators");
    await page.getByLabel("position").fill("10");
    await page.getByLabel("scope").selectOption("operate");
    await page.getByLabel("Groups, one per line, as").fill("staff\nnetops");
    await page.getByLabel("Hosts").fill("10.0.0.0/8");
    await page.getByLabel("history", { exact: true }).check();
    // Only what a role can have is offered, and a list of credentials only if there is one.
    expect(await page.getByLabel("break_glass").count()).toBe(0);
    expect(await page.getByLabel("Credentials, one per line").count()).toBe(0);
    await page.getByLabel("only some credentials").check();
    await page.getByLabel("Credentials, one per line").fill("lab-*");
    await page.getByLabel("only some recipes").check();
    await page.getByLabel("Recipes, one per line").fill("vlan-*");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByLabel("person", { exact: true }).selectOption({ label: "ben" });
    await page.getByRole("button", { name: "Show" }).click();
    const answer = page.getByRole("status").filter({ hasText: "operators" });
    await answer.waitFor();
    const told = await answer.textContent();
    expect(told).toContain('It is the first role that names the group "staff".');
    expect(told).toContain("Reaches only 10.0.0.0/8.");
    expect(told).toContain("May name the credentials");
    expect(told).toContain("Runs only the recipes vlan-*.");
    await page.getByLabel("only some credentials").uncheck();
    expect(told).toContain("Reads stored configurations, with secrets masked.");
    expect(told).toContain("Would fit too, but stand further down: readers");
    // Nothing is stored yet.
    const stored = async () => (await place.service.call<RoleRecord[]>("GET", "/role")).body.data;
    expect((await stored()).map(({ name }) => name)).toEqual(["admins", "readers"]);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "Roles" }).waitFor();
    await rowOf(page, "operators").waitFor();
    expect((await stored())[0]).toMatchObject({
      ...{ name: "operators", position: 10, scope: "operate", groups: ["staff", "netops"], issuer: null },
      ...{ hosts: ["10.0.0.0/8"], credentials: null, rights: ["history"], recipes: ["vlan-*"] },
    });
  });

  test("a role is opened with what it has; what is wrong is named, and what is above oneself refused", async () => {
    const { page } = one;
    await page.getByRole("link", { name: "operators" }).click();
    await page.getByRole("heading", { level: 1, name: "operators" }).waitFor();
    expect(await page.getByLabel("Groups, one per line, as").inputValue()).toBe("staff\nnetops");
    expect(await page.getByLabel("name", { exact: true }).isEditable()).toBe(false);
    await page.getByLabel("Hosts").fill("10.0.0.0/99");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").getByText("hosts.0").waitFor();
    await page.getByLabel("Hosts").fill("");
    await page.getByLabel("history secrets").check();
    await page.getByRole("button", { name: "Save" }).click();
    await page
      .getByRole("alert")
      .getByText("Your role may not set the role operators: rights would give")
      .waitFor();
    await open(page, "role/nosuch", "nosuch");
    await page.getByRole("alert").getByText("There is no such role.").waitFor();
    await page.getByRole("main").getByRole("link", { name: "Roles" }).click();
    await rowOf(page, "operators").waitFor();
  });

  test("persons are listed with their role; one is blocked after confirmation, at once, and let in", async () => {
    const { page } = one;
    await open(page, "persons", "Persons");
    await rowOf(page, "ben").getByText("operators").waitFor();
    expect(await rowOf(page, "anna").getByRole("button").count()).toBe(0);
    expect(await statusOfBen()).toBe(200);
    await rowOf(page, "ben").getByRole("button", { name: "Block" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Block" }).click();
    await rowOf(page, "ben").getByText("blocked").waitFor();
    expect(await statusOfBen()).toBe(403);
    await rowOf(page, "ben").getByRole("button", { name: "Unblock" }).click();
    await rowOf(page, "ben").getByText("in force").waitFor();
  });

  test("lists show who submitted something, and only one's own on request", async () => {
    const { page } = one;
    const request = {
      driver: "netmiko",
      connection_args: { device_type: "cisco_ios", host: "127.0.0.1", port: 9, username: "u", password: "p" },
      command: "show clock",
      devices: [{}],
    };
    await place.service.call("POST", "/device/bulk", { ...request, options: { label: "of a key" } });
    const mine = { ...request, options: { label: "of anna" } };
    const sent =
      "(body) => fetch('/device/bulk', { method: 'POST', body, headers: { 'Content-Type': 'application/json' } }).then((r) => r.status)";
    expect(await page.evaluate<number>(`(${sent})(${JSON.stringify(JSON.stringify(mine))})`)).toBe(200);
    await open(page, "bulks", "Bulks");
    await rowOf(page, "of a key").waitFor();
    await rowOf(page, "of anna").getByText("anna (person)").waitFor();
    await page.getByLabel("mine").check();
    await expect.poll(() => rowOf(page, "of a key").count()).toBe(0);
    await rowOf(page, "of anna").waitFor();
    for (const [path, heading] of [
      ["jobs", "Jobs"],
      ["schedules", "Schedules"],
      ["credentials", "Credentials"],
      ["sources", "Sources"],
      ["keys", "Keys"],
      ["audit", "Audit"],
    ] as const) {
      await open(page, path, heading);
      await page.getByLabel("mine").check();
      await expect.poll(() => page.url()).toContain("submitted_by=me");
    }
    await page.getByRole("cell", { name: "device.query" }).first().waitFor();
    // Below their own name in each row it would say nothing.
    expect(await page.getByText("anna (person)").count()).toBe(0);
  });

  test.each([
    ["roles", "Roles", true],
    ["role", "New role", false],
    ["role/operators", "operators", true],
    ["persons", "Persons", false],
  ] as const)("%s passes axe on a phone and does not overflow", async (path, heading, dark) => {
    const { page } = one;
    await page.setViewportSize({ width: 360, height: 740 });
    await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
    await open(page, path, heading);
    expect(await violations(page)).toEqual([]);
    const width = await page.evaluate<number>("document.documentElement.scrollWidth");
    expect(width).toBeLessThanOrEqual(360);
    // The navigation is one line, also with names of two words.
    expect(await page.evaluate<number>("document.querySelector('nav').clientHeight")).toBeLessThan(40);
  });
});
