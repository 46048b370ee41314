/** The console says on every page why the service accepts no work, and stops saying it when that has passed. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { logIn, openBrowser, type Pages, type Visitor, visit } from "../../../scripts/testbed/browser.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { adminKey, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { violations } from "./console-looks.ts";

const mayMount = process.getuid?.() === 0 && process.platform === "linux";

describe.skipIf(needs("chromium") || !mayMount)("a service that accepts no work", () => {
  const folder = tempFolder();
  const disk = join(folder, "disk");
  const ballast = join(disk, "ballast");
  let browser: Pages;
  let service: Service;
  let one: Visitor;

  beforeAll(async () => {
    mkdirSync(disk);
    execFileSync("/bin/mount", ["-t", "tmpfs", "-o", "size=160m", "tmpfs", disk]);
    service = await startService({ dataDir: join(disk, "data"), env: { PATCHBAY_MIN_FREE_MB: "80" } });
    browser = await openBrowser();
    one = await visit(browser, service.url);
    await logIn(one, adminKey);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
    execFileSync("/bin/umount", ["-l", disk]);
    rmSync(folder, { recursive: true, force: true });
  });
  const banner = () => one.page.locator(".not-ready", { hasText: "No work is accepted now" });
  const open = (view: string) => one.page.goto(`${service.url}/#/${view}`);

  test("a disk that is nearly full is said on every page with the sentence of readyz, until there is space", async () => {
    await one.page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(await banner().count()).toBe(0);
    const heading = () => one.page.getByRole("heading", { level: 1 }).boundingBox();
    const stands = await heading();
    writeFileSync(ballast, Buffer.alloc(120 * 1024 * 1024));
    const sentence = /^the disk has \d+ MiB free, .*PATCHBAY_MIN_FREE_MB/;
    const answer = async () => (await fetch(`${service.url}/readyz`)).json();
    await expect.poll(answer).toMatchObject({ data: [expect.stringMatching(sentence)] });
    await banner().waitFor();
    expect(await banner().getByRole("listitem").allTextContents()).toEqual([expect.stringMatching(sentence)]);
    // Nothing jumps from under the pointer.
    expect(await heading()).toEqual(stands);
    expect(await violations(one.page)).toEqual([]);
    await open("jobs");
    await one.page.getByRole("heading", { name: "Jobs" }).waitFor();
    await banner().waitFor();
    rmSync(ballast);
    await banner().waitFor({ state: "detached" });
    expect(one.foreign).toEqual([]);
  });

  test("every reason that readyz gives is shown, as text", async () => {
    const reasons = ["the service is stopping", "<b>the store failed</b>"];
    await one.page.route("**/readyz", (route) =>
      route.fulfill({ status: 503, json: { code: -1, message: "not ready", data: reasons } }),
    );
    await open("bulks");
    await banner().getByText("<b>the store failed</b>").waitFor();
    expect(await banner().getByRole("listitem").allTextContents()).toEqual(reasons);
    await one.page.unroute("**/readyz");
    await banner().waitFor({ state: "detached" });
  });

  test("a session that it cannot look up for a moment is not taken for ended", async () => {
    let refused = 0;
    await one.page.route("**/session", (route) =>
      refused < 3 && route.request().method() === "GET"
        ? route.fulfill({ status: ++refused === 1 ? 429 : 503, json: { code: -1, message: "not now" } })
        : route.continue(),
    );
    await one.page.reload();
    await one.page.getByRole("navigation").waitFor();
    expect(refused).toBe(3);
    await one.page.unroute("**/session");
  });

  test("a service that answers nothing but faults is told, and nobody is sent to sign in again", async () => {
    await one.page.route("**/session", (route) =>
      route.fulfill({ status: 500, json: { code: -1, message: "a fault" } }),
    );
    await one.page.reload();
    await one.page.getByText("The service is unreachable. Retrying automatically.").waitFor();
    expect(await one.page.getByLabel("API key").count()).toBe(0);
    await one.page.unroute("**/session");
    await one.page.getByRole("navigation").waitFor();
  });
});
