/** The console's files over HTTP: for browsers at `/`, named by hash, without affecting the API. */
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { consoleFiles } from "../../../src/runtime/pages/console-files.ts";
import { createApp, noMetrics } from "../doubles/fixtures.ts";

const browser = { key: null, headers: { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };
const app = () => createApp({}, { consoleFiles, metrics: noMetrics });

describe("a browser", () => {
  test("gets the page without a key, with a policy that forbids inline code and other origins", async () => {
    const page = await app().send("/", browser);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(page.text).not.toMatch(/<script(?![^>]*\bsrc=)|\sstyle=|https?:\/\//);
  });

  test("may cache the named files forever, and they are small when compressed", async () => {
    const { send } = app();
    const { text } = await send("/", browser);
    const paths = [...text.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, path]) => path ?? "");
    expect(paths.length).toBeGreaterThanOrEqual(2);
    let packed = 0;
    for (const path of paths) {
      const file = await send(path, { key: null });
      expect(file.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      packed += (await consoleFiles()).find((one) => one.path === path)?.packed.byteLength ?? 0;
    }
    expect(packed).toBeLessThan(50 * 1024);
    expect((await send("/console/app-000000000000.js", { key: null })).status).toBe(404);
  });

  test("gets scripts of less than 90 KB in all, without what only the API description says", async () => {
    const scripts = (await consoleFiles()).filter(({ path }) => path.endsWith(".js"));
    const packed = scripts.reduce((sum, one) => sum + one.packed.byteLength, 0);
    expect(packed).toBeGreaterThan(1024);
    expect(packed).toBeLessThan(90 * 1024);
    const source = scripts.map(({ bytes }) => Buffer.from(bytes).toString()).join("");
    expect(source).not.toContain("Absent: the response was not seen");
    expect(source).not.toContain("jsxDEV");
  });

  test("that accepts compressed files gets them", async () => {
    const { app: http } = app();
    const request = new Request("http://patchbay/", {
      headers: { ...browser.headers, "Accept-Encoding": "gzip" },
    });
    const answer = await http.fetch(request, { from: null, extendTimeout() {}, restoreTimeout() {} });
    expect(answer.headers.get("content-encoding")).toBe("gzip");
    expect(gunzipSync(await answer.arrayBuffer()).toString()).toContain("<!doctype html>");
  });
});

test("builds the same files from the same sources", async () => {
  const [one, other] = await Promise.all([consoleFiles(), consoleFiles()]);
  expect(one.map(({ path, packed }) => [path, Bun.hash(packed)])).toEqual(
    other.map(({ path, packed }) => [path, Bun.hash(packed)]),
  );
});

describe("the API", () => {
  test.each([
    ["a script", {}],
    ["one that takes anything", { Accept: "*/*" }],
    ["one that takes JSON", { Accept: "application/json" }],
  ])("still answers %s at /", async (_who, headers) => {
    const { send } = app();
    expect((await send("/", { key: null, headers })).status).toBe(403);
    expect((await send("/", { headers })).status).toBe(404);
  });

  test("is what a browser gets on every other path", async () => {
    const answer = await app().send("/job", browser);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([
      403,
      "application/json; charset=utf-8",
    ]);
  });
});
