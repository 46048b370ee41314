/** Logout tokens of a provider: what is not valid ends no session, and none counts twice. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { messageOf, ServiceError } from "../../src/base/errors.ts";
import { createOidc } from "../../src/oidc/oidc.ts";
import type { Oidc } from "../../src/oidc/port.ts";
import {
  type Claims,
  type LyingProvider,
  makeKey,
  signedBy,
  startLyingProvider,
  unsigned,
} from "../support/lying-provider.ts";

let provider: LyingProvider;
let oidc: Oidc;

beforeAll(async () => {
  provider = await startLyingProvider();
  const { issuer, caFile } = provider;
  const own = { clientId: "patchbay", secretFile: undefined, scopes: "openid" };
  oidc = createOidc({
    providers: [{ name: "corp", issuer, caFile, ...own, groupsClaim: "groups", nameClaim: "name" }],
    publicUrl: "https://patchbay.example",
    masterKeys: [randomBytes(32)],
  });
});
afterAll(() => provider.stop());

const event = "http://schemas.openid.net/event/backchannel-logout";
const claimsOf = (other: Claims = {}): Claims => {
  const now = Math.floor(Date.now() / 1000);
  return {
    iss: provider.issuer,
    aud: "patchbay",
    iat: now,
    exp: now + 120,
    jti: randomBytes(8).toString("hex"),
    sub: "person-1",
    sid: "session-1",
    events: { [event]: {} },
    ...other,
  };
};
const without = (name: string) => claimsOf({ [name]: undefined });
const at = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "accepted";
  } catch (error) {
    expect(error).toMatchObject({ kind: "BadRequest" });
    expect(error).toBeInstanceOf(ServiceError);
    return messageOf(error);
  }
}

test("a logout names a person, a session at the provider, or both", async () => {
  const { issuer } = provider;
  const of = async (claims: Claims, header?: Claims) =>
    oidc.backChannel("corp", provider.token(claims, header));
  expect(await of(claimsOf())).toEqual({
    ...{ issuer, subject: "person-1", providerSession: "session-1" },
    allowAgain: expect.any(Function),
  });
  expect(await of(without("sid"), { typ: "logout+jwt" })).toMatchObject({ subject: "person-1" });
  expect(await of(without("sub"), { typ: "JWT" })).toMatchObject({ providerSession: "session-1" });
});

test.each<[string, () => string, RegExp]>([
  ["without a signature", () => unsigned(claimsOf()), /algorithm/],
  [
    "signed by another key",
    () => signedBy(makeKey("ES256").privateKey, { alg: "ES256", kid: "0" }, claimsOf()),
    /signature is not right/,
  ],
  ["of another issuer", () => provider.token(claimsOf({ iss: "https://evil.example" })), /another issuer/],
  ["for another client", () => provider.token(claimsOf({ aud: "other" })), /another service/],
  ["that is an ID token", () => provider.token(claimsOf({ events: undefined, nonce: "n" })), /"events/],
  ["with a nonce", () => provider.token(claimsOf({ nonce: "n" })), /"nonce"/],
  ["of another event", () => provider.token(claimsOf({ events: { "urn:other": {} } })), /"events/],
  ["whose event is no object", () => provider.token(claimsOf({ events: { [event]: true } })), /"events/],
  ["without an id", () => provider.token(without("jti")), /"jti"/],
  [
    "of nobody",
    () => provider.token(claimsOf({ sub: undefined, sid: undefined })),
    /without "sub" and "sid"/,
  ],
  ["without a time", () => provider.token(without("iat")), /"iat"/],
  ["of an hour ago", () => provider.token(claimsOf({ iat: at(-3600) })), /too old/],
  ["that has expired", () => provider.token(claimsOf({ exp: at(-120) })), /clock/],
  ["that never expires", () => provider.token(without("exp")), /refused/],
  ["of another type", () => provider.token(claimsOf(), { typ: "at+jwt" }), /"typ"/],
  ["of 20 KB", () => provider.token(claimsOf({ more: "x".repeat(20_000) })), /too long/],
  ["that is no token", () => "hello", /refused/],
])("a logout token %s is refused", async (_, token, why) => {
  expect(await refusalOf(oidc.backChannel("corp", token()))).toMatch(why);
});

test("a logout token counts once, unless its sessions could not be ended", async () => {
  const token = provider.token(claimsOf());
  const { allowAgain } = await oidc.backChannel("corp", token);
  expect(await refusalOf(oidc.backChannel("corp", token))).toMatch(/a second time/);
  allowAgain();
  await oidc.backChannel("corp", token);
  expect(await refusalOf(oidc.backChannel("corp", token))).toMatch(/a second time/);
});

test("a page of the provider logs a session out if it names its issuer", async () => {
  const { issuer } = provider;
  const of = (query: Record<string, string>) => oidc.frontChannel("corp", new URLSearchParams(query));
  expect(await of({ iss: issuer, sid: "session-1" })).toEqual({
    issuer,
    subject: undefined,
    providerSession: "session-1",
  });
  const wrongs: Record<string, string>[] = [
    {},
    { sid: "s" },
    { iss: issuer },
    { iss: issuer, sid: "" },
    { iss: "https://evil.example", sid: "s" },
  ];
  for (const wrong of wrongs)
    expect(await refusalOf(of(wrong))).toMatch(/needs "iss", its issuer, and "sid"/);
});

test("a person logs out of the provider at an address that leads back", async () => {
  const url = new URL((await oidc.logoutUrl(provider.issuer)) ?? "");
  expect(`${url.origin}${url.pathname}`).toBe(`${provider.issuer}/end`);
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: "patchbay",
    post_logout_redirect_uri: "https://patchbay.example/",
  });
  const hintOf = async (token: string) =>
    new URL((await oidc.logoutUrl(provider.issuer, token)) ?? "").searchParams.get("id_token_hint");
  // The provider's keys are known from the logout tokens above; one of another key would be refused, with the logout.
  const [token, foreign] = [provider.token(claimsOf()), provider.token(claimsOf(), { kid: "gone" })];
  expect([await hintOf(token), await hintOf(foreign)]).toEqual([token, null]);
  expect(await oidc.logoutUrl("https://other.example")).toBeUndefined();
});
