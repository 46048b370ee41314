import { describe, expect, test } from "vitest";
import { ServiceError } from "../../../src/base/errors.ts";
import { createApp, keys, query, sessionToken } from "../doubles/fixtures.ts";

const refused = { code: -1, message: "The API key is missing or not valid." };

describe("the API key", () => {
  const means: [string, string, Record<string, string>][] = [
    ["header", "/health", { "X-API-KEY": keys.read }],
    ["header in other letters", "/health", { "x-Api-Key": keys.read }],
    ["query", `/health?X-API-KEY=${keys.read}`, {}],
    ["query in small letters", `/health?x-api-key=${keys.read}`, {}],
    ["cookie", "/health", { Cookie: `theme=dark; X-API-KEY=${keys.read}; a=b` }],
    ["quoted cookie", "/health", { Cookie: `X-API-KEY="${keys.read}"` }],
    ["encoded cookie", "/health", { Cookie: `X-API-KEY=${keys.read.replaceAll("-", "%2D")}` }],
    ["bearer", "/health", { Authorization: `Bearer ${keys.read}` }],
    ["bearer in small letters", "/health", { Authorization: `bearer  ${keys.read}` }],
  ];
  test.each(means)("is accepted from the %s", async (_name, path, headers) => {
    const { send, asked } = createApp();
    const answer = await send(path, { key: null, headers });
    expect(answer).toMatchObject({ status: 200, body: { code: 200, message: "success", data: "ok" } });
    expect(asked).toEqual([{ key: keys.read, from: "198.51.100.7" }]);
  });

  const noKeys: [string, string, Record<string, string>][] = [
    ["none", "/health", {}],
    ["a wrong one", "/health", { "X-API-KEY": "wrong" }],
    ["an empty header", "/health", { "X-API-KEY": "" }],
    ["an empty query parameter", "/health?X-API-KEY=", {}],
    ["an empty cookie", "/health", { Cookie: "X-API-KEY=" }],
    ["another scheme", "/health", { Authorization: `Basic ${keys.read}` }],
    ["a scheme that only begins alike", "/health", { Authorization: `BearerX ${keys.read}` }],
    ["a cookie of another name", "/health", { Cookie: `X-API-KEY2=${keys.read}; x-api-key=${keys.read}` }],
    ["a cookie without a value", "/health", { Cookie: `X-API-KEY${keys.read}` }],
    ["a key twice in the header", "/health", { "X-API-KEY": `${keys.read}, ${keys.read}` }],
    ["another parameter", `/health?api_key=${keys.read}`, {}],
  ];
  test.each(noKeys)("is rejected if missing or wrong: %s", async (_name, path, headers) => {
    const answer = await createApp().send(path, { key: null, headers });
    expect(answer).toMatchObject({ status: 403, body: refused });
  });

  test("is looked up in header, query and cookie; the first one present decides", async () => {
    const cookie = { Cookie: `X-API-KEY=${keys.read}` };
    const { send, asked } = createApp();
    const wrongFirst = await send(`/health?X-API-KEY=${keys.read}`, { key: "wrong", headers: cookie });
    expect(wrongFirst.status).toBe(403);
    expect((await send("/health?X-API-KEY=wrong2", { key: null, headers: cookie })).status).toBe(403);
    expect((await send("/health", { key: "", headers: cookie })).status).toBe(403);
    expect(asked.map((one) => one.key)).toEqual(["wrong", "wrong2"]);
  });

  test("is taken from X-API-KEY before Authorization", async () => {
    const { send, asked } = createApp();
    await send("/health", { key: keys.read, headers: { Authorization: `Bearer ${keys.admin}` } });
    expect(asked.map((one) => one.key)).toEqual([keys.read]);
  });

  test("is not accepted in the query if that is disabled", async () => {
    const { send } = createApp({}, { keyInQuery: false });
    expect((await send(`/health?X-API-KEY=${keys.read}`, { key: null })).status).toBe(403);
    const headers = { Cookie: `X-API-KEY=${keys.read}` };
    expect((await send("/health?X-API-KEY=wrong", { key: null, headers })).status).toBe(200);
  });

  test("is required before anything about the path is revealed", async () => {
    const { send } = createApp();
    const paths = ["/nothing", "/device/execute", "/job?id=x", "/", "/audit", "/openapi.json", "//health"];
    for (const path of paths)
      for (const method of ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
        const answer = await send(path, { method, key: null });
        expect([path, method, answer.status, answer.body.message]).toEqual([
          path,
          method,
          403,
          refused.message,
        ]);
        expect(answer.headers.has("allow")).toBe(false);
      }
  });

  test("is not required for /livez and /readyz, which are read-only", async () => {
    const { send, asked } = createApp();
    for (const path of ["/livez", "/readyz"]) {
      expect(await send(path, { key: null })).toMatchObject({ status: 200, body: { code: 200, data: "ok" } });
      expect(await send(path, { key: null, method: "HEAD" })).toMatchObject({ status: 200, text: "" });
      expect((await send(path, { key: null, method: "POST" })).status).toBe(403);
      const posted = await send(path, { method: "POST" });
      expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    }
    expect(asked).toHaveLength(2);
  });

  test("is not required for the icon that browsers ask for", async () => {
    const answer = await createApp().send("/favicon.ico", { key: null });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
    expect(answer.text).toMatch(/^<svg /);
  });

  test("locks out an address with 429 and Retry-After after wrong keys", async () => {
    const { send } = createApp({}, { authenticate: async () => ({ lockedForS: 41.2 }) });
    const answer = await send("/health", { key: "guess" });
    expect(answer).toMatchObject({ status: 429, body: { code: -1, data: { retry_after: 41.2 } } });
    expect(answer.headers.get("retry-after")).toBe("42");
  });

  test("is answered with 503 while the store is unavailable", async () => {
    const authenticate = async () => {
      throw new ServiceError("Unavailable", "The store does not answer.", { retryAfter: 3 });
    };
    const answer = await createApp({}, { authenticate }).send("/health");
    expect(answer).toMatchObject({ status: 503, body: { code: -1, message: "The store does not answer." } });
    expect(answer.headers.get("retry-after")).toBe("3");
  });
});

