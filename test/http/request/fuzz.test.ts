/** Arbitrary requests: never a 500, always the envelope, never past the key. */

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  bulkRequest,
  executeRequest,
  parseRequest,
  renderRequest,
  testRequest,
} from "../../../src/api/jobs/request.ts";
import { withoutAlias } from "../../../src/http/request/aliases.ts";
import { definitions } from "../../../src/http/route-table.ts";
import { requireMeaning } from "../../../src/jobs/bulk/bulk-selection.ts";
import { requireOwn } from "../../../src/jobs/request/device/selection.ts";
import { checkShape } from "../../../src/jobs/request/validate.ts";
import { runs } from "../../support/runs.ts";
import { type Answered, createApp, fakeJobs, keys, ticket } from "../doubles/fixtures.ts";

const plain = fakeJobs();
/** Validates request bodies as `Jobs` does. */
const checking = () =>
  createApp({
    async submit(body) {
      requireOwn(checkShape(executeRequest, body.value));
      return ticket;
    },
    async bulk(body, caller) {
      requireMeaning(checkShape(bulkRequest, body.value));
      return plain.bulk(body, caller);
    },
    async testConnection(body, caller, signal) {
      requireOwn(checkShape(testRequest, body.value));
      return plain.testConnection(body, caller, signal);
    },
    async render(body) {
      checkShape(renderRequest, body.value);
      return { text: "" };
    },
    async parse(body) {
      checkShape(parseRequest, body.value);
      return { json: "[]" };
    },
  });

function expectEnvelope({ status, headers, body }: Answered, statuses: readonly number[]): void {
  expect(statuses).toContain(status);
  expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(Object.keys(body)).toEqual(["code", "message", "data"]);
  expect(body.code).toBe(status < 300 ? 200 : -1);
  expect(headers.has("x-request-id")).toBe(true);
}

const known = [
  "/device/execute",
  "/device/bulk",
  "/device/test-connection",
  "/template/render",
  "/template/parse/ttp",
  "/job",
  "/worker",
  "/health",
  "/audit",
];
const piece = fc.constantFrom(
  ..."device execute job health livez worker audit . .. // / ; %2e %2F %5c \\ %00 %25 %ff %u002e ?x # @ : * é %C3%A9 ~ &".split(
    " ",
  ),
);
const anyPath = fc.oneof(
  fc.array(piece, { maxLength: 8 }).map((pieces) => `/${pieces.join("")}`),
  fc
    .tuple(fc.constantFrom(...known), piece, fc.nat(20))
    .map(([path, extra, at]) => path.slice(0, at) + extra + path.slice(at)),
  fc.webPath(),
);
const anyMethod = fc.constantFrom("GET", "POST", "DELETE", "PUT", "PATCH", "OPTIONS", "TRACE");
const open = new Set(["/livez", "/readyz", "/favicon.ico", "/llms.txt"]);
/** Other routes have other responses, and a random path may be one of them: `/key`. */
const others = definitions
  .map(({ path }) => new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}$`))
  .filter((route) => !known.some((path) => route.test(path)));

describe("any path", () => {
  test("without a key: 403, except for the two open paths", async () => {
    const { send } = checking();
    await fc.assert(
      fc.asyncProperty(anyPath, anyMethod, async (path, method) => {
        const url = new URL(`http://patchbay.example/${path.replace(/^\/(?!\/)/, "")}`);
        const answer = await send(url.href, { method, key: null });
        const reads = method === "GET" && open.has(url.pathname);
        // These routes accept no query parameters.
        expectEnvelope(answer, reads ? [url.search === "" ? 200 : 422] : [403]);
      }),
      { numRuns: runs(1_000) },
    );
  });

  test("with a key: a known route, 404 or 405", async () => {
    const { send } = checking();
    await fc.assert(
      fc.asyncProperty(anyPath, anyMethod, async (path, method) => {
        const url = new URL(`http://patchbay.example/${path.replace(/^\/(?!\/)/, "")}`);
        const answer = await send(url.href, { method });
        const { pathname } = withoutAlias(url);
        fc.pre(!others.some((route) => route.test(pathname)));
        // Stored templates, beside the words of the address.
        fc.pre(!/^\/template\/(?!(?:render|parse)(?:\/|$))/.test(pathname));
        const exact =
          [...known, ...open].includes(pathname) || /^\/template\/(render|parse)(?:\/[^/]+)?$/.test(pathname);
        expectEnvelope(answer, exact ? [200, 400, 405, 422] : [404]);
      }),
      { numRuns: runs(1_000) },
    );
  });
});

