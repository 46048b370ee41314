/** Two nodes on one libSQL server: one ends the sign-in that the other began, and both learn of a logout; so do logins of command lines. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Sqld, startSqld } from "../../../scripts/testbed/sqld.ts";
import { decidedLogin } from "../../../src/api/access/login-request.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { type SignInPlace, startSignInPlace } from "../../support/oidc.ts";
import { operator } from "../terminal.ts";

const anna = { subject: "p-anna", name: "anna", groups: ["netops"] };
let sqld: Sqld;
let place: SignInPlace;
let other: Service;

beforeAll(async () => {
  sqld = await startSqld();
  place = await startSignInPlace({
    persons: [anna],
    env: {
      PATCHBAY_DATABASE_URL: sqld.url,
      PATCHBAY_MASTER_KEY: "ab".repeat(32),
      PATCHBAY_KEY_LOGIN: "false",
    },
  });
  other = await startService({ env: { ...place.env, PATCHBAY_NODE: "other" } });
  await place.role("operators", "netops", "operate");
}, 120_000);
afterAll(async () => {
  await other?.close();
  await place?.stop();
  await sqld?.stop();
});

test("a sign-in that one node began is ended by the other, and a logout holds on both", async () => {
  const browser = place.browser();
  const { get } = browser;
  // As a load balancer in front of both would.
  browser.get = (url, headers) =>
    get(url.includes("/callback?") ? url.replace(place.service.url, other.url) : url, headers);
  await browser.signIn(`${place.service.url}/login/corp`, "anna");
  expect(other.output()).toContain("/login/corp/callback");
  expect(place.service.output()).not.toContain("/login/corp/callback");

  /** Later ones are 429: a session that has ended counts as a wrong key. */
  const lets = () =>
    Promise.all([place.service, other].map(async ({ url }) => (await get(`${url}/job`)).status === 200));
  expect(await lets()).toEqual([true, true]);
  const asked = await browser.visit(`${place.provider.issuer}/session/end`);
  const [, xsrf = ""] = /name="xsrf" value="([^"]+)"/.exec(asked.text) ?? [];
  // The provider tells one node.
  await browser.post(`${place.provider.issuer}/session/end/confirm`, { xsrf, logout: "yes" });
  await expect.poll(lets, { timeout: 60_000 }).toEqual([false, false]);
}, 120_000);

test.each([[["--code"]], [[]]])(
  "a command line logs in at one node (%j), while the person confirms at the other",
  async (ways) => {
    const browser = place.browser();
    await browser.signIn(`${place.service.url}/login/corp`, "anna");
    const cookie = browser.cookies.find(({ name }) => name === "patchbay_session")?.value ?? "";
    const someone = operator();
    const run = someone.at(["login", other.url, "--name", "lab", ...ways], { columns: 200 });
    await run.sees(/request=[\w-]{22}|code: {2}[A-Z]{4}-[A-Z]{4}/);
    const [, request, user_code] = /request=([\w-]{22})|code: {2}([A-Z]{4}-[A-Z]{4})/.exec(run.text()) ?? [];
    const decided = await fetch(`${place.service.url}/person/me/login`, {
      method: "POST",
      headers: { Cookie: `patchbay_session=${cookie}`, "Content-Type": "application/json" },
      body: JSON.stringify({ request, user_code, confirm: true }),
    });
    const { data } = v.parse(v.object({ data: decidedLogin }), await decided.json());
    if (data.return_to !== null) await fetch(data.return_to);
    expect(await run.ended).toBe(0);
    const file = join(someone.home, ".config", "patchbay", "contexts.json");
    const { key } = JSON.parse(readFileSync(file, "utf8")).contexts.lab;
    /** Later ones are 429, as above. */
    const works = () =>
      Promise.all(
        [place.service, other].map(
          async ({ call }) => (await call("GET", "/job", undefined, { "X-API-KEY": key })).status === 200,
        ),
      );
    expect(await works()).toEqual([true, true]);
    expect((await someone.piped(["logout"])).err).toContain("Its key was revoked at the service.");
    await expect.poll(works, { timeout: 60_000 }).toEqual([false, false]);
  },
  120_000,
);

test("with key_login off a key begins no session, and works in requests as before", async () => {
  const ways = await fetch(`${place.service.url}/login`);
  expect(await ways.json()).toMatchObject({ data: { key: false, providers: ["corp"] } });
  const begun = await place.service.call("POST", "/session");
  expect([begun.status, begun.body.message]).toEqual([403, expect.stringContaining("sign in by a provider")]);
  expect((await place.service.call("GET", "/key")).status).toBe(200);
});
