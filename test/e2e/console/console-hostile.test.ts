/**
 * Text of devices, templates and callers remains text everywhere in the console: nothing of it runs, loads or
 * sends requests.
 */
import type { Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { logIn, openBrowser, type Pages, type Visitor, visit } from "../../../scripts/testbed/browser.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { adminKey, type Service, startService } from "../../../src/testkit/service.ts";
import type { Answers, View } from "./console-place.ts";
import { savedAs, views } from "./console-places.ts";
import { turn } from "./console-steps.ts";

/** Runs as a script, image, frame, style or link wherever it is not treated as text. */
const hostileIn = (place: string) =>
  [
    `${place} "'><img src=x onerror="window.ran=1"><script>window.ran=1</script>`,
    `<iframe src="https://evil.example/"></iframe><style>@import "https://evil.example/a.css"</style>`,
    `<a href="javascript:window.ran=1">{{7*7}}\${7*7}</a>`,
  ].join("");

describe.skipIf(needs("chromium"))("hostile text", () => {
  let browser: Pages;
  let service: Service;
  let one: Visitor;
  let answers: Answers = {};

  beforeAll(async () => {
    service = await startService();
    browser = await openBrowser();
    one = await visit(browser, service.url);
    await one.page.addInitScript(
      "addEventListener('securitypolicyviolation', (event) => { window.violated = event.violatedDirective })",
    );
    await one.page.route(
      ({ origin, pathname }) => origin === service.url && answers[pathname] !== undefined,
      (route) => fulfil(route, answers),
    );
    await logIn(one, adminKey);
  }, 240_000);
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  async function show(address: string, given: Answers, press?: string): Promise<void> {
    const { page } = one;
    answers = given;
    one.complaints.length = 0;
    await turn(page, service, address);
    if (press !== undefined) await page.getByRole("button", { name: press }).click();
  }

  test.each(views.map((view) => [titleOf(view), view] as const))("%s", async (_title, view) => {
    const { page, complaints, foreign } = one;
    await show(view.address, view.answers(hostileIn), view.press);
    for (const place of view.places) {
      const text = page.getByText(hostileIn(place)).or(page.getByText(asJson(hostileIn(place))));
      await text.first().waitFor({ state: view.folded ? "attached" : "visible" });
    }
    const state = "JSON.stringify([window.ran, window.violated, document.scripts.length, location.hash])";
    expect(JSON.parse(await page.evaluate<string>(state))).toEqual([null, null, 1, `#/${view.address}`]);
    expect(await page.locator("img, iframe, main style, a[href^=javascript]").count()).toBe(0);
    // The browser itself logs refused requests.
    expect(complaints.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
    expect(foreign).toEqual([]);
  });

  test("a saved file gets a safe name without path separators", async () => {
    await show("job/job-1", savedAs(`../../${hostileIn("file")}`));
    const saved = one.page.waitForEvent("download");
    await one.page.getByRole("button", { name: "CSV" }).click();
    expect((await saved).suggestedFilename()).toMatch(/^[\w-][\w.-]{0,80}$/);
  });
});

const titleOf = ({ address, because, places }: View) =>
  `${address}${because === undefined ? "" : `, where ${because}`}: ${places.join(", ")}`;
/** JSON-escaped, as inside a structure. */
const asJson = (text: string) => JSON.stringify(text).slice(1, -1);

async function fulfil(route: Route, answers: Answers): Promise<void> {
  const answer = answers[new URL(route.request().url()).pathname];
  if (answer === undefined) return route.fallback();
  if ("events" in answer) {
    const body = answer.events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
    return route.fulfill({ contentType: "text/event-stream", body: `: begun\n\n${body.join("")}` });
  }
  if ("data" in answer) return route.fulfill({ json: { code: 200, message: "success", ...answer } });
  return route.fulfill({ status: 422, json: { code: -1, message: answer.message, data: answer.refused } });
}
