import { describe, expect, test } from "vitest";
import { type ErrorKind, jobErrorKinds, requestErrorKinds, ServiceError } from "../../../src/base/errors.ts";
import { differentBody } from "../../../src/limits/in-flight.ts";
import { createApp, query, ticket } from "../doubles/fixtures.ts";

const raise = (error: unknown) => async () => {
  throw error;
};
const submitted = (error: unknown) =>
  createApp({ submit: raise(error) }).send("/device/execute", { body: query });

describe("the table of statuses", () => {
  const table: [ErrorKind, number][] = [
    ["BadRequest", 400],
    ["TemplateError", 400],
    ["TemplateTimeout", 400],
    ["TemplateLimit", 400],
    ["ParseError", 400],
    ["RenderError", 400],
    ["Forbidden", 403],
    ["NotFound", 404],
    ["MethodNotAllowed", 405],
    ["PayloadTooLarge", 413],
    ["UnsupportedMediaType", 415],
    ["Validation", 422],
    ["Conflict", 422],
    ["TooManyRequests", 429],
    ["BusinessFailure", 200],
    ["Internal", 500],
    ["Unavailable", 503],
    ["WorkerLost", 503],
    ["HostUnreachable", 400],
    ["ConnectionTimeout", 400],
    ["ConnectionRefused", 400],
    ["OutputTooLarge", 400],
    ["DriverError", 500],
  ];
  test.each(table)("%s is answered with %i", async (kind, status) => {
    const answer = await submitted(new ServiceError(kind, "What went wrong."));
    expect(answer.status).toBe(status);
    expect(answer.body.code).toBe(-1);
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  });

  test.each([...requestErrorKinds, ...jobErrorKinds])("%s has an envelope", async (kind) => {
    const answer = await submitted(new ServiceError(kind, "What went wrong."));
    expect(Object.keys(answer.body)).toEqual(["code", "message", "data"]);
    expect(answer.body.code).toBe(-1);
  });

  test("the text is in message and data", async () => {
    const { body } = await submitted(new ServiceError("BadRequest", "The body is odd."));
    expect(body).toEqual({ code: -1, message: "The body is odd.", data: "The body is odd." });
  });

  test("a detail is an object with the type", async () => {
    const { body } = await submitted(new ServiceError("TemplateError", "Unknown filter.", { line: 3 }));
    expect(body).toEqual({ code: -1, message: "Unknown filter.", data: { type: "TemplateError", line: 3 } });
  });

  test("a business failure is HTTP 200 with code -1", async () => {
    const detail = { id: ticket.id, status: "running" };
    const failure = new ServiceError(
      "BusinessFailure",
      "The job is running and cannot be cancelled.",
      detail,
    );
    const answer = await createApp({ cancel: raise(failure) }).send("/job?id=x", { method: "DELETE" });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        code: -1,
        message: "The job is running and cannot be cancelled.",
        data: { status: "running" },
      },
    });
  });

  test("a validation error lists its issues", async () => {
    const issues = [{ path: "connection_args.host", message: "is required" }];
    const { status, body } = await submitted(new ServiceError("Validation", "Validation Error", { issues }));
    expect([status, body]).toEqual([422, { code: -1, message: "Validation Error", data: issues }]);
  });

  test("a reused Idempotency-Key names the header", async () => {
    const { status, body } = await submitted(differentBody());
    expect([status, body.data]).toMatchObject([422, [{ path: "Idempotency-Key" }]]);
    const other = await submitted(new ServiceError("Conflict", "The name is taken."));
    expect(other.body.data).toEqual([{ path: "", message: "The name is taken." }]);
  });

  test.each([
    ["TooManyRequests", 7.1, "8"],
    ["TooManyRequests", undefined, "1"],
    ["Unavailable", 0, "1"],
    ["Unavailable", Number.NaN, "1"],
    ["WorkerLost", undefined, "1"],
  ] as const)("%s with %s sets Retry-After %s", async (kind, retryAfter, expected) => {
    const detail = retryAfter === undefined ? undefined : { retryAfter };
    const answer = await submitted(new ServiceError(kind, "Later.", detail));
    expect(answer.headers.get("retry-after")).toBe(expected);
  });
});

