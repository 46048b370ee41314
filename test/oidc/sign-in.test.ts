/** Sign-in at providers that lie, are slow or down: each is refused with its reason, and nothing secret is shown. */
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ServiceError } from "../../src/base/errors.ts";
import { createOidc } from "../../src/oidc/oidc.ts";
import type { Oidc, ProviderSettings } from "../../src/oidc/port.ts";
import { tempFolder } from "../../src/testkit/service.ts";
import {
  type Claims,
  type LyingProvider,
  makeKey,
  signedBy,
  signedBySecret,
  startLyingProvider,
  unsigned,
} from "../support/lying-provider.ts";

const secret = "client-secret-0123456789";
const secretFile = join(tempFolder(), "secret");
writeFileSync(secretFile, `${secret}\n`);
const masterKeys = [randomBytes(32)];

const settingsOf = ({ issuer, caFile }: LyingProvider, other: Partial<ProviderSettings> = {}) => ({
  name: "corp",
  issuer,
  clientId: "patchbay",
  secretFile,
  scopes: "openid profile",
  groupsClaim: "groups",
  nameClaim: "preferred_username",
  caFile,
  ...other,
});
const publicUrl = "https://patchbay.example";

let provider: LyingProvider;
let oidc: Oidc;
let now = 0;
const open = (other: Partial<ProviderSettings> = {}, limitMs = 5_000) =>
  createOidc({
    providers: [settingsOf(provider, other)],
    publicUrl,
    masterKeys,
    limitMs,
    now: () => Date.now() + now,
  });

beforeAll(async () => {
  provider = await startLyingProvider();
});
afterAll(() => provider.stop());
beforeEach(() => {
  Object.assign(provider, { lies: {}, nonce: "" });
  provider.asked.clear();
  provider.codes.clear();
  now = 0;
  oidc = open();
});

/** What a browser brings back from an honest login form. */
async function atProvider(by = oidc, returnPath: string | null = null) {
  const { location, state } = await by.begin("corp", returnPath);
  const url = new URL(location);
  const code = randomBytes(8).toString("hex");
  provider.codes.add(code);
  provider.nonce = url.searchParams.get("nonce") ?? "";
  const answer = new URLSearchParams({
    code,
    state: url.searchParams.get("state") ?? "",
    iss: provider.issuer,
  });
  return { url, state, answer, code };
}

async function signIn(by = oidc) {
  const { answer, state } = await atProvider(by);
  return by.finish("corp", answer, state);
}

async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    expect(error).toBeInstanceOf(ServiceError);
    if (!(error instanceof ServiceError)) throw error;
    // Nothing secret, also not as a cause that a log would print.
    expect(error.cause).toBeUndefined();
    expect(`${error.message}${JSON.stringify(error.detail)}`).not.toContain(secret);
    return `${error.kind}: ${error.message}`;
  }
  return "accepted";
}

test("a person is (issuer, subject), with a name, groups and the session at the provider", async () => {
  const { url, answer, state, code } = await atProvider(oidc, "/#/jobs?status=failed");
  expect(`${url.origin}${url.pathname}`).toBe(`${provider.issuer}/auth`);
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    client_id: "patchbay",
    redirect_uri: "https://patchbay.example/login/corp/callback",
    response_type: "code",
    scope: "openid profile",
    code_challenge_method: "S256",
  });
  const { identity, returnPath } = await oidc.finish("corp", answer, state);
  expect(returnPath).toBe("/#/jobs?status=failed");
  expect(identity).toMatchObject({
    provider: "corp",
    issuer: provider.issuer,
    subject: "person-1",
    name: "anna",
    groups: ["netops"],
    providerSession: "session-1",
  });
  const { form, authorization } = provider.forms.at(-1) ?? { form: new URLSearchParams() };
  expect(form.get("code")).toBe(code);
  expect(form.get("code_verifier")).toHaveLength(43);
  expect(Buffer.from(authorization?.slice(6) ?? "", "base64").toString()).toContain("patchbay:client");
  // The ID token has the groups, so the user info is not asked.
  expect(provider.asked.get("/userinfo")).toBeUndefined();
});

