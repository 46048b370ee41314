/** One OpenID Connect provider: its metadata and keys, the code flow, logout. Loaded with the library by the first use. */
import * as oauth from "oauth4webapi";
import * as v from "valibot";
import { ServiceError } from "../base/errors.ts";
import { createBoundedCache } from "../base/share/bounded-cache.ts";
import { type Claims, claimAt, emailOf, groupsOf, nameOf, subjectOf } from "./claims.ts";
import type { Identity, ProviderLogout, ProviderSettings, TokenLogout } from "./port.ts";
import { refusalOf } from "./refusals.ts";
import { readAuthorities, readSecret } from "./settings.ts";
import type { SignInState } from "./state.ts";
import { createTransport, maxClaimsBytes, maxDocumentBytes, type TransportOptions } from "./transport.ts";

export interface Provider {
  /** Where to send a browser that signs in. */
  authorizationUrl(request: Pick<SignInState, "state" | "nonce" | "verifier">): Promise<string>;
  /** Who the provider says has signed in. */
  identify(answer: URLSearchParams, begun: SignInState): Promise<Identity>;
  backChannel(logoutToken: string): Promise<TokenLogout>;
  frontChannel(query: URLSearchParams): Promise<ProviderLogout>;
  /** @param idToken of the session that ended */
  logoutUrl(idToken: string | undefined): Promise<string | undefined>;
}

export interface ProviderOptions {
  readonly redirectUri: string;
  /** Where a browser comes back to after a logout at the provider. */
  readonly startPage: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly limitMs?: TransportOptions["limitMs"];
}

/** Signatures with a public key of the provider; never `none`, and none with a shared secret. */
const algorithms = ["RS256", "PS256", "ES256", "EdDSA", "Ed25519"];
const toleranceS = 60;
/** A logout token is sent at once. */
const logoutTokenMs = 600_000;
const maxLogoutToken = 16_384;
/** Servers accept addresses of 8 KiB. */
const maxHint = 6_144;
const rememberedTokens = 10_000;
/** A sign-in begins with metadata of this age at most, so that a provider that is down is noticed here. */
const freshMs = 60_000;
/** Everything else does with older ones. */
const keptMs = 3_600_000;
const unknownKeyMs = 60_000;

const list = v.optional(v.array(v.string()));
const metadataSchema = v.object({
  issuer: v.string(),
  authorization_endpoint: v.string(),
  token_endpoint: v.string(),
  jwks_uri: v.string(),
  userinfo_endpoint: v.optional(v.string()),
  end_session_endpoint: v.optional(v.string()),
  authorization_response_iss_parameter_supported: v.optional(v.boolean()),
  token_endpoint_auth_methods_supported: list,
  id_token_signing_alg_values_supported: list,
});
type Metadata = v.InferOutput<typeof metadataSchema> & {
  readonly authorization_signing_alg_values_supported: string[];
};
type KeyOptions = oauth.JWKSCacheOptions & oauth.ValidateSignatureOptions;
const endpoints = [
  "authorization_endpoint",
  "token_endpoint",
  "jwks_uri",
  "userinfo_endpoint",
  "end_session_endpoint",
] as const;

const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";
const headerSchema = v.pipe(v.string(), v.parseJson(), v.object({ kid: v.optional(v.string()) }));
const logoutSchema = v.object({
  iat: v.number(),
  jti: v.pipe(v.string(), v.minLength(1), v.maxLength(512)),
  sub: v.optional(v.string()),
  sid: v.optional(v.string()),
  events: v.object({ [logoutEvent]: v.looseObject({}) }),
  nonce: v.optional(v.never()),
});

