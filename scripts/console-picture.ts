/**
 * Takes docs/console.png, the picture of README: the console with a bulk on simulated switches. With `--all=<folder>`
 * every page in that folder, at 1280, 768 and 360 pixels, light and dark. Needs Chromium.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Browser } from "playwright-core";
import { builtins } from "../plugins/index.ts";
import { createRegistry } from "../src/registry/registry.ts";
import { adminKey, startService } from "../src/testkit/service.ts";
import { startSimulator } from "../src/testkit/simulator/simulator.ts";
import { logIn, startBrowser, visit } from "./testbed/browser.ts";

const all = process.argv.find((given) => given.startsWith("--all="))?.slice("--all=".length);
const only = process.argv.find((given) => given.startsWith("--only="))?.slice("--only=".length);
const target = process.argv.slice(2).find((given) => !given.startsWith("--")) ?? "docs/console.png";
const sites = ["berlin", "lyon", "oslo"];
const broken = new Set([7, 23]);
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

const registry = createRegistry();
for (const plugin of builtins) registry.add(plugin, "builtin");
const platform = registry.require("platform", "cisco_ios");
const service = await startService();
const switches = await Promise.all(
  Array.from({ length: 36 }, (_, at) =>
    startSimulator({ platform, hostname: nameOf(at), password: broken.has(at) ? "other" : "admin" }),
  ),
);
const browser = await startBrowser();
try {
  await service.call("PUT", "/credential/lab", { username: "admin", password: "admin", secret: "enable" });
  const access = { name: "access", driver: "netmiko", platform: "cisco_ios" };
  await service.call("POST", "/inventory/device", {
    groups: [
      { ...access, credential: { name: "file", ref: "lab" } },
      ...sites.map((site) => ({ name: `access-${site}`, parent: "access" })),
    ],
    devices: switches.map(({ port }, at) => ({
      ...{ name: nameOf(at), group: `access-${siteOf(at)}`, site: siteOf(at), host: "127.0.0.1", port },
    })),
  });
  const evening = await bulk({
    select: "group:access",
    command: ["show version", "show ip interface brief"],
    options: { label: "evening check", ticket: "CHG-7" },
  });
  if (all === undefined) await readme(browser, evening);
  else await everyPage(browser, evening, all);
} finally {
  await browser.close();
  await Promise.all(switches.map((one) => one.stop()));
  await service.stop();
}

async function bulk(body: object): Promise<string> {
  const wait = { Prefer: "wait=60" };
  const { data } = (await service.call<{ bulk_id: string }>("POST", "/device/bulk", body, wait)).body;
  return data.bulk_id;
}

async function readme(browser: Browser, id: string): Promise<void> {
  const { page, close } = await visit(browser, service.url, { width: 1100 });
  await page.setViewportSize({ width: 1100, height: 620 });
  await logIn({ page }, adminKey);
  await page.goto(`${service.url}/#/bulk/${id}`);
  await page.getByRole("heading", { name: "evening check" }).waitFor();
  await page
    .locator(".cell.failed")
    .nth(broken.size - 1)
    .waitFor();
  await page.screenshot({ path: target });
  await close();
}

async function everyPage(browser: Browser, evening: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const addresses = await filled(evening);
  for (const { name, ...look } of looks) {
    const { page, complaints, close } = await visit(browser, service.url, look);
    await logIn({ page }, adminKey);
    for (const [file, address] of Object.entries(addresses)) {
      if (only && !only.split(",").includes(file)) continue;
      await page.goto("about:blank");
      await page.goto(`${service.url}/#/${address}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.getByText("Loading …").first().waitFor({ state: "detached" });
      await page.waitForTimeout(settledMs);
      await page.screenshot({ path: join(folder, `${file}-${name}.png`), fullPage: true });
      const wide = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
      if (wide > 0) console.log(`${file} at ${name}: ${wide} pixels are cut`);
    }
    if (complaints.length > 0) console.log(name, complaints);
    await close();
  }
}

/** What a week leaves behind: jobs that failed and why, versions, schedules, a change, keys. */
async function filled(evening: string): Promise<Record<string, string>> {
  const { call } = service;
  const idOf = async (asked: Promise<{ body: { data: unknown } }>) =>
    (await asked.then(({ body }) => body.data)) as { id: string };
  await call("POST", "/history/take", { select: "group:access" }, { Prefer: "wait=120" });
  await call(
    "POST",
    "/device/execute",
    {
      ...{ device: nameOf(0), config: ["interface Loopback7", "description made by patchbay"] },
      ...{ driver_args: { save: true }, options: { ticket: "CHG-9", label: "loopbacks" } },
    },
    { Prefer: "wait=30" },
  );
  await call(
    "POST",
    "/device/execute",
    { device: nameOf(1), config: ["no such line"] },
    { Prefer: "wait=30" },
  );
  await call("POST", "/history/take", { select: "group:access-berlin" }, { Prefer: "wait=120" });
  const parsed = await bulk({
    ...{ select: "group:access-lyon", command: "show ip interface brief" },
    ...{ parsing: { name: "textfsm" }, options: { label: "interfaces" } },
  });
  const schedule = await idOf(
    call("POST", "/schedule", {
      ...{ name: "versions", cron: "30 2 * * *", time_zone: "Europe/Berlin" },
      what: { kind: "query", request: { select: "group:access", command: "show version" } },
    }),
  );
  await call("POST", `/schedule/${schedule.id}/run`, {});
  await call("POST", "/schedule", {
    ...{ name: "no such group", cron: "0 3 * * *" },
    what: { kind: "query", request: { select: "group:access", command: "show clock" } },
  });
  await call("POST", "/key", { name: "grafana", scope: "read" });
  await call("PUT", "/role/netops", { scope: "operate", groups: ["netops"], rights: ["history"] });
  const change = await idOf(
    call("POST", "/change", {
      ...{
        name: "NTP of Berlin",
        ticket: "CHG-1042",
        select: "group:access-berlin",
        config: "ntp server 192.0.2.1",
      },
      strategy: { canary: 1, waves: ["2", "100%"] },
    }),
  );
  const planned = await idOf(
    call("POST", "/change", {
      ...{ name: "logging to the collector of the western campus", select: "group:access-lyon" },
      ...{ config: "logging host 192.0.2.7", strategy: { canary: 1, waves: ["3", "100%"] } },
    }),
  );
  await call("POST", `/change/${planned.id}/plan`, {});
  await call("POST", `/change/${planned.id}/rehearse`, {});
  const shipped = (await call<{ name: string }[]>("GET", "/shipped-recipe")).body.data.map(
    ({ name }) => name,
  );
  for (const name of shipped.slice(0, 3)) {
    const recipe = Bun.YAML.parse(await Bun.file(join("recipes", `${name}.yaml`)).text());
    await call("PUT", `/recipe/${name}`, recipe);
  }
  await call("PUT", "/template/ntp", { engine: "jinja2", template: "ntp server 192.0.2.123" });
  await call("PUT", "/intent/ntp", {
    ...{ select: "group:access", rendering: { name: "jinja2", template: "template://ntp" } },
    sections: [{ name: "ntp", match: ["ntp server *"], mode: "exact" }],
  });
  await call("POST", "/drift/run", { intents: ["ntp"] });
  const jobs = (await call<{ id: string; status: string; host: string }[]>("GET", "/job?limit=100")).body
    .data;
  const jobOf = (status: string) => jobs.find((one) => one.status === status)?.id ?? "";
  const pushed = (await call<{ id: string }[]>("GET", "/job?ticket=CHG-9")).body.data[0]?.id ?? "";
  return {
    ...{ overview: "overview", run: "run", change: "change", "change-one": `change/${change.id}` },
    ...{ jobs: "jobs", "job-failed": `job/${jobOf("failed")}`, "job-push": `job/${pushed}` },
    ...{
      bulks: "bulks",
      bulk: `bulk/${evening}`,
      results: `results/${evening}`,
      "results-parsed": `results/${parsed}`,
    },
    ...{ schedules: "schedules", schedule: `schedule/${schedule.id}`, templates: "templates" },
    ...{ devices: "devices", device: `device/${nameOf(0)}`, groups: "groups", group: "group/access" },
    ...{ discover: "discover", sources: "sources", import: "import" },
    ...{ history: "history", "history-one": `history/${nameOf(0)}`, changes: "changes", search: "search" },
    ...{ workers: "workers", keys: "keys", persons: "persons", roles: "roles", role: "role/netops" },
    ...{ credentials: "credentials", ledger: "ledger", audit: "audit", plugins: "plugins" },
    ...{ settings: "settings", licences: "licences", drift: "drift", recipes: "recipes" },
    ...{ recipe: `recipe/${shipped[0]}`, template: "template/ntp" },
    ...{ "change-rehearsed": `change/${planned.id}`, "my-keys": "my-keys", source: "source" },
    ...{ "change-new": "change/new", "schedule-new": "schedule", "device-new": "device" },
    ...{ "search-hits": "search?q=hostname", "job-long": `job/${jobOf("finished")}` },
  };
}

function siteOf(at: number): string {
  return sites[at % sites.length] ?? "";
}

function nameOf(at: number): string {
  const name = `${siteOf(at)}-sw${String(at + 1).padStart(2, "0")}`;
  // As long as names are where they say all about a place.
  return all !== undefined && broken.has(at) ? `${name}.building-17.campus.example.net` : name;
}