test.each(["RS256", "PS256", "ES256", "EdDSA"] as const)(
  "a token signed with %s is accepted",
  async (algorithm) => {
    const other = await startLyingProvider(algorithm);
    const own = provider;
    provider = other;
    try {
      expect((await signIn(open())).identity.name).toBe("anna");
    } finally {
      provider = own;
      await other.stop();
    }
  },
);

test("a provider on this machine may use plain HTTP", async () => {
  const other = await startLyingProvider("ES256", true);
  const own = provider;
  provider = other;
  try {
    expect((await signIn(open({ caFile: undefined }))).identity.issuer).toMatch(/^http:/);
  } finally {
    provider = own;
    await other.stop();
  }
});

test.each([
  ["client_secret_post", (form: URLSearchParams) => form.get("client_secret") === secret],
  ["private_key_jwt", undefined],
])("the client secret is sent as the provider wants it: %s", async (method, isSent) => {
  provider.lies.discovery = (document) => ({ ...document, token_endpoint_auth_methods_supported: [method] });
  const outcome = await refusalOf(signIn());
  if (isSent === undefined)
    expect(outcome).toContain("neither as client_secret_basic nor as client_secret_post");
  else expect(isSent(provider.forms.at(-1)?.form ?? new URLSearchParams())).toBe(true);
});

test("a public client sends its id alone", async () => {
  await signIn(open({ secretFile: undefined }));
  const { form, authorization } = provider.forms.at(-1) ?? {};
  expect([form?.get("client_id"), form?.get("client_secret"), authorization]).toEqual([
    "patchbay",
    null,
    undefined,
  ]);
});

const at = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
const strangerKey = makeKey("ES256").privateKey;

test.each<[string, (claims: Claims) => Claims, RegExp]>([
  [
    "of another issuer",
    (claims) => ({ ...claims, iss: "https://evil.example" }),
    /Forbidden: .*of another issuer/,
  ],
  ["for another client", (claims) => ({ ...claims, aud: "other" }), /Forbidden: .*for another service/],
  [
    "for several, without azp",
    (claims) => ({ ...claims, aud: ["patchbay", "other"] }),
    /for another service/,
  ],
  [
    "for several, by another party",
    (claims) => ({ ...claims, aud: ["patchbay", "other"], azp: "other" }),
    /for another service/,
  ],
  ["with another nonce", (claims) => ({ ...claims, nonce: "other" }), /belongs to another sign-in/],
  ["without a nonce", ({ nonce: _, ...claims }) => claims, /Forbidden/],
  ["without a subject", ({ sub: _, ...claims }) => claims, /Forbidden/],
  ["without an end", ({ exp: _, ...claims }) => claims, /Forbidden/],
  ["that has expired", (claims) => ({ ...claims, exp: at(-120) }), /clock .* differ by more than a minute/],
  ["from the future", (claims) => ({ ...claims, iat: at(180), exp: at(480) }), /[Cc]lock .* differ/],
  ["of long ago", (claims) => ({ ...claims, iat: at(-240) }), /[Cc]lock .* differ/],
  [
    "with a subject of 300 characters",
    (claims) => ({ ...claims, sub: "x".repeat(300) }),
    /subject that is not valid/,
  ],
  ["with a subject in two lines", (claims) => ({ ...claims, sub: "a\nb" }), /subject that is not valid/],
])("an ID token %s is refused", async (_, claims, why) => {
  provider.lies.claims = claims;
  expect(await refusalOf(signIn())).toMatch(why);
});

