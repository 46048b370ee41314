/** Routes of the sign-in: what a browser gets, and what nobody can make them do. */
import { describe, expect, test } from "vitest";
import type { SignIn } from "../../../src/admin/port.ts";
import { ServiceError } from "../../../src/base/errors.ts";
import type { HttpOptions } from "../../../src/http/port.ts";
import type { Identity } from "../../../src/oidc/port.ts";
import { createApp, sessionToken, spy } from "../doubles/fixtures.ts";
import { noSignIn } from "../doubles/no-sign-in.ts";

const origin = "http://patchbay.example";
const html = { Accept: "text/html,*/*" };
const begun = { location: "https://login.example/auth?state=s", state: "sealed", stateMs: 600_000 };
const session = { token: sessionToken, lastsMs: 43_200_900, returnPath: "/#/jobs" };
const identity: Identity = {
  provider: "corp",
  issuer: "https://login.example",
  subject: "<p-1>",
  name: "anna",
  email: undefined,
  groups: Array.from({ length: 30 }, (_, n) => `g${n}`),
  providerSession: undefined,
  tokenEndsAt: 0,
  idToken: undefined,
};

function appWith(signIn: Partial<SignIn>, options: Partial<HttpOptions> = {}) {
  const app = createApp({}, { signIn: { ...noSignIn, ...signIn }, ...options });
  const get = (path: string, headers: Record<string, string> = {}) => app.send(path, { key: null, headers });
  return { ...app, get };
}

test("a browser is sent to the provider with a cookie for the way back only", async () => {
  const begin = spy(async (_provider: string, _returnPath: string | null) => begun);
  const { get } = appWith({ begin });
  const answer = await get("/login/corp?return=%2F%23%2Fjobs");
  expect([answer.status, answer.headers.get("location")]).toEqual([302, begun.location]);
  expect(answer.headers.getSetCookie()).toEqual([
    "patchbay_sign_in=sealed; Path=/login/corp/callback; Max-Age=600; HttpOnly; SameSite=Lax",
  ]);
  expect(begin.calls).toEqual([["corp", "/#/jobs"]]);
  const [cookie] = (await get("https://patchbay.example/login/corp")).headers.getSetCookie();
  expect(cookie).toMatch(/; Secure$/);
});

test("a browser under another name is led to the public address first, once", async () => {
  const { get } = appWith({ begin: async () => begun }, { publicUrl: "https://public.example" });
  const answer = await get("/login/corp?return=%2F%23%2Fjobs");
  expect(answer.headers.get("location")).toBe(
    "https://public.example/login/corp?return=%2F%23%2Fjobs&moved=true",
  );
  expect(answer.headers.getSetCookie()).toEqual([]);
  // A proxy that hides the name does not make a circle.
  expect((await get("/login/corp?moved=true")).headers.get("location")).toBe(begun.location);
  const own = appWith({ begin: async () => begun }, { publicUrl: origin });
  expect((await own.get("/login/corp")).headers.get("location")).toBe(begun.location);
});

test("a sign-in ends with the session's cookie, and the one of the way is removed", async () => {
  const finish = spy(async (_: Parameters<SignIn["finish"]>[0]) => session);
  const { get } = appWith({ finish });
  const cookie = { Cookie: "theme=dark; patchbay_sign_in=sealed", "User-Agent": "browser" };
  const answer = await get("/login/corp/callback?code=c&state=s&session_state=x&hd=example.net", cookie);
  expect([answer.status, answer.headers.get("location")]).toEqual([302, "/#/jobs"]);
  expect(answer.headers.getSetCookie()).toEqual([
    "patchbay_sign_in=; Path=/login/corp/callback; Max-Age=0; HttpOnly; SameSite=Lax",
    `patchbay_session=${sessionToken}; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict`,
    "patchbay_signed_in=true; Path=/; Max-Age=60; SameSite=Strict",
  ]);
  const [returned] = finish.calls[0] ?? [];
  expect(returned).toMatchObject({
    provider: "corp",
    state: "sealed",
    from: "198.51.100.7",
    agent: "browser",
  });
  expect(returned?.answer.get("code")).toBe("c");
});

