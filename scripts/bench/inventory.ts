/**
 * `bun run bench:inventory`: imports 10,000 devices with one POST, on a file and on sqld, and measures how
 * long nodes take to load them. Prints JSON.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "../../src/base/log.ts";
import { createInventory } from "../../src/inventory/inventory.ts";
import type { Snapshot } from "../../src/inventory/port.ts";
import { readSelector } from "../../src/inventory/selector/selector.ts";
import { createStore } from "../../src/store/libsql/store.ts";
import { startSqld } from "../testbed/sqld.ts";
import { startService } from "./service.ts";

const count = 10_000;
const many = 100_000;
const actor = { keyId: "bench", name: "bench", from: null };
const sites = ["berlin", "hamburg", "lyon", "milano", "oslo"];

const groups = [
  { name: "all", driver: "netmiko", credential: { name: "file", ref: "lab" }, vars: { ntp: "10.0.0.1" } },
  ...sites.map((site) => ({ name: site, parent: "all", site, tags: [site] })),
  ...sites.flatMap((site) =>
    ["core", "access"].map((role) => ({
      name: `${site}-${role}`,
      parent: site,
      role,
      platform: "cisco_ios",
    })),
  ),
];

function device(at: number) {
  const site = sites[at % sites.length] ?? "";
  return {
    name: `${site}-sw${at}`,
    host: `10.${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}`,
    group: `${site}-${at % 10 === 0 ? "core" : "access"}`,
    tags: at % 7 === 0 ? ["lab"] : [],
    vars: { rack: at % 40, asset: `A-${at}` },
  };
}
const devices = Array.from({ length: count }, (_, at) => device(at));

const ms = (since: number) => Math.round(performance.now() - since);

/** One POST with all devices, and another caller's latency meanwhile. */
async function overHttp(url?: string) {
  const service = await startService(undefined, url === undefined ? {} : { PATCHBAY_DATABASE_URL: url });
  try {
    await service.call("GET", "/inventory/device?limit=1");
    let isDone = false;
    let slowest = 0;
    const beside = (async () => {
      while (!isDone) {
        const since = performance.now();
        await (await service.call("GET", "/health")).text();
        slowest = Math.max(slowest, ms(since));
        await Bun.sleep(5);
      }
    })();
    const post = async (body: object) => {
      const since = performance.now();
      const answer = await service.call("POST", "/inventory/device", body);
      const text = await answer.text();
      if (!answer.ok) throw new Error(text.slice(0, 500));
      return { ms: ms(since), MB: Math.round(JSON.stringify(body).length / 1e5) / 10 };
    };
    const dryRun = await post({ groups, devices, dry_run: true });
    const added = await post({ groups, devices });
    const same = await post({ groups, devices, mode: "mirror" });
    const changed = await post({ devices: devices.map(({ name }) => ({ name, role: "x" })) });
    const bulks = await bulksOf((body) => service.call("POST", "/device/bulk", body));
    isDone = true;
    await beside;
    const since = performance.now();
    await (await service.call("GET", "/inventory/device?limit=500")).text();
    return { dryRun, added, same, changed, bulks, healthBesideSlowestMs: slowest, page500Ms: ms(since) };
  } finally {
    await service.stop();
  }
}

/** Submits a bulk of 1,000 by selector and by host list; none of the jobs starts. */
async function bulksOf(post: (body: object) => Promise<Response>) {
  const size = 1_000;
  const shared = {
    command: "show version",
    connection_args: { username: "bench", password: "bench", device_type: "cisco_ios" },
    options: { not_before: new Date(Date.now() + 3_600_000).toISOString() },
  };
  const hosts = devices.slice(0, size).map(({ host }) => ({ host }));
  const times: Record<string, number[]> = { selectorMs: [], hostsMs: [] };
  for (let round = 0; round < 5; round++)
    for (const [name, more] of [
      ["selectorMs", { select: "role:x", limit: size }],
      ["hostsMs", { driver: "netmiko", devices: hosts }],
    ] as const) {
      const since = performance.now();
      const answer = await post({ ...shared, ...more });
      const text = await answer.text();
      if (!answer.ok || (text.match(/"status":"queued"/g) ?? []).length !== size)
        throw new Error(text.slice(0, 500));
      times[name]?.push(ms(since));
    }
  return times;
}

/** In this process: a starting node, and one that is notified of a change. */
async function reading(size: number, url?: string) {
  const directory = mkdtempSync(join(tmpdir(), "bench-inventory-"));
  const store = await createStore({ directory, url, masterKey: new Uint8Array(32).fill(1), log: silentLog });
  const node = () =>
    createInventory({
      store,
      log: silentLog,
      iso: String,
      isSecretField: () => false,
      nameCredential: async ({ name, ref }) => ({ name: `${name}:${ref}`, kept: true }),
    });
  const writer = node();
  await writer.apply({ groups }, {}, actor);
  for (let from = 0; from < size; from += count)
    await writer.apply({ devices: Array.from({ length: count }, (_, at) => device(from + at)) }, {}, actor);
  const reader = node();
  let since = performance.now();
  const { size: read } = await reader.snapshot();
  const wholeMs = ms(since);
  await writer.apply({ devices: [{ name: device(1).name, role: "y" }] }, {}, actor);
  since = performance.now();
  await reader.snapshot();
  const oneChangedMs = ms(since);
  const selectionMs = selecting(await reader.snapshot());
  since = performance.now();
  for (let at = 0; at < 100; at++) await reader.snapshot();
  const nothingChangedMs = (performance.now() - since) / 100;
  await store.close();
  store.ownership.release();
  rmSync(directory, { recursive: true, force: true });
  return {
    devices: read,
    wholeMs,
    oneChangedMs,
    selectionMs,
    nothingChangedMs: Math.round(nothingChangedMs * 100) / 100,
  };
}

/** Median of 21. */
function selecting(snapshot: Snapshot): number {
  const times = Array.from({ length: 21 }, () => {
    const since = performance.now();
    const selector = readSelector("site:berlin and (role:access or tag:lab) and not name:test*");
    const found = snapshot.all().filter((device) => selector.matches(device));
    if (found.length === 0) throw new Error("nothing was selected");
    return performance.now() - since;
  }).sort((a, b) => a - b);
  return Math.round((times[10] ?? 0) * 10) / 10;
}

const figures: Record<string, object> = {
  file: { http: await overHttp(), reading: await reading(count), readingMany: await reading(many) },
};
for (const what of ["http", "reading"] as const) {
  const server = await startSqld();
  const made = what === "http" ? await overHttp(server.url) : await reading(count, server.url);
  figures.sqld = { ...figures.sqld, [what]: made };
  await server.stop();
}
console.log(JSON.stringify({ bench: "inventory", count, figures }, null, 2));
