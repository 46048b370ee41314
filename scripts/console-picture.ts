/**
 * Takes docs/console.png, the picture of README: the console with a bulk on simulated switches. With `--all=<folder>`
 * every page in that folder, at 1280, 768 and 360 pixels, light and dark, after a week in which much has gone wrong; with
 * `--empty` of a service that has nothing yet. `--only=<page>,<page>` and `--looks=1280,360-dark` take some of them. Needs Chromium.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Browser } from "playwright-core";
import { adminKey } from "../src/testkit/service.ts";
import { emptyShots, type Shot, shotsOf } from "./pictures/pages.ts";
import { broken, startPlace } from "./pictures/place.ts";
import { liveAWeek } from "./pictures/week.ts";
import { logIn, startBrowser, type Visitor, visit } from "./testbed/browser.ts";

const optionOf = (name: string) =>
  process.argv.find((given) => given.startsWith(`--${name}=`))?.slice(name.length + 3);
const [all, only, wanted] = [optionOf("all"), optionOf("only"), optionOf("looks")];
const isEmpty = process.argv.includes("--empty");
const target = process.argv.slice(2).find((given) => !given.startsWith("--")) ?? "docs/console.png";
/** Answers that come after the page has been drawn. */
const settledMs = 250;
const looks = [
  { name: "1280", width: 1280, dark: false },
  { name: "1280-dark", width: 1280, dark: true },
  { name: "768", width: 768, dark: false },
  { name: "768-dark", width: 768, dark: true },
  { name: "360", width: 360, dark: false },
  { name: "360-dark", width: 360, dark: true },
];

const place = await startPlace({ hasLongNames: all !== undefined, isEmpty });
const { service } = place;
const browser = await startBrowser();
try {
  if (all === undefined) await readme(browser);
  else await everyPage(browser, isEmpty ? emptyShots : shotsOf(await liveAWeek(place)), all);
} finally {
  await browser.close();
  await place.stop();
}
// The provider of the sign-in leaves a timer.
process.exit();

async function readme(browser: Browser): Promise<void> {
  const { body } = await service.call<{ bulk_id: string }>(
    "POST",
    "/device/bulk",
    {
      ...{ select: "group:access and not group:edge", command: ["show version", "show ip interface brief"] },
      options: { label: "evening check", ticket: "CHG-7" },
    },
    { Prefer: "wait=60" },
  );
  const { page, close } = await visit(browser, service.url, { width: 1100 });
  await page.setViewportSize({ width: 1100, height: 620 });
  await logIn({ page }, adminKey);
  await page.goto(`${service.url}/#/bulk/${body.data.bulk_id}`);
  await page.getByRole("heading", { name: "evening check" }).waitFor();
  await page
    .locator(".cell.failed")
    .nth(broken.size - 1)
    .waitFor();
  await page.screenshot({ path: target });
  await close();
}

async function everyPage(
  browser: Browser,
  shots: Readonly<Record<string, Shot>>,
  folder: string,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const chosen = Object.entries(shots).filter(([name]) => !only || only.split(",").includes(name));
  for (const { name: look, ...how } of looks) {
    if (wanted && !wanted.split(",").includes(look)) continue;
    const visitors = new Map<string, Visitor>();
    for (const [name, { address, as = "key", first }] of chosen) {
      const visitor = visitors.get(as) ?? (await comes(browser, as, how));
      visitors.set(as, visitor);
      const { page } = visitor;
      await page.goto("about:blank");
      await page.goto(`${service.url}/#/${address}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.getByText("Loading …").first().waitFor({ state: "detached" });
      try {
        await first?.(page);
      } catch (error) {
        console.log(`${name} at ${look}: ${String(error).split("\n")[0]}`);
      }
      await page.waitForTimeout(settledMs);
      await page.screenshot({ path: join(folder, `${name}-${look}.png`), fullPage: true });
      const wide = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
      if (wide > 0) console.log(`${name} at ${look}: ${wide} pixels are cut`);
      await page.unrouteAll();
    }
    for (const { complaints, close } of visitors.values()) {
      if (complaints.length > 0) console.log(look, complaints);
      await close();
    }
  }
}

async function comes(
  browser: Browser,
  as: "key" | "person" | "nobody",
  how: { readonly width: number; readonly dark: boolean },
): Promise<Visitor> {
  const visitor = await visit(browser, service.url, { ...how, anyCertificate: true });
  visitor.context.setDefaultTimeout(20_000);
  const { page } = visitor;
  if (as === "key") await logIn(visitor, adminKey);
  if (as === "person") {
    await page.getByRole("link", { name: "Sign in with corp" }).click();
    await page.getByLabel("Name").fill("anna");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("navigation").waitFor();
  }
  return visitor;
}