describe.each([
  ["a key", `X-API-KEY=${keys.operate}`],
  ["a login session", `patchbay_session=${sessionToken}`],
])("%s in a cookie", (_what, cookie) => {
  const post = (headers: Record<string, string>, behindProxy = false) =>
    createApp({}, { behindProxy }).send("http://patchbay.example:9000/device/execute", {
      key: null,
      body: query,
      headers: { Cookie: cookie, ...headers },
    });

  const forged: [string, Record<string, string>][] = [
    ["another site", { Origin: "https://evil.example" }],
    ["another port", { Origin: "http://patchbay.example:8080" }],
    ["another scheme", { Origin: "https://patchbay.example:9000" }],
    ["a name that begins alike", { Origin: "http://patchbay.example:9000.evil.example" }],
    ["a hidden origin", { Origin: "null" }],
    ["no origin, but a browser's word", { "Sec-Fetch-Site": "cross-site" }],
    ["a neighbour site", { "Sec-Fetch-Site": "same-site" }],
    [
      "a header that only a trusted proxy may send",
      { Origin: "http://evil.example", "X-Forwarded-Host": "evil.example" },
    ],
  ];
  test.each(forged)("is rejected from %s", async (_name, headers) => {
    expect(await post(headers)).toMatchObject({ status: 403, body: { code: -1 } });
  });

  test.each([
    ["its own origin", { Origin: "http://patchbay.example:9000" }],
    ["a script, which tells no origin", {}],
    ["its own page", { "Sec-Fetch-Site": "same-origin" }],
  ])("is accepted from %s", async (_name, headers) => {
    expect((await post(headers as Record<string, string>)).status).toBe(201);
  });

  test("is accepted from the origin that a trusted proxy reports", async () => {
    const forwarded = { "X-Forwarded-Host": "net.example", "X-Forwarded-Proto": "https" };
    expect((await post({ ...forwarded, Origin: "https://net.example" }, true)).status).toBe(201);
    expect((await post({ ...forwarded, Origin: "https://net.example:443" }, true)).status).toBe(201);
    expect((await post({ ...forwarded, Origin: "http://net.example" }, true)).status).toBe(403);
    expect((await post({ Origin: "https://patchbay.example:9000" }, true)).status).toBe(201);
    expect((await post({ Origin: "https://evil.example" }, true)).status).toBe(403);
  });

  test("may be read from any site, which cannot see the response", async () => {
    const headers = { Cookie: `X-API-KEY=${keys.read}`, Origin: "https://evil.example" };
    const answer = await createApp().send("/health", { key: null, headers });
    expect(answer.status).toBe(200);
    expect(answer.headers.has("access-control-allow-origin")).toBe(false);
  });

  test("does not affect a key in the header", async () => {
    const headers = { Origin: "https://evil.example" };
    expect((await createApp().send("/device/execute", { body: query, headers })).status).toBe(201);
  });
});

