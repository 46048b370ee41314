/**
 * A person signs in at a real provider, in Chromium, and confirms the logins of command lines at a pseudo-terminal: through
 * the browser of the machine, and by a code. The page of the own keys, and the key for emergencies in the console.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser, type Pages, type Visitor, visit } from "../../../scripts/testbed/browser.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { keyNameFor } from "../../../src/api/access/own-key.ts";
import { programOf } from "../../../src/testkit/service.ts";
import { type SignInPlace, startSignInPlace } from "../../support/oidc.ts";
import { violations } from "../console/console-looks.ts";
import { type Operator, operator } from "../terminal.ts";

const anna = { subject: "p-anna", name: "anna", groups: ["netops"] };
const machine = keyNameFor(hostname());

describe.skipIf(needs("chromium"))("a command line", () => {
  let place: SignInPlace;
  let browser: Pages;
  let one: Visitor;
  let someone: Operator;

  beforeAll(async () => {
    place = await startSignInPlace({ persons: [anna] });
    await place.role("operators", "netops", "operate");
    browser = await openBrowser();
    someone = operator();
    one = await opened("/#/my-keys");
    await signIn(one.page);
  }, 240_000);
  afterAll(async () => {
    await browser?.close();
    await place?.stop();
  });

  const opened = (path: string, look: { width?: number; dark?: boolean } = {}) =>
    visit(browser, `${place.service.url}${path}`, { anyCertificate: true, ...look });
  async function signIn(page: Page) {
    await page.getByRole("link", { name: "Sign in with corp" }).click();
    await page.getByLabel("Name").fill("anna");
    await page.getByRole("button", { name: "Sign in" }).click();
  }
  const fits = (page: Page) =>
    page.evaluate<boolean>("document.documentElement.scrollWidth <= document.documentElement.clientWidth");
  const contextOf = (who: Operator) => {
    const file = join(who.home, ".config", "patchbay", "contexts.json");
    const { current, contexts } = JSON.parse(readFileSync(file, "utf8"));
    return contexts[current];
  };
  const statusOf = (key: string) => place.service.call("GET", "/job", undefined, { "X-API-KEY": key });
  const addressIn = (text: string) =>
    /(http:\/\/127\.0\.0\.1:\d+\/#\/confirm\?request=[\w-]+)/.exec(text)?.[1] ?? "";

  test("gets a key through the browser of its machine, works in the person's name, and ends the key at logout", async () => {
    const run = someone.at(["login", place.service.url, "--name", "lab"], { columns: 200 });
    await run.sees(/#\/confirm\?request=[\w-]{22}/);
    const { page } = one;
    await page.goto(addressIn(run.text()));
    await page.getByText("A command line asks to work in your name").waitFor();
    await page.getByText("Confirm only what you have started yourself").waitFor();
    // Each fact stays beside its name.
    const facts = await page.locator("dl.facts > div").allTextContents();
    expect(facts).toHaveLength(5);
    expect(facts).toContain("address it asks from127.0.0.1");
    for (const shown of [hostname().replace(/[^\w.-]/g, "_"), "127.0.0.1"])
      await page.getByText(shown).first().waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Confirm the login" }).click();
    await page.getByText("The command line goes on. You can close this page.").waitFor();
    expect(await run.ended).toBe(0);
    expect(run.text()).toContain(`This machine has a key of its own now: anna/${machine}, until`);
    const { key, own } = contextOf(someone);
    expect(own).toBe(true);
    expect(run.text()).not.toContain(key);
    expect((await someone.piped(["jobs"])).code).toBe(0);
    const { body } = await place.service.call<{ who: string; action: string; detail: string }[]>(
      "GET",
      "/audit?limit=20",
    );
    expect(body.data).toContainEqual(
      expect.objectContaining({ action: "login.confirm", detail: expect.stringContaining("127.0.0.1") }),
    );
    const bye = await someone.piped(["logout"]);
    expect([bye.code, bye.err]).toEqual([0, expect.stringContaining("Its key was revoked at the service.")]);
    await expect.poll(async () => (await statusOf(key)).status, { timeout: 20_000 }).toBe(403);
  });

  test("without a browser gets a key by a code that the person types, also on a narrow and dark screen", async () => {
    const run = someone.at(["login", place.service.url, "--name", "lab", "--code"], { columns: 200 });
    await run.sees(/type this code: {2}[A-Z]{4}-[A-Z]{4}/);
    const code = /code: {2}([A-Z-]{9})/.exec(run.text())?.[1] ?? "";
    const phone = await opened("/#/confirm", { width: 360, dark: true });
    await signIn(phone.page);
    const { page } = phone;
    await page.getByLabel("Code that the machine shows").fill("bbbb-bbbb");
    await page.getByRole("button", { name: "Show who asks" }).click();
    await page.getByRole("alert").getByText("No machine waits with this code").waitFor();
    await page.getByRole("button", { name: "Type it again" }).click();
    expect(await violations(page)).toEqual([]);
    await page.getByLabel("Code that the machine shows").fill(code.toLowerCase());
    await page.getByRole("button", { name: "Show who asks" }).click();
    await page.getByText("Confirm only what you have started yourself").waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await fits(page)).toBe(true);
    await page.getByRole("button", { name: "Confirm the login" }).click();
    await page.getByText("Confirmed: the command line goes on.").waitFor();
    expect(await run.ended).toBe(0);
    expect((await someone.piped(["jobs"])).code).toBe(0);
    await phone.close();
  });

  test("opens the browser that the machine names, with the address as one argument", async () => {
    const file = join(someone.home, "browser");
    writeFileSync(file, `#!/bin/sh\nprintf '%s\\n' "$#" "$1" > "$HOME/opened"\n`, { mode: 0o755 });
    const run = someone.at(["login", place.service.url, "--name", "third"], {
      columns: 200,
      env: { BROWSER: file },
    });
    await run.sees("Confirm in the browser");
    const opened = () => readFileSync(join(someone.home, "opened"), "utf8").split("\n");
    await expect
      .poll(() => existsSync(join(someone.home, "opened")) && opened()[1])
      .toBe(addressIn(run.text()));
    expect(opened()[0]).toBe("1");
    run.type("\x03");
    expect(await run.ended).toBe(130);
  });

  test("that is denied gets nothing, and one that is broken off neither", async () => {
    const run = someone.at(["login", place.service.url, "--name", "other"], { columns: 200 });
    await run.sees(/#\/confirm\?request=[\w-]{22}/);
    const { page } = one;
    await page.goto(addressIn(run.text()));
    await page.getByRole("button", { name: "Deny it" }).click();
    await run.sees("The login was denied: nothing was given.");
    expect(await run.ended).not.toBe(0);
    const stopped = someone.at(["login", place.service.url, "--name", "other", "--code"], { columns: 200 });
    await stopped.sees("type this code");
    stopped.type("\x03");
    expect(await stopped.ended).toBe(130);
    expect(await someone.piped(["context"])).toMatchObject({ out: expect.not.stringContaining("other") });
  });

  test("the page of the own keys makes, shows once and revokes; a session of a key is told that it is for persons", async () => {
    const { page } = one;
    await page.goto(`${place.service.url}/#/my-keys`);
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("name", { exact: true }).fill("script");
    await page.getByLabel("expires (days)").fill("7");
    await page.getByLabel("scope").selectOption("read");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "The key anna/script" }).waitFor();
    const key = (await page.locator(".secret").textContent()) ?? "";
    expect(key).toMatch(/^pb_[\w-]{43}$/);
    expect((await statusOf(key)).status).toBe(200);
    expect(await violations(page)).toEqual([]);
    await page.reload();
    const row = page.getByRole("row", { name: /anna\/script/ });
    await row.getByRole("button", { name: "Revoke" }).click();
    expect(await page.locator(".secret").count()).toBe(0);
    await row.getByRole("button", { name: "Revoke" }).click();
    await row.getByText("revoked").waitFor();
    await expect.poll(async () => (await statusOf(key)).status, { timeout: 20_000 }).toBe(403);

    const phone = await opened("/#/my-keys", { width: 360, dark: true });
    await signIn(phone.page);
    await phone.page.getByRole("table").waitFor();
    expect(await violations(phone.page)).toEqual([]);
    expect(await fits(phone.page)).toBe(true);
    await phone.close();

    const ofKey = await opened("/#/my-keys");
    await ofKey.page.getByLabel("API key").fill(place.service.key);
    await ofKey.page.getByRole("button", { name: "Log in" }).click();
    await ofKey.page.getByText("Keys of one's own are for people who have signed in").waitFor();
    expect(await ofKey.page.getByRole("link", { name: "My keys" }).count()).toBe(0);
    await ofKey.close();
  });

  test("the key for emergencies signs in to the console, with a banner on each page", async () => {
    const [program, ...begin] = programOf();
    const env = { PATH: process.env.PATH, PATCHBAY_DATA_DIR: place.service.dataDir };
    const made = spawnSync(program, [...begin, "key", "break-glass"], { encoding: "utf8", env });
    const { page, close } = await opened("/#/overview");
    await page.getByLabel("API key").fill(made.stdout.trim());
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByRole("alert").getByText("This session uses the key for emergencies").waitFor();
    await page.goto(`${place.service.url}/#/keys`);
    await page.getByRole("alert").getByText("This session uses the key for emergencies").waitFor();
    expect(await violations(page)).toEqual([]);
    await close();
  });

  test("what the person's role loses, the person's key loses, with everything once there is no role", async () => {
    const made = await one.page.evaluate<string>(`fetch("/person/me/key", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: '{"name": "worker"}',
    }).then((answer) => answer.text())`);
    const { key } = JSON.parse(made).data;
    const as = async (method: string, path: string, body?: object) =>
      (await place.service.call(method, path, body, { "X-API-KEY": key })).status;
    expect(await as("POST", "/template/render", {})).toBe(422);
    await place.role("operators", "netops", "read");
    await expect.poll(() => as("POST", "/template/render", {}), { timeout: 20_000 }).toBe(403);
    expect(await as("GET", "/job")).toBe(200);
    await place.service.call("DELETE", "/role/operators");
    await expect.poll(() => as("GET", "/job"), { timeout: 20_000 }).toBe(403);
  });
});
