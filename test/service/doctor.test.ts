/** The findings of `patchbay doctor`: fine, a warning, an error, and what to do. */
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../src/config/config.ts";
import { doubtsIn, streamsFor, webhooksIn } from "../../src/service/doctor/database.ts";
import { examine } from "../../src/service/doctor/doctor.ts";
import { checkClock, checkDescriptors } from "../../src/service/doctor/machine.ts";
import { openConnection } from "../../src/store/libsql/database/connect.ts";
import { freePort } from "../../src/testkit/port.ts";
import { type Service, startService, tempFolder } from "../../src/testkit/service.ts";
import { startLyingProvider } from "../support/lying-provider.ts";

const program = { mainPath: resolve("src/main.ts"), threadEntry: "" };
const configOf = (dataDir: string, environment: Record<string, string> = {}) =>
  loadConfig({ environment: { PATCHBAY_DATA_DIR: dataDir, ...environment } });

/** Findings of one check as `state: text`. */
async function found(check: string, config = configOf(tempFolder()), devices: string[] = []) {
  const all = await examine(config, devices, program);
  for (const { state, advice } of all) expect(advice !== undefined).toBe(state !== "ok");
  return all.filter((finding) => finding.check === check).map(({ state, text }) => `${state}: ${text}`);
}

test("doctor finds no problem on a running node", async () => {
  const service = await startService();
  const listen = new URL(service.url).host;
  const config = configOf(service.dataDir, { PATCHBAY_LISTEN: listen });
  const looked = ["settings", "database", "keys", "clock", "plugins", "service", "device"];
  // External checks have timeouts of seconds, and are retried on a busy machine.
  const wrong = async () => {
    const all = await examine(config, [listen], program);
    const missing = looked.filter((check) => !all.some((finding) => finding.check === check));
    const others = all.filter(({ check, state }) => looked.includes(check) && state !== "ok");
    return [...missing, ...others.map(({ check, text }) => `${check}: ${text}`)];
  };
  await expect.poll(wrong, { timeout: 150_000 }).toEqual([]);
  await service.stop();
});

test("doctor asks the providers by which people sign in", async () => {
  const provider = await startLyingProvider();
  const config = (issuer: string) =>
    configOf(tempFolder(), {
      PATCHBAY_PUBLIC_URL: "https://patchbay.example",
      PATCHBAY_OIDC_ISSUER: issuer,
      PATCHBAY_OIDC_CLIENT_ID: "patchbay",
      PATCHBAY_OIDC_CA_FILE: provider.caFile,
    });
  expect(await found("sign-in", config(provider.issuer))).toEqual([`ok: oidc answers at ${provider.issuer}`]);
  expect(await found("sign-in", config(`${provider.issuer}/other`))).toEqual([
    expect.stringMatching(/^fail: The provider "oidc" does not answer as an OpenID Connect provider/),
  ]);
  await provider.stop();
  expect(await found("sign-in", config(provider.issuer))).toEqual([
    'fail: The provider "oidc" cannot be reached: it refuses connections.',
  ]);
});

const daily = { cron: "0 3 * * *", what: { kind: "sync", source: "table" } };
const runsNow = async (service: Service) => {
  const firings = await service.call<{ status: string }[]>("GET", "/schedule/fails/firing");
  return firings.body.data[0]?.status;
};

test("doctor reports stopped or failed schedules and unsynced sources", async () => {
  const service = await startService();
  const config = configOf(service.dataDir);
  expect([...(await found("schedules", config)), ...(await found("sources", config))]).toEqual([]);
  const source = { kind: "url", url: "http://127.0.0.1:1/devices.csv", format: "csv" };
  await service.call("PUT", "/inventory/source/table", source);
  const body = { name: "gone", scope: "admin" };
  const key = (await service.call<{ id: string; key: string }>("POST", "/key", body)).body.data;
  const created = await service.call(
    "POST",
    "/schedule",
    { name: "orphan", ...daily },
    { "X-API-KEY": key.key },
  );
  expect(created.status).toBe(201);
  await service.call("POST", "/schedule", { name: "fails", ...daily });
  expect(await found("schedules", config)).toEqual(["ok: 2, none stopped or failed"]);
  expect(await found("sources", config)).toEqual(["ok: 1, none failed when it was last synced"]);
  await service.call("DELETE", `/key?id=${key.id}`);
  await service.call("POST", "/schedule/fails/run");
  await expect.poll(() => runsNow(service), { timeout: 60_000 }).toBe("failed");
  const lines = await found("schedules", config);
  expect(lines).toContainEqual("warn: orphan does not fire: its API key was revoked or has expired");
  expect(lines).toContainEqual(expect.stringMatching(/^warn: fails failed at .*PATCHBAY_URL_ALLOW/));
  const failed = await found("sources", config);
  expect(failed).toEqual([expect.stringMatching(/^warn: table was not synced at .*PATCHBAY_URL_ALLOW/)]);
  await service.stop();
});

