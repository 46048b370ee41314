/** Sign-in at a real provider: sessions of persons, their roles, and logouts on either side. */
import { spawnSync } from "node:child_process";
import process from "node:process";
import * as v from "valibot";
import { afterAll, beforeAll, expect, test } from "vitest";
import { endedSession } from "../../../src/api/access/login.ts";
import { loginSessionRecord } from "../../../src/api/access/login-session.ts";
import type { AuditEntry } from "../../../src/api/admin/audit.ts";
import { programOf } from "../../../src/testkit/service.ts";
import { type Browser, clientSecret, type SignInPlace, startSignInPlace } from "../../support/oidc.ts";

const anna = { subject: "p-anna", name: "anna", groups: ["netops"] };
const ben = { subject: "p-ben", name: "ben", groups: ["guests"] };
let place: SignInPlace;
const start = () => `${place.service.url}/login/corp`;

beforeAll(async () => {
  place = await startSignInPlace({ persons: [anna, ben] });
  await place.role("operators", "netops", "operate");
}, 60_000);
afterAll(() => place?.stop());

const sessions = v.object({ data: v.array(loginSessionRecord) });
const session = (browser: Browser) =>
  browser.cookies.find(({ name }) => name === "patchbay_session")?.value ?? "";
const status = async (browser: Browser, path = "/job") =>
  (await browser.get(`${place.service.url}${path}`)).status;
const trail = async (action: string) =>
  (await place.service.call<AuditEntry[]>("GET", `/audit?action=${action}`)).body.data;

async function signedIn(name = "anna"): Promise<Browser> {
  const browser = place.browser();
  await browser.signIn(start(), name);
  return browser;
}

test("GET /login tells the ways without a key", async () => {
  const answer = await fetch(`${place.service.url}/login`);
  expect(await answer.json()).toMatchObject({ data: { key: true, providers: ["corp"] } });
});

test("a person with a role has a session with its limits, and returns to the place they came from", async () => {
  const browser = place.browser();
  const { url } = await browser.signIn(`${start()}?return=${encodeURIComponent("/#/jobs?host=a")}`, "anna");
  expect(url).toBe(`${place.service.url}/#/jobs?host=a`);
  expect(await status(browser)).toBe(200);
  // The role has the scope `operate`.
  expect(await status(browser, "/audit")).toBe(403);
  const { data } = v.parse(sessions, await (await browser.get(`${place.service.url}/session`)).json());
  const own = data.find(({ current }) => current);
  expect(own).toMatchObject({ person: "anna", key: null, scope: "operate" });
  expect((Date.parse(own?.expires_at ?? "") - Date.now()) / 3_600_000).toBeCloseTo(12, 1);
  expect((await trail("person.sign_in"))[0]).toMatchObject({ detail: `${place.provider.issuer} p-anna` });
});

test("every sign-in begins a new session, and the answer of the provider counts once", async () => {
  const browser = place.browser();
  const answers: string[] = [];
  const { get } = browser;
  browser.get = (url, headers) => {
    if (url.includes("/callback?")) answers.push(url);
    return get(url, headers);
  };
  await browser.signIn(start(), "anna");
  const first = session(browser);
  await browser.visit(start());
  expect(session(browser)).toMatch(/^pbs_/);
  expect(session(browser)).not.toBe(first);
  for (const answer of [...answers]) {
    const again = await browser.get(answer);
    expect([again.status, await again.text()]).toEqual([400, expect.stringContaining("Begin again.")]);
  }
});

test("somebody without a role is told who they are, and stands in the trail; so does a refusal at the provider", async () => {
  const browser = place.browser();
  const { response, text } = await browser.signIn(start(), "ben");
  expect(response.status).toBe(403);
  expect(text).toContain("You have no role here");
  for (const fact of ["ben", "p-ben", "guests"]) expect(text).toContain(fact);
  expect(session(browser)).toBe("");
  const [refused] = await trail("person.refused");
  expect(refused).toMatchObject({ outcome: "no_role", detail: `${place.provider.issuer} p-ben` });
  const no = await place.browser().signIn(start(), "no");
  expect([no.response.status, no.text]).toEqual([403, expect.stringContaining("access_denied")]);
});

test("groups count as the provider names them now, never as before", async () => {
  const before = await signedIn();
  expect(await status(before)).toBe(200);
  anna.groups = [];
  try {
    const { text } = await place.browser().signIn(start(), "anna");
    expect(text).toContain("You have no role here");
    // Open sessions of the same person end, too.
    expect(await status(before)).toBe(403);
  } finally {
    anna.groups = ["netops"];
  }
  expect(await status(await signedIn())).toBe(200);
});