test.each<[string, (header: Claims, claims: Claims) => string, RegExp]>([
  ["not signed", (_, claims) => unsigned(claims), /algorithm that is not accepted/],
  [
    "signed with the client secret",
    (_, claims) => signedBySecret(secret, claims),
    /algorithm that is not accepted/,
  ],
  [
    "signed by another key",
    (header, claims) => signedBy(strangerKey, header, claims),
    /its signature is not right/,
  ],
  [
    "signed by an unpublished key",
    (header, claims) => signedBy(strangerKey, { ...header, kid: "stranger" }, claims),
    /a key that the provider does not publish/,
  ],
  [
    "changed after it was signed",
    (header, claims) => {
      const [head, , signature] = signedBy(strangerKey, header, claims).split(".");
      return `${head}.${Buffer.from(JSON.stringify({ ...claims, groups: ["admins"] })).toString("base64url")}.${signature}`;
    },
    /its signature is not right/,
  ],
  ["encrypted", () => "a.b.c.d.e", /it is encrypted/],
  ["no token at all", () => "hello", /Forbidden/],
  [
    "with a critical extension",
    (header, claims) => signedBy(strangerKey, { ...header, crit: ["x"] }, claims),
    /Forbidden/,
  ],
])("an ID token that is %s is refused", async (_, sign, why) => {
  provider.lies.sign = sign;
  expect(await refusalOf(signIn())).toMatch(why);
});

describe("the answer that the browser brings", () => {
  test.each<[string, (answer: URLSearchParams) => void, RegExp]>([
    ["another state", (answer) => answer.set("state", "other"), /BadRequest: .*not begun in this browser/],
    ["no state", (answer) => answer.delete("state"), /not begun in this browser/],
    ["another issuer", (answer) => answer.set("iss", "https://evil.example"), /not from the provider "corp"/],
    ["no issuer, though it promises one", (answer) => answer.delete("iss"), /not from the provider "corp"/],
    ["an unknown code", (answer) => answer.set("code", "other"), /BadRequest: This sign-in was used already/],
    ["no code", (answer) => answer.delete("code"), /Forbidden/],
    ["two codes", (answer) => answer.append("code", "other"), /Forbidden/],
    [
      "a refusal",
      (answer) => {
        answer.delete("code");
        answer.set("error", "access_denied");
        answer.set("error_description", "not\u202e today");
      },
      /Forbidden: The provider "corp" did not let you in: access_denied, not\? today\./,
    ],
  ])("has %s", async (_, change, why) => {
    const { answer, state } = await atProvider();
    change(answer);
    expect(await refusalOf(oidc.finish("corp", answer, state))).toMatch(why);
  });

  test("was brought before", async () => {
    const { answer, state } = await atProvider();
    await oidc.finish("corp", answer, state);
    expect(await refusalOf(oidc.finish("corp", answer, state))).toMatch(
      /BadRequest: This sign-in was used already/,
    );
  });

  test("belongs to a sign-in of another browser, of more than ten minutes ago, or of another installation", async () => {
    const { answer, state } = await atProvider();
    const later = await atProvider();
    for (const other of [undefined, "", later.state, `${state}x`, state.slice(0, -2), "x".repeat(10_000)])
      expect(await refusalOf(oidc.finish("corp", answer, other))).toMatch(/not begun in this browser/);
    const elsewhere = createOidc({
      providers: [settingsOf(provider)],
      publicUrl,
      masterKeys: [randomBytes(32)],
    });
    expect(await refusalOf(elsewhere.finish("corp", answer, state))).toMatch(/not begun in this browser/);
    now = 601_000;
    expect(await refusalOf(oidc.finish("corp", answer, state))).toMatch(/took more than ten minutes/);
    expect(provider.asked.get("/token")).toBeUndefined();
  });

  test("is ended by another node, also under a former master key", async () => {
    const { answer, state } = await atProvider();
    const node = createOidc({
      providers: [settingsOf(provider)],
      publicUrl,
      masterKeys: [randomBytes(32), ...masterKeys],
    });
    expect((await node.finish("corp", answer, state)).identity.subject).toBe("person-1");
  });

  test("belongs to another provider of the settings", async () => {
    const two = createOidc({
      providers: [settingsOf(provider), settingsOf(provider, { name: "other" })],
      publicUrl,
      masterKeys,
    });
    const { answer, state } = await atProvider(two);
    expect(await refusalOf(two.finish("other", answer, state))).toMatch(/not begun in this browser/);
  });
});