describe("the caller's address", () => {
  const fromOf = async (header: string | undefined, behindProxy: boolean) => {
    const { send, asked } = createApp({}, { behindProxy });
    await send("/health", { headers: header === undefined ? {} : { "X-Forwarded-For": header } });
    return asked[0]?.from;
  };

  test.each([
    ["203.0.113.9", "203.0.113.9"],
    ["10.0.0.1, 203.0.113.9", "203.0.113.9"],
    ["10.0.0.1,203.0.113.9:4711", "203.0.113.9"],
    ["[2001:db8::1]:443", "2001:db8::1"],
    ["2001:db8::1", "2001:db8::1"],
    ["203.0.113.9, nonsense", "198.51.100.7"],
    ["", "198.51.100.7"],
    [undefined, "198.51.100.7"],
  ])("behind a proxy, %s yields %s", async (header, expected) => {
    expect(await fromOf(header, true)).toBe(expected);
  });

  test("is that of the connection without a proxy, whatever headers say", async () => {
    expect(await fromOf("203.0.113.9", false)).toBe("198.51.100.7");
  });
});

describe("scopes", () => {
  const rows: [string, string, "read" | "operate" | "admin"][] = [
    ["POST", "/device/execute", "operate"],
    ["POST", "/device/bulk", "operate"],
    ["POST", "/device/test-connection", "operate"],
    ["POST", "/template/render", "operate"],
    ["POST", "/template/render/jinja2", "operate"],
    ["POST", "/template/parse", "operate"],
    ["POST", "/template/parse/ttp", "operate"],
    ["GET", "/job", "read"],
    ["DELETE", "/job?id=x", "operate"],
    ["GET", "/worker", "read"],
    ["DELETE", "/worker?name=x", "admin"],
    ["GET", "/plugin", "admin"],
    ["GET", "/health", "read"],
    ["GET", "/audit", "admin"],
    ["GET", "/openapi.json", "read"],
  ];
  const order = ["read", "operate", "admin"] as const;
  test.each(rows)("%s %s needs %s", async (method, path, needed) => {
    const { send } = createApp();
    for (const scope of order) {
      const sent = method === "POST" ? { method, body: query } : { method };
      const { status, body } = await send(path, { ...sent, key: keys[scope] });
      if (order.indexOf(scope) >= order.indexOf(needed)) expect(status).toBeLessThan(300);
      else
        expect([status, body.message]).toEqual([
          403,
          `This API key has the scope "${scope}"; "${needed}" is needed.`,
        ]);
    }
  });
});