export function createProvider(settings: ProviderSettings, options: ProviderOptions): Provider {
  const { redirectUri, startPage, now } = options;
  const who = `The provider "${settings.name}"`;
  const ca = () => (settings.caFile === undefined ? undefined : readAuthorities(settings.caFile));
  const transport = { who, ca, ...(options.limitMs === undefined ? {} : { limitMs: options.limitMs }) };
  const documents = createTransport(transport, maxDocumentBytes);
  const claims = createTransport(transport, maxClaimsBytes);
  const client: oauth.Client = { client_id: settings.clientId, [oauth.clockTolerance]: toleranceS };
  const insecure = { [oauth.allowInsecureRequests]: settings.issuer.startsWith("http:") };
  const ask = { ...insecure, [oauth.customFetch]: claims.fetch };

  let known: { readonly metadata: Metadata; readonly at: number } | undefined;
  let asking: Promise<Metadata> | undefined;
  let keys: oauth.JWKSCacheInput = {};
  let keysAsked = 0;
  let unknownKeyAt = Number.NEGATIVE_INFINITY;
  const askKeys = () => ({
    ...insecure,
    [oauth.jwksCache]: keys,
    [oauth.customFetch]: (url: string, init: RequestInit) => {
      keysAsked++;
      return documents.fetch(url, init);
    },
  });
  const seenTokens = createBoundedCache<number>(rememberedTokens);

  async function discover(): Promise<Metadata> {
    const issuer = new URL(settings.issuer);
    const response = await oauth.discoveryRequest(issuer, {
      ...insecure,
      [oauth.customFetch]: documents.fetch,
    });
    const metadata = metadataOf(await oauth.processDiscoveryResponse(issuer, response), settings, who);
    if (known?.metadata.jwks_uri !== metadata.jwks_uri) keys = {};
    known = { metadata, at: now() };
    return metadata;
  }

  async function metadata(maxAgeMs: number): Promise<Metadata> {
    if (known !== undefined && now() - known.at < maxAgeMs) return known.metadata;
    asking ??= discover().finally(() => (asking = undefined));
    try {
      return await asking;
    } catch (error) {
      // What was known goes on: the request that follows says what is wrong.
      if (known !== undefined && maxAgeMs === keptMs) return known.metadata;
      throw refusalOf(error, who);
    }
  }

  /** Asks for the keys again if one is unknown, at most once a minute: a provider changes its keys at any time. */
  async function withKeys<T>(
    server: Metadata,
    verify: (server: Metadata, options: KeyOptions) => Promise<T>,
  ): Promise<T> {
    const before = keysAsked;
    try {
      return await verify(server, askKeys());
    } catch (error) {
      const isUnknown = error instanceof oauth.OperationProcessingError && error.code === oauth.KEY_SELECTION;
      if (!isUnknown) throw error;
      const asked = keysAsked > before;
      if (!asked && now() - unknownKeyAt < unknownKeyMs) throw error;
      unknownKeyAt = now();
      if (asked) throw error;
      keys = {};
      // The library also remembers keys by the object of the metadata.
      const again = { ...server };
      if (known?.metadata === server) known = { ...known, metadata: again };
      return verify(again, askKeys());
    }
  }

  /** The claims that only the user info has, if the ID token names no groups. */
  async function furtherClaims(server: Metadata, accessToken: string, idToken: Claims): Promise<Claims> {
    if (server.userinfo_endpoint === undefined || claimAt(idToken, settings.groupsClaim) !== undefined)
      return {};
    const response = await oauth.userInfoRequest(server, client, accessToken, ask);
    const isSigned = response.headers.get("content-type")?.startsWith("application/jwt") === true;
    const found = await oauth.processUserInfoResponse(server, client, String(idToken.sub), response);
    if (isSigned)
      await withKeys(server, (again, options) =>
        oauth.validateApplicationLevelSignature(again, response, options),
      );
    return found;
  }

  /** A token of a key that the provider has no more would be refused, and with it the logout. */
  function mayVerify(idToken: string): boolean {
    const { jwks } = keys;
    const [header = ""] = idToken.split(".");
    const read = v.safeParse(headerSchema, Buffer.from(header, "base64url").toString());
    const kid = read.success ? read.output.kid : undefined;
    return jwks === undefined || kid === undefined || jwks.keys.some((key) => key.kid === kid);
  }

  /** @throws ServiceError */
  async function worded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw refusalOf(error, who);
    }
  }

  return {
    async authorizationUrl({ state, nonce, verifier }) {
      const { authorization_endpoint } = await metadata(freshMs);
      const url = new URL(authorization_endpoint);
      const parameters = {
        client_id: settings.clientId,
        redirect_uri: redirectUri,
        response_type: "code",
        scope: settings.scopes,
        state,
        nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url.href;
    },

    async identify(answer, begun) {
      const server = await metadata(keptMs);
      return worded(async () => {
        requireIssuer(answer.get("iss"), server, who);
        const parameters = oauth.validateAuthResponse(server, client, answer, begun.state);
        const response = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          authenticationOf(settings, server, who),
          parameters,
          redirectUri,
          begun.verifier,
          ask,
        );
        const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
          expectedNonce: begun.nonce,
          requireIdToken: true,
        });
        await withKeys(server, (again, options) =>
          oauth.validateApplicationLevelSignature(again, response, options),
        );
        const idToken = oauth.getValidatedIdTokenClaims(tokens);
        if (idToken === undefined) throw refused(`${who} sent no ID token.`);
        requireClock(idToken.iat, begun.startedAt, now(), who);
        const all: Claims = { ...(await furtherClaims(server, tokens.access_token, idToken)), ...idToken };
        const subject = subjectOf(idToken.sub, who);
        const { sid } = idToken;
        return {
          provider: settings.name,
          issuer: server.issuer,
          subject,
          name: nameOf(all, settings.nameClaim, subject),
          email: emailOf(all),
          groups: groupsOf(all, settings.groupsClaim, who),
          providerSession: typeof sid === "string" && sid !== "" ? sid.slice(0, 512) : undefined,
          tokenEndsAt: idToken.exp * 1000,
          idToken: tokens.id_token && tokens.id_token.length <= maxHint ? tokens.id_token : undefined,
        };
      });
    },

    async backChannel(logoutToken) {
      const server = await metadata(keptMs);
      const claims = await worded(() =>
        withKeys(server, (again, options) => logoutClaims(logoutToken, again, client, options, who)),
      ).catch(asBadRequest);
      if (Math.abs(now() - claims.iat * 1000) > logoutTokenMs)
        throw badLogout(`${who} sent a logout token that is too old, or the clocks differ.`);
      if (claims.sub === undefined && claims.sid === undefined)
        throw badLogout(`${who} sent a logout token without "sub" and "sid".`);
      if (seenTokens.has(claims.jti)) throw badLogout(`${who} sent a logout token a second time.`);
      seenTokens.set(claims.jti, claims.iat);
      return {
        ...{ issuer: server.issuer, subject: claims.sub, providerSession: claims.sid },
        allowAgain: () => void seenTokens.delete(claims.jti),
      };
    },

    async frontChannel(query) {
      const server = await metadata(keptMs);
      const sid = query.get("sid");
      if (query.get("iss") !== server.issuer || !sid)
        throw badLogout(`A logout by ${lowered(who)} needs "iss", its issuer, and "sid".`);
      return { issuer: server.issuer, subject: undefined, providerSession: sid };
    },

    async logoutUrl(idToken) {
      try {
        const { end_session_endpoint } = await metadata(keptMs);
        if (end_session_endpoint === undefined) return undefined;
        const url = new URL(end_session_endpoint);
        url.searchParams.set("client_id", settings.clientId);
        url.searchParams.set("post_logout_redirect_uri", startPage);
        if (idToken !== undefined && mayVerify(idToken)) url.searchParams.set("id_token_hint", idToken);
        return url.href;
      } catch (error) {
        // A logout here never fails for that.
        if (error instanceof ServiceError) return undefined;
        throw error;
      }
    },
  };
}