test("a logout here leads to the logout of the provider, which returns", async () => {
  const browser = await signedIn();
  const ended = await fetch(`${place.service.url}/session/current`, {
    method: "DELETE",
    headers: { Cookie: `patchbay_session=${session(browser)}` },
  });
  const { logout_url } = v.parse(endedSession, await ended.json());
  expect(logout_url).toContain(`${place.provider.issuer}/session/end?client_id=patchbay`);
  // This provider refuses a logout without the ID token, which stands nowhere else.
  const hint = new URL(logout_url ?? "").searchParams.get("id_token_hint") ?? "";
  expect(hint.split(".")).toHaveLength(3);
  expect(place.service.output()).not.toContain(hint.slice(0, 40));
  expect(await status(browser)).toBe(403);
  const asked = await browser.visit(logout_url ?? "");
  const [, xsrf = ""] = /name="xsrf" value="([^"]+)"/.exec(asked.text) ?? [];
  const done = await browser.post(`${place.provider.issuer}/session/end/confirm`, { xsrf, logout: "yes" });
  expect(done.headers.get("location")).toBe(`${place.service.url}/`);
});

test("a logout at the provider ends the session here by the back channel", async () => {
  const [browser, other] = [await signedIn(), await signedIn()];
  const asked = await browser.visit(`${place.provider.issuer}/session/end`);
  const [, xsrf = ""] = /name="xsrf" value="([^"]+)"/.exec(asked.text) ?? [];
  await browser.post(`${place.provider.issuer}/session/end/confirm`, { xsrf, logout: "yes" });
  // The provider has told it before it answers its own page: the very next request is refused.
  expect(await status(browser)).toBe(403);
  // Another session of the same person at the provider goes on.
  expect(await status(other)).toBe(200);
});

test("the provider may change its keys in the middle of a sign-in", async () => {
  const browser = place.browser();
  const form = await browser.visit(start());
  place.provider.rotate();
  await browser.post(form.url, { name: "anna" }).then(async (answer) => {
    await browser.visit(new URL(answer.headers.get("location") ?? "", form.url).href);
  });
  expect(await status(browser)).toBe(200);
});

test("while the provider is down open sessions go on, new ones are refused with the reason, and the key for emergencies works", async () => {
  const open = await signedIn();
  // Somebody is on the way back from the provider.
  const late = place.browser();
  const form = await late.visit(start());
  let answer = await late.post(form.url, { name: "anna" });
  let back = new URL(answer.headers.get("location") ?? "", form.url);
  while (back.origin === place.provider.issuer) {
    answer = await late.get(back.href);
    back = new URL(answer.headers.get("location") ?? "", back);
  }
  await place.provider.off();
  try {
    expect(await status(open)).toBe(200);
    const refused = await late.get(back.href);
    expect([refused.status, await refused.text()]).toEqual([
      503,
      expect.stringMatching(/The provider .*corp.* cannot be reached: it refuses connections/),
    ]);
    const [program, ...begin] = programOf();
    const env = { PATH: process.env.PATH, PATCHBAY_DATA_DIR: place.service.dataDir };
    const made = spawnSync(program, [...begin, "key", "break-glass"], { encoding: "utf8", env });
    const headers = { "X-API-KEY": made.stdout.trim() };
    const begun = await fetch(`${place.service.url}/session`, { method: "POST", headers });
    expect(begun.status, made.stderr).toBe(201);
    const Cookie = begun.headers.get("set-cookie")?.split(";")[0] ?? "";
    const me = await fetch(`${place.service.url}/person/me`, { headers: { Cookie } });
    expect(await me.json()).toMatchObject({
      data: { scope: "admin", name: expect.stringMatching(/^break-glass-/) },
    });
    expect((await trail("break_glass.used")).length).toBeGreaterThan(0);
  } finally {
    await place.provider.on();
  }
  expect(await status(await signedIn())).toBe(200);
});

test("nothing secret is in the log", async () => {
  const browser = await signedIn();
  const log = place.service.output();
  expect(log).not.toContain(clientSecret);
  expect(log).not.toContain(session(browser));
  expect(log).not.toMatch(/[?&]code=|eyJ[A-Za-z0-9_-]{20}/);
});
