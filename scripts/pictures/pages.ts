/** Which pages are taken, as whom, and what is done on a page before its picture. */

import type { Page } from "playwright-core";
import { edges, longest, nameOf } from "./place.ts";
import type { Week } from "./week.ts";

export interface Shot {
  /** The part behind `#/`. */
  readonly address: string;
  /** `person`: as anna, who has signed in; `nobody`: before a login. */
  readonly as?: "person" | "nobody";
  readonly first?: (page: Page) => Promise<unknown>;
}

/** The pages of the navigation, and the forms of what is new. */
const always: Readonly<Record<string, string>> = {
  ...{ overview: "overview", run: "run", change: "change", jobs: "jobs", bulks: "bulks" },
  ...{ schedules: "schedules", recipes: "recipes", templates: "templates", devices: "devices" },
  ...{ groups: "groups", discover: "discover", sources: "sources", import: "import" },
  ...{ history: "history", changes: "changes", search: "search", drift: "drift" },
  ...{ workers: "workers", keys: "keys", persons: "persons", roles: "roles" },
  ...{ credentials: "credentials", ledger: "ledger", audit: "audit", plugins: "plugins" },
  ...{ settings: "settings", licences: "licences", "change-new": "change/new" },
  ...{ "schedule-new": "schedule", "device-new": "device", "group-new": "group", "source-new": "source" },
  ...{ "role-new": "role", "template-new": "template", "no-page": "nosuch", "no-job": "job/nosuch" },
};

const plain = (addresses: Readonly<Record<string, string>>): Record<string, Shot> =>
  Object.fromEntries(Object.entries(addresses).map(([name, address]) => [name, { address }]));

const press = (name: string | RegExp) => (page: Page) =>
  page.getByRole("main").getByRole("button", { name }).first().click();

const find = (wanted: string) => async (page: Page) => {
  await page.keyboard.press("/");
  await page.getByRole("dialog").getByRole("combobox").fill(wanted);
  if (wanted !== "") await page.getByRole("option").first().waitFor();
};

/** Those that are the same without anything to show. */
export const emptyShots: Readonly<Record<string, Shot>> = {
  ...plain(always),
  login: { address: "overview", as: "nobody" },
  "my-keys": { address: "my-keys", as: "person" },
  find: { address: "overview", first: find("") },
};

