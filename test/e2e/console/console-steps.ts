/** Steps of tests of the console: a page is opened or turned to, what it asks for has come, and jobs are held that tell of themselves. */
import { join } from "node:path";
import process from "node:process";
import type { Page } from "playwright-core";
import type { Service } from "../../../src/testkit/service.ts";

export async function open(page: Page, service: Service, view: string): Promise<void> {
  await page.goto("about:blank");
  await page.goto(`${service.url}/#/${view}`);
}

/** As by a link: the page is drawn anew, in a document that stays, which takes a quarter of the time of loading it. */
export async function turn(page: Page, { url }: Pick<Service, "url">, view: string): Promise<void> {
  const none = page.getByRole("heading", { name: "There is no such page" });
  await page.goto(`${url}/#/nosuch`);
  await none.waitFor();
  await page.goto(`${url}/#/${view}`);
  await none.waitFor({ state: "detached" });
}

/** Only for those who asked for pictures: writes one into their folder. */
export async function picture(page: Page, name: string, fullPage = false): Promise<void> {
  const folder = process.env.CONSOLE_PICTURES;
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage });
}

export async function loaded(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.getByText("Loading …").first().waitFor({ state: "detached" });
}

/** What was asked for is there, and what a page asks for after its rest of a second, too. */
export async function settled(page: Page): Promise<void> {
  await loaded(page);
  await page.waitForTimeout(1_300);
}

/** Jobs that are held until tomorrow: an event each, and another one when they are cancelled. */
export async function holdJobs(
  { call }: Service,
  of: number | readonly object[],
  cancelled = false,
  label?: string,
): Promise<string> {
  const devices =
    typeof of === "number" ? Array.from({ length: of }, (_, n) => ({ host: `127.0.3.${n + 1}` })) : of;
  const answer = await call<{ bulk_id: string }>("POST", "/device/bulk", {
    ...{ driver: "netmiko", connection_args: { username: "x", password: "x", device_type: "cisco_ios" } },
    ...{ command: "x", devices },
    options: { label, not_before: new Date(Date.now() + 86_400_000).toISOString() },
  });
  const id = answer.body.data.bulk_id;
  if (cancelled) await call("DELETE", `/bulk/${id}`);
  return id;
}