describe("unexpected errors", () => {
  test.each([
    ["an error", new Error("secret-of-ours at /srv/patchbay")],
    ["a text", "secret-of-ours"],
    ["nothing", undefined],
    ["null", null],
    ["an object", { secret: "secret-of-ours" }],
    ["an internal error", new ServiceError("Internal", "secret-of-ours")],
  ])("%s is reported by an id that is in the log", async (_name, thrown) => {
    const { send, lines } = createApp({ submit: raise(thrown) });
    const headers = { "X-Request-ID": "req-1" };
    const answer = await send("/device/execute", { body: query, headers });
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain("secret-of-ours");
    expect(answer.text).not.toContain("at ");
    const { error_id } = answer.body.data as { error_id: string };
    expect(answer.body).toEqual({ code: -1, message: "Internal server error", data: { error_id } });
    expect(lines.find((line) => line.level === "error")?.fields).toMatchObject({
      error_id,
      request: "req-1",
    });
  });

  test("answers even if the detail cannot be serialized", async () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    for (const odd of [circular, 10n])
      expect((await submitted(new ServiceError("BadRequest", "Odd.", { odd }))).status).toBe(500);
  });

  test("answers even if the result cannot be serialized", async () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    const app = createApp({ workers: async () => [circular as never] });
    expect((await app.send("/worker")).status).toBe(500);
  });
});

describe("paths and methods", () => {
  test.each([
    "/",
    "/nothing",
    "/device",
    "/device/execute/",
    "//device/execute",
    "/device//execute",
    "/device/execute;x",
    "/device/execute%2F",
    "/Device/Execute",
    "/%64evice/execute",
    "/device/execute%00",
    "/device/execute%",
    "/template/render/",
    "/template/render/jinja2/",
    "/template/render/jinja2/x",
    "/job/",
    "/health.json",
    "/livez/",
  ])("%s is 404", async (path) => {
    for (const method of ["GET", "POST", "DELETE"]) {
      const answer = await createApp().send(path, { method });
      expect([method, answer.status, answer.body.code]).toEqual([method, 404, -1]);
    }
  });

  test.each([
    ["/device/execute", "POST"],
    ["/device/bulk", "POST"],
    ["/device/test-connection", "POST"],
    ["/template/render", "POST"],
    ["/template/render/jinja2", "POST"],
    ["/template/parse", "POST"],
    ["/template/parse/textfsm", "POST"],
    ["/job", "GET, DELETE"],
    ["/worker", "GET, DELETE"],
    ["/health", "GET"],
    ["/audit", "GET"],
    ["/openapi.json", "GET"],
  ])("%s allows only %s", async (path, allow) => {
    const { send } = createApp();
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]) {
      if (allow.split(", ").includes(method)) continue;
      const headers = { "X-HTTP-Method-Override": "GET" };
      const answer = await send(path, { method, headers });
      expect([method, answer.status, answer.headers.get("allow")]).toEqual([method, 405, allow]);
      if (method !== "HEAD") expect(answer.body.code).toBe(-1);
    }
  });
});

describe("headers and log of every response", () => {
  test.each(["/health", "/nothing", "/livez", "/job?status=x"])("of %s", async (path) => {
    const { headers } = await createApp().send(path);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("returns a safe request id, otherwise creates one", async () => {
    const { send } = createApp();
    const idFor = async (given: string) =>
      (await send("/health", { headers: { "X-Request-ID": given } })).headers.get("x-request-id");
    expect(await idFor("trace:7f.3_a-B")).toBe("trace:7f.3_a-B");
    for (const unsafe of ["", "a b", 'x"y', "x".repeat(129), "ü"])
      expect(await idFor(unsafe)).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("logs one line per request, without query and key", async () => {
    const { send, lines } = createApp();
    const headers = { "X-Request-ID": "req-7" };
    await send("/job?host=canary-host&X-API-KEY=canary-key", { headers });
    await send("/nothing/canary", { key: null, headers });
    await send("/livez", { key: null, headers });
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatchObject({
      level: "info",
      event: "http.request",
      fields: {
        method: "GET",
        path: "/job",
        status: 200,
        request: "req-7",
        key: "name-admin",
        from: "198.51.100.7",
      },
    });
    expect(lines[0]?.fields.ms).toBeTypeOf("number");
    expect(lines[1]?.fields).toMatchObject({ path: "/nothing/canary", status: 403, key: undefined });
    expect(lines[2]?.level).toBe("debug");
    expect(JSON.stringify(lines[0])).not.toContain("canary");
  });

  test("does not log a disconnected caller as our error", async () => {
    const gone = new AbortController();
    const { send, lines } = createApp({
      render: (_body, _engine, _caller, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
          gone.abort();
        }),
    });
    await send("/template/render", { body: { template: "x" }, signal: gone.signal });
    expect(lines.map((line) => [line.level, line.fields.status])).toEqual([["info", 499]]);
  });
});
