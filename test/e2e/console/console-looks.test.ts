/** What is left out where rows are made alike hides no fault. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser, type Pages } from "../../../scripts/testbed/browser.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { violations } from "./console-looks.ts";

const good = (n: number) => `<tr><td>sw${n}</td><td><a href="#/device/sw${n}">open sw${n}</a></td></tr>`;

describe.skipIf(needs("chromium"))("axe on rows that are made alike", () => {
  let browser: Pages;
  let page: Page;

  beforeAll(async () => {
    browser = await openBrowser();
    page = await (await browser.newContext()).newPage();
  });
  afterAll(() => browser?.close());

  const found = async (row: (n: number) => string) => {
    const rows = Array.from({ length: 40 }, (_, n) => row(n)).join("");
    await page.setContent(
      `<html lang="en"><title>rows</title><main><h1>Rows</h1><table><tr><th>name</th><th>way</th></tr>${rows}</table></main>`,
    );
    return violations(page);
  };
  const wrong = (row: string) => (n: number) => (n === 30 ? row : good(n));

  test("finds nothing in good ones", async () => {
    expect(await found(good)).toEqual([]);
  });

  test("finds what is wrong in all of them, in the first three", async () => {
    const nameless = [["link-name", Array(3).fill('<a href="#/x"></a>')]];
    expect(await found(() => '<tr><td>a</td><td><a href="#/x"></a></td></tr>')).toEqual(nameless);
  });

  test.each([
    ["a link without words", '<tr><td>a</td><td><a href="#/x"></a></td></tr>', "link-name"],
    [
      "a link whose words are hidden",
      '<tr><td>a</td><td><a href="#/x" aria-hidden="true">x</a></td></tr>',
      "aria-hidden-focus",
    ],
    [
      "an image without a text",
      '<tr><td>a</td><td><a href="#/x">x</a><img src="data:,"></td></tr>',
      "image-alt",
    ],
    ["a title that is empty", '<tr><td>a</td><td><iframe title=""></iframe></td></tr>', "frame-title"],
    ["words that are hardly seen", '<tr><td>a</td><td style="color:#eee">hardly</td></tr>', "color-contrast"],
    ["a role that there is not", '<tr><td>a</td><td><a href="#/x" role="lnk">x</a></td></tr>', "aria-roles"],
  ])("finds the only %s", async (_what, row, rule) => {
    expect(await found(wrong(row))).toEqual([[rule, [expect.any(String)]]]);
  });
});