const refused = (sentence: string) => new ServiceError("Forbidden", sentence);
const badLogout = (sentence: string) => new ServiceError("BadRequest", sentence);

/** The standard answers a logout token that is not valid with 400. */
function asBadRequest(error: unknown): never {
  throw error instanceof ServiceError && error.kind === "Forbidden" ? badLogout(error.message) : error;
}

const lowered = (who: string) => `t${who.slice(1)}`;

/** @throws ServiceError Unavailable */
function metadataOf(
  document: oauth.AuthorizationServer,
  { issuer }: ProviderSettings,
  who: string,
): Metadata {
  const wrong = (what: string) =>
    new ServiceError("Unavailable", `${who} describes itself wrongly (openid-configuration): ${what}.`);
  const result = v.safeParse(metadataSchema, document);
  if (!result.success) throw wrong(`"${v.getDotPath(result.issues[0]) ?? ""}" is missing or not valid`);
  const metadata = result.output;
  for (const name of endpoints) {
    const text = metadata[name];
    const url = text === undefined ? undefined : URL.parse(text);
    if (url === undefined) continue;
    const isFine = url?.protocol === "https:" || (url?.protocol === "http:" && issuer.startsWith("http:"));
    if (!isFine) throw wrong(`"${name}" is no address with https`);
  }
  const offered = metadata.id_token_signing_alg_values_supported ?? ["RS256"];
  const allowed = offered.filter((name) => algorithms.includes(name));
  if (allowed.length === 0) throw wrong(`it signs ID tokens with none of ${algorithms.join(", ")}`);
  // Logout tokens are checked as authorization responses, below.
  return {
    ...metadata,
    id_token_signing_alg_values_supported: allowed,
    authorization_signing_alg_values_supported: allowed,
  };
}

