/**
 * GET /metrics of a running service: reflects what happened, passes Prometheus' checker, and covers the
 * dashboard's queries.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { needs } from "../../scripts/testbed/catalogue.ts";
import { adminKey, type Service, startService, tempFolder } from "../../src/testkit/service.ts";

const driver = `
import { defineDriver, PluginError, v } from "patchbay/plugin";
export default defineDriver({
  name: "counted", strategy: "pinned", target: ({ host }) => ({ host, port: 1 }),
  connection: v.object({ host: v.string() }), query: v.object({}), repeatable: () => true,
  open: async () => ({
    async query(command) {
      if (command === "fail") throw new PluginError("CommandError", "The device refused it.");
      return "done";
    },
    reusable: async () => true,
  }),
});`;

const host = "rack-17.counted.test";
let service: Service;
beforeAll(async () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "counted.mjs"), driver);
  service = await startService({ plugins: [folder] });
  for (const command of ["one", "two", "fail"])
    await service.call(
      "POST",
      "/device/execute",
      { driver: "counted", connection_args: { host }, command },
      { Prefer: "wait=60" },
    );
});
afterAll(() => service.stop());

async function scrape(headers: Record<string, string> = { Authorization: `Bearer ${adminKey}` }) {
  const answer = await fetch(`${service.url}/metrics`, { headers });
  return { status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() };
}

function sampleOf(text: string, start: string): number | undefined {
  const found = text.split("\n").find((line) => line.startsWith(start));
  return found === undefined ? undefined : Number(found.slice(found.lastIndexOf(" ") + 1));
}

test("reports jobs, requests, sessions and the store, without hosts and keys", async () => {
  const { status, type, text } = await scrape();
  expect([status, type]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
  const ended = 'patchbay_jobs_ended_total{driver="counted",platform="",operation="query",';
  expect(sampleOf(text, `${ended}status="finished",error_type=""}`)).toBe(2);
  expect(sampleOf(text, `${ended}status="failed",error_type="CommandError"}`)).toBe(1);
  expect(sampleOf(text, 'patchbay_job_wait_seconds_count{strategy="pinned"}')).toBe(3);
  const requests = 'patchbay_http_requests_total{method="POST",route="/device/execute",status="201"}';
  expect(sampleOf(text, requests)).toBe(3);
  expect(sampleOf(text, 'patchbay_store_seconds_count{kind="write"}')).toBeGreaterThan(3);
  expect(sampleOf(text, "patchbay_ready")).toBe(1);
  expect(sampleOf(text, "patchbay_store_bytes")).toBeGreaterThan(0);
  expect(text).not.toContain("rack-17");
  expect(text).not.toContain(adminKey);
});

test("requires a key", async () => {
  expect((await scrape({})).status).toBe(403);
});

test.skipIf(needs("prometheus"))("passes promtool's check", async () => {
  const { text } = await scrape();
  const run = spawnSync("/usr/bin/promtool", ["check", "metrics"], { input: text, encoding: "utf8" });
  expect([run.status, run.stdout, run.stderr]).toEqual([0, "", ""]);
});

test.skipIf(needs("prometheus"))("passes promtool's check of alerts", () => {
  const run = spawnSync("/usr/bin/promtool", ["check", "rules", "docs/reference/prometheus-rules.yml"], {
    encoding: "utf8",
  });
  expect([run.status, run.stderr]).toEqual([0, ""]);
});

test("dashboard, alerts and operations page name only existing metrics", async () => {
  const { text } = await scrape();
  const known = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
  const files = ["docs/reference/grafana.json", "docs/reference/prometheus-rules.yml"];
  const shown = files.flatMap(
    (file) => readFileSync(file, "utf8").match(/\b(?:patchbay|process)_[a-z_]+/g) ?? [],
  );
  const told = readFileSync("docs/reference/metrics.md", "utf8").match(/\bpatchbay_[a-z_]+/g) ?? [];
  const named = [...shown, ...told].map((name) => name.replace(/_(?:bucket|count|sum)$/, ""));
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});