test("a person without a role sees who they are, as text", async () => {
  const { get } = appWith({ finish: async () => ({ refused: "no_role", identity }) });
  const answer = await get("/login/corp/callback?code=c", html);
  expect(answer.status).toBe(403);
  expect(answer.text).toContain("You have no role here");
  expect(answer.text).toContain("&#60;p-1&#62;");
  expect(answer.text).not.toContain("<p-1>");
  expect(answer.text).toContain("g19 and 10 more");
  expect(answer.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  expect(answer.headers.getSetCookie().join()).not.toContain("patchbay_session");
  const blocked = appWith({ finish: async () => ({ refused: "blocked", identity }) });
  expect((await blocked.get("/login/corp/callback", html)).text).toContain("You are blocked here");
});

describe("a failure", () => {
  const down = async () => {
    throw new ServiceError("Unavailable", 'The provider "corp" cannot be reached: <b>.');
  };

  test("is a page for a browser and an envelope for a program", async () => {
    const { get, lines } = appWith({ begin: down, finish: down });
    for (const path of ["/login/corp", "/login/corp/callback?code=secret-code"]) {
      const page = await get(path, html);
      expect([page.status, page.headers.get("content-type")]).toEqual([503, "text/html; charset=utf-8"]);
      expect(page.text).toContain("cannot be reached: &#60;b&#62;.");
      expect((await get(path)).body).toMatchObject({
        code: -1,
        message: expect.stringContaining("cannot be reached"),
      });
    }
    expect(lines.filter(({ event }) => event === "sign_in.refused")).toHaveLength(2);
    expect(JSON.stringify(lines)).not.toContain("secret-code");
  });

  test("of ours is reported by an id, not by its text", async () => {
    const { get } = appWith({
      begin: async () => {
        throw new TypeError("of ours");
      },
    });
    const answer = await get("/login/corp", html);
    expect([answer.status, answer.text.includes("of ours")]).toEqual([500, false]);
  });
});

test("a provider ends sessions by a form, or by a page in its frame", async () => {
  const tokens: string[] = [];
  const { send, get } = appWith({
    endByBackChannel: async (_, token) => void tokens.push(token),
    endByFrontChannel: async () => ({ framedBy: "https://login.example" }),
  });
  const post = (body: string, type = "application/x-www-form-urlencoded") =>
    send("/login/corp/backchannel", { method: "POST", key: null, body, headers: { "content-type": type } });
  expect((await post("logout_token=a.b.c")).status).toBe(200);
  expect(tokens).toEqual(["a.b.c"]);
  expect((await post("other=a")).status).toBe(400);
  expect((await post(`logout_token=${"x".repeat(100_000)}`)).status).toBe(413);
  expect((await post("x", "multipart/form-data; boundary=x")).status).toBe(415);
  const framed = await get("/login/corp/frontchannel?iss=i&sid=s");
  expect(framed.headers.get("content-security-policy")).toContain("frame-ancestors https://login.example");
  expect(framed.headers.get("cache-control")).toBe("no-store");
});

test("one address cannot ask without end, and takes nothing from another", async () => {
  const { send } = appWith({ begin: async () => begun });
  const from = (address: string) => send("/login/corp", { key: null, from: address });
  const many = await Promise.all(Array.from({ length: 400 }, () => from("192.0.2.1")));
  const refused = many.find(({ status }) => status === 429);
  expect(refused?.body.message).toBe("There are too many sign-ins from this address.");
  expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await from("192.0.2.2")).status).toBe(302);
});

test("the logout of a person leads to the provider; that of another session does not", async () => {
  const beginLogout = async () => async () => "https://login.example/end";
  const { send } = appWith({ beginLogout });
  const headers = { Cookie: `patchbay_session=${sessionToken}` };
  const end = (id: string) => send(`/session/${id}`, { key: null, method: "DELETE", headers });
  expect((await end("session-2")).body).not.toHaveProperty("logout_url");
  const own = await end("current");
  expect(own.body).toMatchObject({ data: "session-1", logout_url: "https://login.example/end" });
  expect(own.headers.get("set-cookie")).toMatch(/Max-Age=0/);
});

test("paths beside these are no way in", async () => {
  const { get, send } = appWith({ begin: async () => begun });
  for (const path of [
    "/login/",
    "/login/corp/",
    "/login//callback",
    "/login/corp/other",
    "/login/corp/callback/x",
  ])
    expect((await get(path)).status).toBe(403);
  expect((await send("/login/corp", { method: "PUT" })).headers.get("allow")).toBe("GET");
});