/** @throws ServiceError Unavailable */
function authenticationOf(
  { clientId, secretFile }: ProviderSettings,
  { token_endpoint_auth_methods_supported: methods = ["client_secret_basic"] }: Metadata,
  who: string,
): oauth.ClientAuth {
  if (secretFile === undefined) return oauth.None();
  let secret: string;
  try {
    secret = readSecret(secretFile);
  } catch {
    throw new ServiceError(
      "Unavailable",
      `The client secret for ${lowered(who)} cannot be read from its file.`,
    );
  }
  if (methods.includes("client_secret_basic")) return oauth.ClientSecretBasic(secret);
  if (methods.includes("client_secret_post")) return oauth.ClientSecretPost(secret);
  const text = `${who} accepts the client secret of "${clientId}" neither as client_secret_basic nor as client_secret_post.`;
  throw new ServiceError("Unavailable", text);
}

/** Two providers may be mixed up: the answer of one must not reach the other. */
function requireIssuer(answered: string | null, server: Metadata, who: string): void {
  const mayBeMissing = server.authorization_response_iss_parameter_supported !== true;
  if (answered === server.issuer || (answered === null && mayBeMissing)) return;
  throw refused(`The answer is not from ${lowered(who)} (${server.issuer}), where this sign-in began.`);
}

/** The library accepts an ID token that was issued before the sign-in began, or that comes from the future. */
function requireClock(issuedAtS: number, startedAt: number, now: number, who: string): void {
  const tolerance = toleranceS * 1000;
  const [early, late] = [startedAt - tolerance - issuedAtS * 1000, issuedAtS * 1000 - now - tolerance];
  if (early <= 0 && late <= 0) return;
  throw refused(
    `The clock of ${lowered(who)} and the one here differ by more than a minute: set both by NTP, then sign in again.`,
  );
}

/**
 * The library has no check for logout tokens. One is signed by the issuer, for this client and for a short time, as an
 * authorization response in form of a JWT is, for which it has one.
 */
async function logoutClaims(
  token: string,
  server: Metadata,
  client: oauth.Client,
  options: KeyOptions,
  who: string,
): Promise<v.InferOutput<typeof logoutSchema>> {
  if (token.length > maxLogoutToken) throw badLogout(`${who} sent a logout token that is too long.`);
  await oauth.validateJwtAuthResponse(
    server,
    client,
    new URLSearchParams({ response: token }),
    oauth.skipStateCheck,
    options,
  );
  const [header, payload] = token.split(".").map((part) => Buffer.from(part, "base64url").toString("utf8"));
  const { typ }: { typ?: unknown } = JSON.parse(header ?? "");
  const isLogout =
    typ === undefined || (typeof typ === "string" && /^(?:application\/)?(?:logout\+)?jwt$/i.test(typ));
  const result = v.safeParse(logoutSchema, JSON.parse(payload ?? ""));
  if (isLogout && result.success) return result.output;
  const at = result.issues?.[0] === undefined ? "typ" : v.getDotPath(result.issues[0]);
  throw badLogout(`${who} sent a logout token whose "${at}" is missing or not valid.`);
}