export function shotsOf(week: Week): Readonly<Record<string, Shot>> {
  const [first = "", broken = ""] = [nameOf(0, true), nameOf(7, true)];
  const at = (name: string) => week[name] ?? "";
  return {
    ...emptyShots,
    ...plain({
      ...{ "job-failed": `job/${at("job-failed")}`, "job-push": `job/${at("pushed")}` },
      ...{ "job-checks": `job/${at("checked")}`, "job-unknown": `job/${at("unknown")}` },
      ...{
        "job-key": `job/${at("replaced")}`,
        "job-dry": `job/${at("dry")}`,
        "job-long": `job/${at("job-long")}`,
      },
      ...{ "job-running": `job/${at("job-running")}`, "job-queued": `job/${at("job-queued")}` },
      ...{ "job-held": `job/${at("job-held")}`, "job-cancelled": `job/${at("job-cancelled")}` },
      ...{ "job-rehearsed": `job/${at("rehearsed")}`, "jobs-failed": "jobs?status=failed" },
      ...{
        "jobs-none": "jobs?host=nosuch",
        bulk: `bulk/${at("evening")}`,
        "bulk-running": `bulk/${at("running")}`,
      },
      ...{ "bulk-held": `bulk/${at("held")}`, results: `results/${at("evening")}` },
      ...{ "results-parsed": `results/${at("parsed")}`, schedule: `schedule/${at("schedule")}` },
      ...{ "schedule-failed": `schedule/${at("schedule-failed")}`, device: `device/${first}` },
      ...{ "device-broken": `device/${broken}`, "device-long": `device/${longest}` },
      ...{ group: "group/access", "group-edge": "group/edge", discovered: `discover/${at("discovered")}` },
      ...{ source: "source/fleet", "source-failed": "source/campus-west", "history-one": `history/${first}` },
      ...{
        "history-blame": `history/${first}?blame=yes`,
        "history-diff": `history/${first}?from=1&version=2`,
      },
      ...{ "history-sections": `history/${first}?from=1&version=2&form=structured` },
      ...{
        "history-missing": `history/${broken}`,
        "search-hits": "search?q=description+desk+1-",
        role: "role/netops",
      },
      ...{ recipe: "recipe/backup-around", "recipe-run": `recipe/compare-devices/${at("compared")}` },
      ...{ "recipe-failed": `recipe/backup-around/${at("failed")}` },
      ...{ "recipe-proposed": `recipe/compare-devices/${at("proposed")}`, template: "template/ntp" },
      ...{ "drift-device": `drift/${first}`, "change-one": `change/${at("drafted")}` },
      ...{ "change-done": `change/${at("done")}`, "change-halted": `change/${at("halted")}` },
      ...{ "change-returned": `change/${at("returned")}`, "change-paused": `change/${at("paused")}` },
      ...{ "change-rehearsed": `change/${at("planned")}`, "change-agent": `change/${at("agent")}` },
      ...{
        "change-cancelled": `change/${at("cancelled")}`,
        "change-edit": `change/${at("drafted")}?edit=true`,
      },
    }),
    "overview-person": { address: "overview", as: "person" },
    "change-vote": { address: `change/${at("planned")}`, as: "person", first: press("Approve") },
    "change-resume": { address: `change/${at("paused")}`, first: press("Resume") },
    "change-stop": { address: `change/${at("paused")}`, first: press("Stop") },
    "job-retry": { address: `job/${at("unknown")}`, first: press("Retry anyway") },
    "job-sent": { address: `job/${at("pushed")}`, first: press("What was sent") },
    "job-cancel": { address: `job/${at("job-running")}`, first: press("Cancel") },
    "bulk-retry": { address: `bulk/${at("evening")}`, first: press(/^Retry/) },
    "bulk-stop": { address: `bulk/${at("running")}`, first: press("Stop running jobs") },
    "device-edit": { address: `device/${first}`, first: press("Edit") },
    "device-remove": { address: `device/${first}`, first: press("Remove") },
    "device-tested": { address: `device/${edges.refused}`, first: press("Test login") },
    "schedule-edit": { address: `schedule/${at("schedule")}`, first: press("Edit") },
    "source-edit": { address: "source/fleet", first: press("Edit") },
    "source-preview": { address: "source/fleet", first: press("Preview changes") },
    "find-device": { address: "overview", first: find("berlin") },
    "run-push": { address: "run", first: runPush },
    "run-netmiko": { address: "run", first: (page) => page.getByLabel("netmiko").check() },
    "import-preview": { address: "import", first: preview },
    "import-wrong": {
      address: "import",
      async first(page) {
        await page.getByLabel("Text").fill("name,host,port\nsw1,192.0.2.1,none\n");
        await press("Preview changes")(page);
      },
    },
    "templates-rendered": { address: "templates", first: press("Render") },
    "template-tested": { address: "template/ntp", first: press(/Test|Run the tests/) },
    "jobs-columns": { address: "bulks", first: (page) => page.getByText("Columns, copy").first().click() },
    "changes-diff": { address: "changes", first: press(/^Difference/) },
    "keys-new": { address: "keys", first: newKey },
    away: {
      address: "jobs",
      async first(page) {
        await page.route("**/*", (route) => route.abort());
        await page.getByLabel("mine").check();
        await page.getByText("The service is unreachable.").first().waitFor();
      },
    },
  };
}

async function runPush(page: Page): Promise<void> {
  await page.getByLabel("Inventory selector").fill("site:berlin");
  await page.getByLabel("configuration", { exact: true }).check();
  await page.getByLabel("Lines").fill("ntp server 192.0.2.1\nntp server 192.0.2.2");
  await page.getByLabel("dry run", { exact: true }).uncheck();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("alertdialog").waitFor();
}

async function preview(page: Page): Promise<void> {
  await page
    .getByLabel("Text")
    .fill(
      `name,host,group,site\n${nameOf(0, true)},192.0.2.1,access,hamburg\nmalmo-sw01,192.0.2.41,access,malmo\n`,
    );
  await press("Preview changes")(page);
  await page.getByText("Would change").waitFor();
}

async function newKey(page: Page): Promise<void> {
  await press("New key")(page);
  await page.getByLabel("name", { exact: true }).fill(`picture-${Date.now() % 100_000}`);
  await press("Save")(page);
  await page.locator(".once").waitFor();
}
