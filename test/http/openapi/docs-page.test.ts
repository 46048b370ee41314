/** GET /docs: all its assets are served by the service; and who may see it. */
import { readFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { docsHtml, docsPolicy, docsScript } from "../../../src/http/docs-page.ts";
import { createPageFiles } from "../../../src/runtime/pages/page-files.ts";
import { createApp, keys } from "../doubles/fixtures.ts";

const library = "console.log('swagger')";
const pageFiles = { script: async () => gzipSync(library), style: async () => gzipSync("body{}") };
const connection = { from: null, extendTimeout() {}, restoreTimeout() {} };

describe("without a key", () => {
  test("the page and the description are refused, its library is not", async () => {
    const { send } = createApp({}, { pageFiles });
    const nobody = { key: null };
    expect((await send("/docs", nobody)).status).toBe(403);
    expect((await send("/openapi.json", nobody)).status).toBe(403);
    for (const name of ["start.js", "swagger-ui.js", "swagger-ui.css"])
      expect([name, (await send(`/docs/${name}`, nobody)).status]).toEqual([name, 200]);
    expect((await send("/docs/other.js", nobody)).status).toBe(403);
  });

  test("both are shown if the setting allows it, and nothing else", async () => {
    const { send } = createApp({}, { pageFiles, openDescription: true });
    for (const path of ["/docs", "/openapi.json"]) {
      expect([path, (await send(path, { key: null })).status]).toEqual([path, 200]);
      expect([path, (await send(path, { key: null, method: "HEAD" })).status]).toEqual([path, 200]);
    }
    expect((await send("/job", { key: null })).status).toBe(403);
    expect((await send("/plugin", { key: null })).status).toBe(403);
  });
});

test("is shown with a key, also in the query", async () => {
  const { send } = createApp({}, { pageFiles });
  expect((await send("/docs", { key: keys.read })).status).toBe(200);
  expect((await send(`/docs?X-API-KEY=${keys.read}`, { key: null })).status).toBe(200);
});

test("loads nothing external and contains nothing inline", async () => {
  const { send } = createApp({}, { pageFiles, openDescription: true });
  const page = await send("/docs", { key: null });
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(page.headers.get("content-security-policy")).toBe(docsPolicy);
  expect(docsPolicy).not.toMatch(/unsafe|https?:|\*/);
  expect(docsPolicy).toMatch(/^default-src 'none'; /);
  expect(page.text).toBe(docsHtml);
  const loaded = [...docsHtml.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url);
  expect(loaded).toEqual(["data:,", "docs/swagger-ui.css", "docs/swagger-ui.js", "docs/start.js"]);
  expect(docsHtml).not.toMatch(/<script>|<style|\sstyle=|\son\w+=/);
  expect(docsScript).not.toMatch(/\/\/\w/);
  // The library would otherwise contact a third party.
  expect(docsScript).toContain("validatorUrl: null");
  const style = readFileSync("node_modules/swagger-ui-dist/swagger-ui.css", "utf8");
  const urls = [...style.matchAll(/url\(["']?([^)]{5})/g)].map(([, begin]) => begin);
  expect(new Set(urls)).toEqual(new Set(["data:"]));
  expect(style).not.toContain("@import");
});

test("sends the library compressed to clients that accept it", async () => {
  const { app } = createApp({}, { pageFiles });
  const fetchWith = async (accept: string) => {
    const request = new Request("http://patchbay.example/docs/swagger-ui.js", {
      headers: { "accept-encoding": accept },
    });
    const answer = await app.fetch(request, connection);
    return {
      encoding: answer.headers.get("content-encoding"),
      bytes: new Uint8Array(await answer.arrayBuffer()),
    };
  };
  const packed = await fetchWith("br, gzip");
  expect([packed.encoding, gunzipSync(packed.bytes).toString()]).toEqual(["gzip", library]);
  for (const accept of ["", "br", "gzip;q=0, br"]) {
    const plain = await fetchWith(accept);
    expect([accept, plain.encoding, Buffer.from(plain.bytes).toString()]).toEqual([accept, null, library]);
  }
});

test("compresses the library to less than half a megabyte", async () => {
  const files = createPageFiles();
  const [script, style] = await Promise.all([files.script(), files.style()]);
  expect(gunzipSync(script).toString()).toBe(
    readFileSync("node_modules/swagger-ui-dist/swagger-ui-bundle.js", "utf8"),
  );
  expect(script.length + style.length).toBeLessThan(512 * 1024);
  expect(await files.script()).toBe(script);
});

test("holds only a piece of the library for a client that does not read", async () => {
  const large = "x".repeat(1_000_000);
  const script = async () => gzipSync(large, { level: 0 });
  const { app } = createApp({}, { pageFiles: { ...pageFiles, script } });
  for (const accept of ["", "gzip"]) {
    const headers = { "accept-encoding": accept };
    const request = new Request("http://patchbay.example/docs/swagger-ui.js", { headers });
    const pieces: Uint8Array[] = [];
    const body = (await app.fetch(request, connection)).body ?? new ReadableStream<Uint8Array>();
    for await (const piece of body) pieces.push(piece);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(65_536);
    const whole = Buffer.concat(pieces);
    expect((accept === "" ? whole : gunzipSync(whole)).toString() === large).toBe(true);
  }
});