test("doctor tells webhooks that wait, and warns of many or old ones", async () => {
  const service = await startService({ env: { PATCHBAY_URL_ALLOW: "127.0.0.1" } });
  const config = configOf(service.dataDir);
  expect(await found("webhooks", config)).toEqual([]);
  const webhook = { url: "http://127.0.0.1:1/", retry_intervals: [3_600] };
  const later = { not_before: new Date(Date.now() + 3_600_000).toISOString(), webhook };
  const { body } = await service.call<{ id: string }>("POST", "/device/execute", {
    driver: "netmiko",
    connection_args: { device_type: "cisco_ios", host: "192.0.2.1", username: "u", password: "p" },
    command: "show clock",
    options: later,
  });
  await service.call("DELETE", `/job?id=${body.data.id}`);
  expect(await found("webhooks", config)).toEqual(["ok: 1 waits to be delivered"]);
  await service.stop();

  const now = Date.parse("2026-01-02T12:00:00Z");
  const told = (count: number, hours: number) => webhooksIn({ count, since: now - hours * 3_600_000 }, now);
  expect(told(999, 0.9)).toMatchObject([{ state: "ok" }]);
  expect(told(2, 1)).toMatchObject([
    { state: "warn", text: "2 wait to be delivered, the first since 2026-01-02T11:00:00.000Z" },
  ]);
  expect(told(10_000, 0)).toMatchObject([
    { state: "warn", text: expect.stringMatching(/^10000 or more wait/) },
  ]);
  expect(webhooksIn({ count: 1_000, since: undefined }, now)).toMatchObject([{ state: "warn" }]);
});

test("what may be lost with a machine is a warning that says what to read", () => {
  expect(doubtsIn([])).toEqual([]);
  expect(doubtsIn(["synchronous_commit is off"])).toMatchObject([
    { state: "warn", check: "durability", text: "synchronous_commit is off" },
  ]);
  // A server of PostgreSQL has no streams.
  expect(streamsFor("postgres://a@db1.example,db2.example/q", 5)).toEqual([]);
});

test("doctor explains a database server without free connections, and too many nodes that keep theirs", async () => {
  const full = createServer((_, response) => response.writeHead(429).end('{"error":"Timed out"}'));
  await new Promise<void>((listening) => full.listen(0, "127.0.0.1", listening));
  const address = full.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const config = configOf(tempFolder(), { PATCHBAY_DATABASE_URL: url });
  expect(await found("database", config)).toEqual([
    expect.stringMatching(/^fail: .*no further connections.*streams=each.*docs\/guides\/scaling\.md/),
  ]);
  full.closeAllConnections();
  full.close();
  expect([streamsFor(undefined, 3), streamsFor(url, 2), streamsFor(`${url}?streams=each`, 5)]).toEqual([
    [],
    [],
    [],
  ]);
  expect(streamsFor(url, 3)).toMatchObject([{ state: "warn", text: expect.stringContaining("3 nodes") }]);
});

test("doctor says what the first start of a new node creates", async () => {
  const folder = tempFolder();
  const config = configOf(join(folder, "data"), { PATCHBAY_LISTEN: `127.0.0.1:${await freePort()}` });
  expect(await found("data directory", config)).toEqual([`warn: ${join(folder, "data")} is not there`]);
  expect(await found("database", config)).toEqual([expect.stringContaining("warn: there is none in")]);
  expect((await found("service", config))[0]).toMatch(/^warn: does not answer on 127\.0\.0\.1:\d+: /);
});

test("doctor fails if a used directory lacks its database or master key, and creates nothing", async () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "home.id"), "01a1fb89-0000-7000-8000-000000000000\n1\n");
  expect((await found("database", configOf(folder)))[0]).toMatch(
    /^fail: The master key is missing: .*used before/,
  );
  const key = { PATCHBAY_MASTER_KEY: "ab".repeat(32) };
  expect((await found("database", configOf(folder, key)))[0]).toMatch(
    /^fail: The database file .* is missing/,
  );
  expect(readdirSync(folder)).not.toContain("master.key");
});

