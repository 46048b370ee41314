/** Takes docs/console.png, the picture of README: the console with a bulk on simulated switches. Needs Chromium. */
import process from "node:process";
import { builtins } from "../plugins/index.ts";
import { createRegistry } from "../src/registry/registry.ts";
import { adminKey, startService } from "../src/testkit/service.ts";
import { startSimulator } from "../src/testkit/simulator/simulator.ts";
import { logIn, startBrowser, visit } from "./testbed/browser.ts";

const target = process.argv[2] ?? "docs/console.png";
const sites = ["berlin", "lyon", "oslo"];
const broken = new Set([7, 23]);

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
  await service.call("POST", "/inventory/device", {
    groups: [
      {
        ...{ name: "access", driver: "netmiko", platform: "cisco_ios" },
        credential: { name: "file", ref: "lab" },
      },
    ],
    devices: switches.map(({ port }, at) => ({
      ...{ name: nameOf(at), group: "access", site: siteOf(at), host: "127.0.0.1", port },
    })),
  });
  const bulk = await service.call<{ bulk_id: string }>(
    "POST",
    "/device/bulk",
    {
      select: "group:access",
      command: ["show version", "show ip interface brief"],
      options: { label: "evening check", ticket: "CHG-7" },
    },
    { Prefer: "wait=60" },
  );
  const { page, close } = await visit(browser, service.url, { width: 1100 });
  await page.setViewportSize({ width: 1100, height: 620 });
  await logIn({ page }, adminKey);
  await page.goto(`${service.url}/#/bulk/${bulk.body.data.bulk_id}`);
  await page.getByRole("heading", { name: "evening check" }).waitFor();
  await page
    .locator(".cell.failed")
    .nth(broken.size - 1)
    .waitFor();
  await page.screenshot({ path: target });
  await close();
} finally {
  await browser.close();
  await Promise.all(switches.map((one) => one.stop()));
  await service.stop();
}

function siteOf(at: number): string {
  return sites[at % sites.length] ?? "";
}

function nameOf(at: number): string {
  return `${siteOf(at)}-sw${String(at + 1).padStart(2, "0")}`;
}
