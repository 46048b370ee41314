/** An OpenID Connect provider over TLS that says whatever a test wants, with keys of its own. */
import { createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { once } from "node:events";
import { createServer as createPlainServer, type RequestListener, type ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { selfSigned } from "./certificates.ts";

export type Claims = Record<string, unknown>;

export interface Lies {
  /** Changes the document about the provider. */
  discovery?(document: Claims): unknown;
  /** Changes the claims of the ID token. */
  claims?(claims: Claims): Claims;
  /** Signs in place of the key. */
  sign?(header: Claims, claims: Claims): string;
  userinfo?(): unknown;
  keys?(keys: unknown[]): unknown[];
  /** Answers a path itself. */
  paths?: Record<string, (response: ServerResponse) => void>;
}

export interface LyingProvider {
  readonly issuer: string;
  readonly caFile: string;
  /** What it says now; empty: the truth. */
  lies: Lies;
  /** Nonce for the next ID token. */
  nonce: string;
  /** Codes that it takes, each once. */
  readonly codes: Set<string>;
  /** How often each path was asked for. */
  readonly asked: Map<string, number>;
  /** Forms sent to the token endpoint, and their `Authorization`. */
  readonly forms: { form: URLSearchParams; authorization: string | undefined }[];
  /** Takes another key in place of the one so far. */
  rotate(): void;
  token(claims: Claims, header?: Claims): string;
  stop(): Promise<void>;
}

type Algorithm = "RS256" | "PS256" | "ES256" | "EdDSA";

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** @param plain HTTP in place of HTTPS */
export async function startLyingProvider(
  algorithm: Algorithm = "ES256",
  plain = false,
): Promise<LyingProvider> {
  const identity = await selfSigned();
  let kid = 0;
  let key = makeKey(algorithm);

  const answer: RequestListener = (request, response) => {
    const path = new URL(request.url ?? "/", "https://localhost").pathname;
    provider.asked.set(path, (provider.asked.get(path) ?? 0) + 1);
    const own = provider.lies.paths?.[path];
    if (own !== undefined) return own(response);
    const send = (value: unknown, status = 200) => {
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(value));
    };
    if (path === "/.well-known/openid-configuration") return send(document());
    if (path === "/jwks") return send({ keys: published() });
    if (path === "/userinfo") return send(provider.lies.userinfo?.() ?? { sub: "person-1" });
    if (path !== "/token") return send({}, 404);
    let text = "";
    request.on("data", (piece) => (text += String(piece)));
    request.on("end", () => {
      const form = new URLSearchParams(text);
      provider.forms.push({ form, authorization: request.headers.authorization });
      if (!provider.codes.delete(form.get("code") ?? "")) return send({ error: "invalid_grant" }, 400);
      return send({ access_token: "at", token_type: "Bearer", id_token: idToken() });
    });
  };
  const server = plain
    ? createPlainServer(answer)
    : createServer({ cert: identity.cert, key: identity.key }, answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `${plain ? "http" : "https"}://127.0.0.1:${(server.address() as AddressInfo).port}`;

  function document(): unknown {
    const truth = {
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      userinfo_endpoint: `${issuer}/userinfo`,
      end_session_endpoint: `${issuer}/end`,
      authorization_response_iss_parameter_supported: true,
      id_token_signing_alg_values_supported: [algorithm],
    };
    return provider.lies.discovery?.(truth) ?? truth;
  }

  function published(): unknown[] {
    const one = { ...key.publicKey.export({ format: "jwk" }), kid: String(kid), use: "sig", alg: algorithm };
    return provider.lies.keys?.([one]) ?? [one];
  }

  function idToken(): string {
    const now = Math.floor(Date.now() / 1000);
    const truth = {
      iss: issuer,
      aud: "patchbay",
      sub: "person-1",
      iat: now,
      exp: now + 300,
      nonce: provider.nonce,
      preferred_username: "anna",
      groups: ["netops"],
      sid: "session-1",
    };
    return provider.token(provider.lies.claims?.(truth) ?? truth);
  }

  const provider: LyingProvider = {
    issuer,
    caFile: identity.certFile,
    lies: {},
    nonce: "",
    codes: new Set(),
    asked: new Map(),
    forms: [],
    rotate() {
      kid++;
      key = makeKey(algorithm);
    },
    token(claims, header = {}) {
      const whole = { alg: algorithm, kid: String(kid), ...header };
      if (provider.lies.sign !== undefined) return provider.lies.sign(whole, claims);
      return signedBy(key.privateKey, whole, claims);
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return provider;
}

/** With the algorithm of its header. */
export function signedBy(key: KeyObject, header: Claims, claims: Claims): string {
  const text = `${encoded(header)}.${encoded(claims)}`;
  const bytes = Buffer.from(text);
  const { alg } = header;
  if (alg === "EdDSA") return `${text}.${sign(null, bytes, key).toString("base64url")}`;
  const options = {
    key,
    ...(alg === "ES256" ? { dsaEncoding: "ieee-p1363" as const } : {}),
    // RSA_PKCS1_PSS_PADDING, with a salt as long as the hash.
    ...(alg === "PS256" ? { padding: 6, saltLength: 32 } : {}),
  };
  return `${text}.${sign("sha256", bytes, options).toString("base64url")}`;
}

/** With a shared secret, as no token may be. */
export function signedBySecret(secret: string, claims: Claims): string {
  const text = `${encoded({ alg: "HS256" })}.${encoded(claims)}`;
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}

export const unsigned = (claims: Claims) => `${encoded({ alg: "none" })}.${encoded(claims)}.`;

export function makeKey(algorithm: string) {
  if (algorithm === "EdDSA") return generateKeyPairSync("ed25519");
  if (algorithm === "ES256") return generateKeyPairSync("ec", { namedCurve: "P-256" });
  return generateKeyPairSync("rsa", { modulusLength: 2048 });
}