test("doctor names damaged rows, and the running service leaves them out", async () => {
  const service = await startService();
  const config = configOf(service.dataDir);
  const link = await openConnection({ at: join(service.dataDir, "patchbay.db"), shared: false });
  const sql = `insert into audit (at, who, action, outcome) with recursive n (n) as
(select 1 union all select n + 1 from n where n < 25) select 1, 'canary', cast(x'ff' as text), 'x' from n`;
  await link.batch([{ sql, args: {} }]);
  link.close();
  const rows = await found("damaged rows", config);
  expect(rows).toHaveLength(21);
  expect(rows[0]).toMatch(/^fail: audit, row (\d+) \(\1\): action must be UTF-8$/);
  expect(rows.at(-1)).toBe("fail: 5 more, 25 in all");
  expect(await examine(config, [], program, true)).not.toContainEqual(
    expect.objectContaining({ check: "damaged rows" }),
  );
  const { status, body } = await service.call<{ entries: { who: string }[] }>("GET", "/audit?limit=10");
  expect(status).toBe(200);
  expect(JSON.stringify(body)).not.toContain("canary");
  await service.stop();
});

test("doctor names a damaged database, open permissions and wrong settings", async () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "patchbay.db"), "no database");
  chmodSync(folder, 0o755);
  expect((await found("database", configOf(folder)))[0]).toMatch(/^fail: /);
  expect(await found("data directory", configOf(folder))).toContainEqual(
    `warn: ${folder} is accessible to other accounts`,
  );
  const wrong = configOf(folder, { PATCHBAY_PLUGINS: "/nowhere", PATCHBAY_API_KEY: "short" });
  expect((await found("settings", wrong))[0]).toContain("PATCHBAY_PLUGINS: there is no folder /nowhere");
});

test("doctor reports refused plugins and unknown plugin settings", async () => {
  const folder = tempFolder();
  mkdirSync(join(folder, "plugins"), { mode: 0o700 });
  writeFileSync(join(folder, "plugins", "broken.mjs"), "export default 1;");
  const lines = await found("plugins", configOf(folder, { PATCHBAY_PLUGIN_NONE_SUCH: "1" }));
  expect(lines).toContainEqual(expect.stringMatching(/^fail: .*broken\.mjs is refused: /));
  expect(lines).toContainEqual(
    expect.stringMatching(/^warn: PATCHBAY_PLUGIN_NONE_SUCH is not a setting of any plugin/),
  );
  rmSync(folder, { recursive: true });
});

test("doctor reports a public address without HTTPS and an unreadable certificate", async () => {
  const open = configOf(tempFolder(), { PATCHBAY_LISTEN: "0.0.0.0:9000" });
  expect(await found("certificate", open)).toEqual([
    "warn: 0.0.0.0:9000 is reachable from other machines without HTTPS",
  ]);
  const wrong = configOf(tempFolder(), { PATCHBAY_TLS_CERT: "/nowhere", PATCHBAY_TLS_KEY: "/nowhere" });
  expect((await found("certificate", wrong))[0]).toContain(
    "fail: PATCHBAY_TLS_CERT: /nowhere cannot be read",
  );
});

test("doctor reports why a service is not ready", async () => {
  const server = createServer((_request, response) => response.writeHead(503).end('{"data":["it drains"]}'));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  const listen = `127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  expect((await found("service", configOf(tempFolder(), { PATCHBAY_LISTEN: listen })))[0]).toContain(
    "it drains",
  );
  server.close();
});

test("doctor reports devices that do not answer and invalid device arguments", async () => {
  const lines = await found("device", undefined, [`127.0.0.1:${await freePort()}`, "r1", "r1:0"]);
  expect(lines).toHaveLength(3);
  expect(lines.every((line) => line.startsWith("fail: "))).toBe(true);
  expect(lines[1]).toBe("fail: r1 is not <host>:<port>");
});

test("doctor reports a wrong clock and too few file descriptors", () => {
  expect(checkClock(Date.UTC(1970, 0, 2))[0]?.state).toBe("fail");
  const config = configOf(tempFolder());
  expect(checkDescriptors(config, 64)[0]?.state).toBe("fail");
  expect(checkDescriptors(config, 600)[0]?.state).toBe("warn");
  expect(checkDescriptors(config, 100_000)[0]?.state).toBe("ok");
});