const posts = known.filter((path) => /^\/(device|template)/.test(path));

describe("any body", () => {
  test("of bytes", async () => {
    const { send } = checking();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...posts), fc.uint8Array({ maxLength: 200 }), async (path, body) => {
        const answer = await send(path, { method: "POST", body: new Uint8Array(body) });
        expectEnvelope(answer, [400, 422]);
      }),
      { numRuns: runs(500) },
    );
  });

  test("of JSON", async () => {
    const { send } = checking();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...posts), fc.json(), async (path, body) => {
        expectEnvelope(await send(path, { method: "POST", body }), [422]);
      }),
      { numRuns: runs(500) },
    );
  });

  const field = <T>(arbitrary: fc.Arbitrary<T>) => fc.oneof(arbitrary, fc.jsonValue({ maxDepth: 2 }));
  const request = fc.record(
    {
      driver: field(fc.string()),
      connection_args: field(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }))),
      command: field(fc.oneof(fc.string(), fc.array(fc.string()))),
      config: field(fc.string()),
      driver_args: fc.jsonValue({ maxDepth: 2 }),
      options: field(
        fc.record({
          ttl: fc.jsonValue(),
          queue_strategy: fc.jsonValue(),
          webhook: fc.jsonValue(),
          retries: fc.jsonValue(),
        }),
      ),
      parsing: fc.jsonValue({ maxDepth: 2 }),
      rendering: fc.jsonValue({ maxDepth: 2 }),
      devices: field(fc.array(fc.jsonValue({ maxDepth: 1 }))),
      name: fc.jsonValue(),
      template: field(fc.string()),
      context: field(fc.string()),
    },
    { requiredKeys: [] },
  );

  test("of nearly a request", async () => {
    const { send } = checking();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...posts), request, async (path, body) => {
        const answer = await send(path, { body });
        expectEnvelope(answer, [200, 201, 422]);
        if (answer.status !== 422) return;
        for (const issue of answer.body.data as Record<string, unknown>[]) {
          expect(Object.keys(issue)).toEqual(expect.arrayContaining(["path", "message"]));
          expect(issue.path).toBeTypeOf("string");
        }
      }),
      { numRuns: runs(1_000) },
    );
  });
});

test("any query", async () => {
  const { send } = checking();
  const name = fc.constantFrom(
    "id",
    "status",
    "queue",
    "limit",
    "cursor",
    "since",
    "force",
    "name",
    "__proto__",
  );
  const value = fc.oneof(fc.string(), fc.integer().map(String), fc.date({ noInvalidDate: true }).map(String));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("/job", "/worker", "/audit"),
      fc.constantFrom("GET", "DELETE"),
      fc.array(fc.tuple(name, value), { maxLength: 4 }),
      async (path, method, pairs) => {
        const query = pairs.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
        expectEnvelope(await send(`${path}?${query}`, { method }), [200, 404, 405, 422]);
      },
    ),
    { numRuns: runs(1_000) },
  );
});

test("any headers", async () => {
  const { send, lines } = checking();
  const name = fc.constantFrom(
    "x-request-id",
    "prefer",
    "idempotency-key",
    "cookie",
    "authorization",
    "origin",
    "content-type",
    "content-length",
    "content-encoding",
    "x-forwarded-for",
    "x-forwarded-host",
    "host",
  );
  const value = fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  });
  await fc.assert(
    fc.asyncProperty(fc.dictionary(name, value), fc.boolean(), async (headers, withKey) => {
      const key = withKey ? keys.operate : null;
      const answer = await send("/device/execute", { method: "POST", body: "{}", headers, key });
      expectEnvelope(answer, withKey ? [400, 413, 415, 422] : [403]);
    }),
    { numRuns: runs(1_000) },
  );
  expect(lines.filter((line) => line.level === "error")).toEqual([]);
});
