import { describe, expect, test } from "vitest";
import type { Jobs } from "../../../src/jobs/port.ts";
import { bodyOf, createApp, query, spy, ticket } from "../doubles/fixtures.ts";

const post = (body: unknown, headers: Record<string, string> = {}) =>
  createApp().send("/device/execute", { method: "POST", body, headers });
const bytes = (...parts: (string | number[])[]) =>
  new Uint8Array(
    Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part)))),
  );

describe("a body", () => {
  test("is available as text and value", async () => {
    const submit = spy<Parameters<Jobs["submit"]>, Promise<typeof ticket>>(async () => ticket);
    const { send } = createApp({ submit });
    const text = JSON.stringify({ ...query, config: undefined, context: { "20": 1, "10": 2 } }, null, 2);
    await send("/device/execute", { method: "POST", body: text });
    expect(submit.calls[0]?.[0].text).toBe(text);
    expect(bodyOf(submit.calls)).toEqual(JSON.parse(text));
  });

  test.each([
    ["nothing", ""],
    ["blanks", " \r\n\t "],
    ["no JSON", "driver=netmiko"],
    ["half of it", '{"driver": "netmiko"'],
    ["a trailing comma", '{"driver": "netmiko",}'],
    ["single quotes", "{'driver': 'netmiko'}"],
    ["NaN", '{"ttl": NaN}'],
    ["two values", "{} {}"],
    ["a byte order mark", bytes([0xef, 0xbb, 0xbf], "{}")],
    ["UTF-16", bytes([0xff, 0xfe, 0x7b, 0, 0x7d, 0])],
    ["broken UTF-8", bytes('{"password": "', [0xc3, 0x28], '"}')],
    ["a NUL", bytes("{", [0], "}")],
  ])("is rejected with 400: %s", async (_name, body) => {
    const answer = await post(body);
    expect([answer.status, answer.body.code]).toEqual([400, -1]);
    expect(answer.body.data).toBeTypeOf("string");
  });

  test("is rejected with 400 if missing", async () => {
    const answer = await createApp().send("/device/execute", { method: "POST" });
    expect([answer.status, answer.body.message]).toEqual([400, "The body is missing."]);
  });

  test.each([
    ["a list", "[]", ""],
    ["null", "null", ""],
    ["a text", '"x"', ""],
    ["a number", "1", ""],
    ["nested too deep", `{"a":${"[".repeat(70)}${"]".repeat(70)}}`, ""],
    ["__proto__", '{"__proto__": {"admin": true}}', ""],
    ["__proto__ inside", '{"connection_args": {"\\u005f_proto__": {}}}', ""],
    ["a number too large", '{"options": {"ttl": 1e400}}', "options.ttl"],
    ["a number with too many digits", `{"options": {"ttl": ${"9".repeat(400)}}}`, "options.ttl"],
    ["half a surrogate pair", '{"connection_args": {"password": "a\\ud83d"}}', "connection_args.password"],
    ["the other half", '{"command": ["show", "\\uDE00 x"]}', "command.1"],
    ["half of one in a name", '{"driver_args": {"\\ud800": 1}}', "driver_args"],
  ])("is rejected with 422: %s", async (_name, body, path) => {
    const answer = await post(body);
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({
      code: -1,
      message: "Validation Error",
      data: [{ path, message: expect.any(String) }],
    });
  });

  test.each(["__proto__", "constructor", "prototype"])(
    "cannot change prototypes through the key %s",
    async (key) => {
      await post(`{"connection_args": {"${key}": {"polluted": true}}, "${key}": {"polluted": true}}`);
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    },
  );

  test.each([
    ["a whole pair", '{"command": "\\ud83d\\ude00"}'],
    ["a large number", '{"context": 1e300}'],
    ["an exponent with zeros before", '{"context": 1e0001}'],
    ["four-byte characters", '{"command": "😀"}'],
  ])("is accepted: %s", async (_name, body) => {
    expect((await post(body)).status).toBe(201);
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/xml",
    "application/jsonp",
    "text/json+json",
    "application/json; charset=utf-16",
    "application/json;charset=iso-8859-1",
  ])("is rejected with 415: %s", async (type) => {
    const answer = await post("{}", { "content-type": type });
    expect([answer.status, answer.body.code]).toEqual([415, -1]);
  });

  test.each(["gzip", "br", "deflate, gzip"])("is rejected with 415 if compressed: %s", async (encoding) => {
    expect((await post("{}", { "content-encoding": encoding })).status).toBe(415);
  });

  test.each([
    "application/json",
    "Application/JSON",
    "application/json; charset=utf-8",
    'application/json;charset="UTF-8"',
    "application/vnd.api+json",
  ])("is accepted as %s", async (type) => {
    expect((await post(query, { "content-type": type })).status).toBe(201);
  });

  test("is treated as JSON without a content type", async () => {
    const { app } = createApp();
    const request = new Request("http://patchbay.example/device/execute", {
      method: "POST",
      headers: { "x-api-key": "key-that-operates-0123456789" },
      body: new TextEncoder().encode(JSON.stringify(query)),
    });
    expect(request.headers.has("content-type")).toBe(false);
    expect((await app.fetch(request, { from: null, extendTimeout() {}, restoreTimeout() {} })).status).toBe(
      201,
    );
  });
});

describe("a body over the limit", () => {
  const large = (chars: number) => JSON.stringify({ ...query, pad: "x".repeat(chars) });

  test.each([
    ["/device/execute"],
    ["/device/bulk"],
    ["/device/test-connection"],
    ["/template/render"],
    ["/template/parse"],
  ])("is rejected with 413 by its declared length: %s", async (path) => {
    const body = large(10_000);
    const answer = await createApp().send(path, {
      body,
      method: "POST",
      headers: { "content-length": String(body.length) },
    });
    expect([answer.status, answer.body.code, answer.headers.get("connection")]).toEqual([413, -1, "close"]);
  });

  test("is rejected with 413 while it arrives, without reading further", async () => {
    let pieces = 0;
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pieces++;
        controller.enqueue(new Uint8Array(4_000).fill(0x20));
      },
      cancel() {
        cancelled = true;
      },
    });
    expect((await createApp().send("/device/execute", { method: "POST", body })).status).toBe(413);
    expect(pieces).toBeLessThan(8);
    expect(cancelled).toBe(true);
  });

  test("that breaks off is not logged as our error", async () => {
    const { send, lines } = createApp();
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.error(new Error("connection lost"));
      },
    });
    const answer = await send("/device/execute", { method: "POST", body });
    expect([answer.status, answer.body.code]).toEqual([499, -1]);
    expect(lines.map((line) => line.level)).toEqual(["info"]);
  });

  test("is measured in bytes", async () => {
    const body = JSON.stringify({ pad: "ü".repeat(6_000) });
    expect((await post(body)).status).toBe(413);
    expect((await post(JSON.stringify({ pad: "u".repeat(6_000) }))).status).toBe(201);
  });

  test("is not read without a sufficient key", async () => {
    const body = large(20_000);
    const send = createApp().send;
    expect((await send("/device/execute", { method: "POST", body, key: null })).status).toBe(403);
    expect(
      (await send("/device/execute", { method: "POST", body, key: "key-that-reads-0123456789" })).status,
    ).toBe(403);
  });
});