describe("groups", () => {
  const groupsFor = async (claims: Claims, other: Partial<ProviderSettings> = {}) => {
    provider.lies.claims = ({ groups: _, ...truth }) => ({ ...truth, ...claims });
    return (await signIn(open(other))).identity.groups;
  };

  test("are a list, a single text, or deep in an object; none is an empty list", async () => {
    expect(await groupsFor({ groups: ["a", "b", "a", ""] })).toEqual(["a", "b"]);
    expect(await groupsFor({ groups: "a" })).toEqual(["a"]);
    expect(
      await groupsFor({ realm_access: { roles: ["r"] } }, { groupsClaim: "realm_access.roles" }),
    ).toEqual(["r"]);
    expect(
      await groupsFor({ "https://x.example/groups": ["u"] }, { groupsClaim: "https://x.example/groups" }),
    ).toEqual(["u"]);
    for (const none of [{ groups: [] }, { groups: null }, {}]) expect(await groupsFor(none)).toEqual([]);
  });

  test("come from the user info only if the ID token names none", async () => {
    provider.lies.userinfo = () => ({
      sub: "person-1",
      groups: ["from-userinfo"],
      iss: "https://evil.example",
    });
    expect(await groupsFor({})).toEqual(["from-userinfo"]);
    expect(await groupsFor({ groups: [] })).toEqual([]);
  });

  test.each<[string, () => unknown, RegExp]>([
    ["of another person", () => ({ sub: "person-2", groups: ["admins"] }), /user info is of another person/],
    ["of nobody", () => ({ groups: ["admins"] }), /Forbidden/],
    ["of 10 MB", () => ({ sub: "person-1", groups: ["x".repeat(10_000_000)] }), /more than 1 MiB/],
  ])("are refused in a user info %s", async (_, userinfo, why) => {
    provider.lies.userinfo = userinfo;
    expect(await refusalOf(groupsFor({}))).toMatch(why);
  });

  test("that are too many are refused", async () => {
    const groups = Array.from({ length: 10_000 }, (_, n) => `g${n}`);
    expect(await refusalOf(groupsFor({ groups }))).toMatch(/Forbidden: .*10000 groups/);
  });
});

