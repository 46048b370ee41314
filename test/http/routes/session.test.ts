/** Login sessions over HTTP: their cookie, its rights, and how they end. */
import { describe, expect, test } from "vitest";
import { createAdmission, ordinaryLimits } from "../../../src/limits/admission.ts";
import { createApp, keys, sessionToken } from "../doubles/fixtures.ts";

const cookie = { Cookie: `theme=dark; patchbay_session=${sessionToken}` };
const secureUrl = "https://patchbay.example/session";

describe("the cookie", () => {
  test("is HttpOnly and SameSite, and the body does not contain the token", async () => {
    const begun = await createApp().send("/session", { method: "POST" });
    expect(begun.status).toBe(201);
    expect(begun.headers.get("set-cookie")).toBe(
      `patchbay_session=${sessionToken}; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict`,
    );
    expect(begun.text).not.toContain(sessionToken);
    expect(begun.body.data).toMatchObject({ id: "session-1", key: "name-operate" });
  });

  test("is Secure over HTTPS, also behind a TLS proxy", async () => {
    const direct = await createApp().send(secureUrl, { method: "POST" });
    expect(direct.headers.get("set-cookie")).toMatch(/; Secure$/);
    const forwarded = { "X-Forwarded-Proto": "https" };
    const proxied = await createApp({}, { behindProxy: true }).send("/session", {
      method: "POST",
      headers: forwarded,
    });
    expect(proxied.headers.get("set-cookie")).toMatch(/; Secure$/);
    const claimed = await createApp().send("/session", { method: "POST", headers: forwarded });
    expect(claimed.headers.get("set-cookie")).not.toContain("Secure");
  });

  test("has the rights of its key; a key beside it takes precedence", async () => {
    const { send } = createApp();
    expect((await send("/job", { key: null, headers: cookie })).status).toBe(200);
    expect((await send("/key", { key: null, headers: cookie })).status).toBe(403);
    expect((await send("/job", { key: "wrong", headers: cookie })).status).toBe(403);
    expect((await send("/key", { headers: cookie })).status).toBe(200);
  });

  test("reports that it is no longer valid", async () => {
    const answer = await createApp().send("/job", {
      key: null,
      headers: { Cookie: "patchbay_session=pbs_old" },
    });
    expect([answer.status, answer.body.message]).toEqual([403, "The session has expired: log in again."]);
  });
});

test("ends at once on this node; only ending the own session clears the cookie", async () => {
  const { send, forgotten } = createApp();
  const other = await send("/session/session-2", { key: null, method: "DELETE", headers: cookie });
  expect([other.body.data, other.headers.get("set-cookie")]).toEqual(["session-2", null]);
  const own = await send("/session/current", { key: null, method: "DELETE", headers: cookie });
  expect(own.headers.get("set-cookie")).toMatch(/^patchbay_session=; Path=\/; Max-Age=0; HttpOnly/);
  expect(forgotten).toEqual(["session-2", "session-1"]);
});

test("limits session creation, since each writes to the store", async () => {
  const rate = { perSecond: 0.1, burst: 250 };
  const { send } = createApp({}, { admission: createAdmission({ ...ordinaryLimits, rate }) });
  const begin = () => send("/session", { key: keys.read, method: "POST" });
  expect([await begin(), await begin(), await begin()].map(({ status }) => status)).toEqual([201, 201, 429]);
});

test("keeps the token out of log and errors", async () => {
  const { send, lines } = createApp({
    listLoginSessions: async () => {
      throw new Error(`with ${sessionToken}`);
    },
  });
  const answer = await send("/session", { key: null, headers: cookie });
  expect(answer.status).toBe(500);
  expect(answer.text + JSON.stringify(lines)).not.toContain(sessionToken);
  expect((await send("/session", { key: keys.read, method: "POST" })).status).toBe(201);
});
