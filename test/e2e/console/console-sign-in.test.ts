/** Sign-in in a browser at a real provider: the button, the way back, the logout on either side, and a provider that is down. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser, type Pages, type Visitor, visit } from "../../../scripts/testbed/browser.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type SignInPlace, startSignInPlace } from "../../support/oidc.ts";
import { violations } from "./console-looks.ts";

const anna = { subject: "p-anna", name: "anna", groups: ["netops"] };
const ben = { subject: "p-ben", name: "ben", groups: [] };

describe.skipIf(needs("chromium"))("in a browser", () => {
  let place: SignInPlace;
  let browser: Pages;
  let one: Visitor;

  beforeAll(async () => {
    place = await startSignInPlace({ persons: [anna, ben] });
    await place.role("operators", "netops", "operate");
    browser = await openBrowser();
    one = await opened("/#/jobs");
  }, 240_000);
  afterAll(async () => {
    await browser?.close();
    await place?.stop();
  });

  const opened = (path: string, width?: number) =>
    visit(browser, `${place.service.url}${path}`, {
      anyCertificate: true,
      ...(width === undefined ? {} : { width }),
    });
  const button = (page: Page) => page.getByRole("link", { name: "Sign in with corp" });

  async function signIn(page: Page, name = "anna") {
    await button(page).click();
    await page.getByLabel("Name").fill(name);
    await page.getByRole("button", { name: "Sign in" }).click();
  }
  async function confirmLogout(page: Page) {
    await page.getByRole("button", { name: /yes/i }).click();
  }

  test("a provider that is down is told, with a way back", async () => {
    await place.provider.off();
    const { page, close } = await opened("/");
    await button(page).click();
    await page.getByText("it refuses connections").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("link", { name: "Back to the sign-in" }).click();
    await button(page).waitFor();
    await close();
    await place.provider.on();
  }, 120_000);

  test("the page offers the provider beside the key, also on a phone", async () => {
    await one.page.getByLabel("API key").waitFor();
    expect(await violations(one.page)).toEqual([]);
    const phone = await opened("/", 360);
    await button(phone.page).waitFor();
    const width = await phone.page.evaluate<number>("document.documentElement.scrollWidth");
    expect(width).toBeLessThanOrEqual(360);
    await phone.close();
  }, 120_000);

  test("a person signs in and is where they wanted to go", async () => {
    await signIn(one.page);
    await one.page.getByRole("navigation").waitFor();
    expect(one.page.url()).toBe(`${place.service.url}/#/jobs`);
    await one.page.getByText("anna", { exact: true }).waitFor();
    // Scripts of the page see no token.
    expect(await one.page.evaluate<string>("document.cookie")).not.toContain("patchbay_session");
    await one.page.reload();
    await one.page.getByText("anna", { exact: true }).waitFor();
    // The provider of the testbed has no icon.
    expect(one.complaints.filter((text) => !text.includes(place.provider.issuer))).toEqual([]);
  }, 120_000);

  test("a logout at the provider is seen by the open page", async () => {
    const other = await one.context.newPage();
    await other.goto(`${place.provider.issuer}/session/end`);
    await confirmLogout(other);
    await button(one.page).waitFor();
    await other.close();
  }, 120_000);

  test("a logout here goes on to the provider, which leads back", async () => {
    await signIn(one.page);
    await one.page.getByRole("button", { name: "Log out" }).click();
    await one.page.waitForURL((url) => url.origin === place.provider.issuer);
    await confirmLogout(one.page);
    await button(one.page).waitFor();
    expect(new URL(one.page.url()).origin).toBe(place.service.url);
    // Nobody is signed in at the provider any more: it asks again.
    await button(one.page).click();
    await one.page.getByLabel("Name").waitFor();
  }, 120_000);

  test("somebody without a role sees who they are", async () => {
    const { page, close } = await opened("/");
    await signIn(page, "ben");
    await page.getByRole("heading", { name: "You have no role here" }).waitFor();
    await page.getByText("p-ben").waitFor();
    expect(await violations(page)).toEqual([]);
    await close();
  }, 120_000);
});