describe("a provider", () => {
  const discovery = "/.well-known/openid-configuration";

  test("that is down is named, and works again once it is up", async () => {
    const other = await startLyingProvider();
    await other.stop();
    expect(await refusalOf(open({ issuer: other.issuer }).begin("corp", null))).toMatch(
      /Unavailable: The provider "corp" cannot be reached: it refuses connections/,
    );
  });

  test.each([discovery, "/token", "/jwks"])("that does not answer at %s is given up", async (path) => {
    provider.lies.paths = { [path]: () => {} };
    expect(await refusalOf(signIn(open({}, 200)))).toMatch(/Unavailable: .* did not answer within 0.2 s/);
  });

  test.each([discovery, "/token", "/jwks"])("whose answer at %s never ends is given up", async (path) => {
    provider.lies.paths = {
      [path]: (response) => {
        response.writeHead(200, { "Content-Type": "application/json" });
        const more = () => {
          if (!response.destroyed) response.write(`"${"x".repeat(65_536)}",`, () => setImmediate(more));
        };
        more();
      },
    };
    expect(await refusalOf(signIn())).toMatch(/Unavailable: .* more than (?:256 KiB|1 MiB)/);
  });

  test.each<[string, (path: string) => NonNullable<typeof provider.lies.paths>]>([
    [
      "a page",
      (path) => ({ [path]: (response) => void response.setHeader("Content-Type", "text/html").end("<h1>") }),
    ],
    ["an error", (path) => ({ [path]: (response) => void response.writeHead(500).end() })],
    [
      "a redirect",
      (path) => ({ [path]: (response) => void response.writeHead(302, { Location: "/jwks" }).end() }),
    ],
    [
      "broken JSON",
      (path) => ({
        [path]: (response) => void response.setHeader("Content-Type", "application/json").end("{"),
      }),
    ],
  ])("that answers with %s is told", async (_, lie) => {
    for (const path of [discovery, "/token", "/jwks"]) {
      provider.lies.paths = lie(path);
      expect(await refusalOf(signIn(open()))).toMatch(
        /Unavailable: .*does not answer as an OpenID Connect provider/,
      );
    }
  });

  test.each<[string, (document: Claims) => unknown, RegExp]>([
    [
      "another issuer",
      (document) => ({ ...document, issuer: "https://evil.example" }),
      /names another issuer/,
    ],
    ["no keys", ({ jwks_uri: _, ...document }) => document, /"jwks_uri" is missing/],
    [
      "plain HTTP",
      (document) => ({ ...document, token_endpoint: "http://127.0.0.1/token" }),
      /no address with https/,
    ],
    [
      "a script as its login page",
      (document) => ({ ...document, authorization_endpoint: "javascript:alert(1)" }),
      /no address with https/,
    ],
    [
      "no usable algorithm",
      (document) => ({ ...document, id_token_signing_alg_values_supported: ["HS256", "none"] }),
      /signs ID tokens with none of/,
    ],
  ])("that describes itself with %s is refused", async (_, lie, why) => {
    provider.lies.discovery = lie;
    expect(await refusalOf(oidc.begin("corp", null))).toMatch(new RegExp(`Unavailable: .*${why.source}`));
  });

  test("with a certificate of an unknown CA is refused", async () => {
    expect(await refusalOf(open({ caFile: undefined }).begin("corp", null))).toMatch(
      /Unavailable: .*certificate/,
    );
  });

  test("is asked for its metadata once a minute, and for its keys once in five", async () => {
    await Promise.all([signIn(), oidc.begin("corp", null)].map((one) => one.catch(() => undefined)));
    await signIn();
    expect([provider.asked.get(discovery), provider.asked.get("/jwks")]).toEqual([1, 1]);
    now = 61_000;
    await oidc.begin("corp", null);
    expect([provider.asked.get(discovery), provider.asked.get("/jwks")]).toEqual([2, 1]);
  });

  test("that goes down between two sign-ins is noticed before the browser is sent there", async () => {
    await signIn();
    provider.lies.paths = { [discovery]: (response) => void response.writeHead(503).end() };
    now = 61_000;
    expect(await refusalOf(oidc.begin("corp", null))).toMatch(/Unavailable: .*status 503/);
    expect(await oidc.logoutUrl(provider.issuer)).toContain("/end?");
  });

  test("changes its keys: the new one is fetched at once, an unknown one at most once a minute", async () => {
    await signIn();
    provider.rotate();
    expect((await signIn()).identity.name).toBe("anna");
    expect(provider.asked.get("/jwks")).toBe(2);
    provider.lies.sign = (header, claims) => signedBy(strangerKey, { ...header, kid: "stranger" }, claims);
    for (const _ of [1, 2, 3, 4]) expect(await refusalOf(signIn())).toMatch(/does not publish/);
    expect(provider.asked.get("/jwks")).toBe(2);
    now = 30_000;
    provider.lies = {};
    await signIn();
    expect(provider.asked.get("/jwks")).toBe(2);
  });

  test("that does not know the client, or its secret, is told as such", async () => {
    for (const [status, error] of [
      [401, "invalid_client"],
      [400, "unauthorized_client"],
    ] as const) {
      provider.lies.paths = {
        "/token": (response) =>
          void response
            .writeHead(status, { "Content-Type": "application/json", "WWW-Authenticate": "Basic" })
            .end(JSON.stringify({ error })),
      };
      expect(await refusalOf(signIn())).toMatch(
        /Unavailable: .* does not accept this service: its client id/,
      );
    }
  });

  test("that is not in the settings is none", async () => {
    expect(await refusalOf(oidc.begin("corq", null))).toBe(
      'NotFound: There is no provider "corq". Did you mean corp?',
    );
  });
});
