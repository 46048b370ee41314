/** Runs a real OpenID Connect provider (oidc-provider) over TLS, with persons, a login form and keys that change. */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import Provider, { type GrantContext } from "oidc-provider";
import { freePort } from "../../src/testkit/port.ts";

export interface TestPerson {
  readonly subject: string;
  name: string;
  groups: string[];
}

export interface OidcServerOptions {
  /** Of its TLS certificate, in PEM. */
  readonly identity: { readonly cert: string; readonly key: string };
  readonly clientId: string;
  readonly clientSecret: string;
  /** Origin of the service. */
  readonly serviceUrl: string;
  /** Path of its callback, and of the back channel. */
  readonly callback: string;
  readonly backChannel: string;
  readonly persons: TestPerson[];
  /** For ID tokens, in seconds; default: an hour. */
  readonly tokenS?: number;
}

export interface OidcServer {
  readonly issuer: string;
  /** Changed by tests: the next sign-in gets what is there then. */
  readonly persons: TestPerson[];
  /** Takes new keys; tokens signed with the former ones stay as they are. */
  rotate(): void;
  /** Refuses all connections until `on`. */
  off(): Promise<void>;
  on(): Promise<void>;
  stop(): Promise<void>;
}

export async function startOidcServer(options: OidcServerOptions): Promise<OidcServer> {
  const port = await freePort();
  const issuer = `https://127.0.0.1:${port}`;
  const stored: Stored = new Map();
  let current = providerOf(issuer, options, stored);
  let server = await listen();

  async function listen() {
    const started = createServer(options.identity, (request, response) => {
      void answer(current, options.persons, request, response);
    });
    started.listen(port, "127.0.0.1");
    await once(started, "listening");
    return started;
  }
  async function off() {
    if (!server.listening) return;
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }

  return {
    issuer,
    persons: options.persons,
    rotate() {
      current = providerOf(issuer, options, stored);
    },
    off,
    async on() {
      server = await listen();
    },
    stop: off,
  };
}

type Payload = Record<string, unknown>;
type Stored = Map<string, Payload>;

/** Codes, grants and sessions of a provider, which outlive its keys. */
function adapterIn(stored: Stored) {
  return (model: string) => {
    const keyOf = (id: string) => `${model}:${id}`;
    const matching = (name: string, value: string) =>
      [...stored].filter(([key, payload]) => key.startsWith(`${model}:`) && payload[name] === value);
    return {
      upsert: async (id: string, payload: Payload) => void stored.set(keyOf(id), payload),
      find: async (id: string) => stored.get(keyOf(id)),
      findByUid: async (uid: string) => matching("uid", uid)[0]?.[1],
      findByUserCode: async (code: string) => matching("userCode", code)[0]?.[1],
      consume: async (id: string) =>
        void Object.assign(stored.get(keyOf(id)) ?? {}, { consumed: Date.now() / 1000 }),
      destroy: async (id: string) => void stored.delete(keyOf(id)),
      async revokeByGrantId(grantId: string) {
        for (const [key] of matching("grantId", grantId)) stored.delete(key);
      },
    };
  };
}

function providerOf(issuer: string, options: OidcServerOptions, stored: Stored): Provider {
  const { clientId, clientSecret, serviceUrl, persons, tokenS = 3_600 } = options;
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const kid = randomBytes(4).toString("hex");
  return new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`${serviceUrl}${options.callback}`],
        post_logout_redirect_uris: [`${serviceUrl}/`],
        backchannel_logout_uri: `${serviceUrl}${options.backChannel}`,
        backchannel_logout_session_required: true,
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), kid, use: "sig", alg: "RS256" }] },
    adapter: adapterIn(stored),
    cookies: { keys: ["testbed"] },
    claims: { openid: ["sub"], profile: ["preferred_username", "groups"], email: ["email"] },
    // Some providers put all claims into the ID token, others only into the user info: this one does the second.
    conformIdTokenClaims: true,
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
    ttl: { IdToken: tokenS, Session: 3_600, Grant: 3_600, Interaction: 600, AccessToken: 600 },
    interactions: { url: (_: unknown, interaction: { uid: string }) => `/interaction/${interaction.uid}` },
    findAccount(_: unknown, accountId: string) {
      const person = persons.find(({ subject }) => subject === accountId);
      if (person === undefined) return undefined;
      const { subject, name, groups } = person;
      return {
        accountId,
        claims: () => ({ sub: subject, preferred_username: name, email: `${name}@example.net`, groups }),
      };
    },
    loadExistingGrant: grantOf,
    renderError(context: { body: string }, error: Record<string, string>) {
      context.body = `${error.error}: ${error.error_description}`;
    },
  });
}

/** Nobody is asked whether this service may know them. */
async function grantOf({ oidc }: GrantContext) {
  const grant = new oidc.provider.Grant({
    accountId: oidc.session.accountId,
    clientId: oidc.client.clientId,
  });
  grant.addOIDCScope("openid profile email");
  await grant.save();
  return grant;
}

const form = (text: string) => `<!doctype html><html lang="en"><title>Provider</title><main><h1>Provider</h1>
<form method="post"><label>Name <input name="name" autofocus></label><button>Sign in</button></form><p>${text}</p></main>`;

async function answer(
  provider: Provider,
  persons: readonly TestPerson[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const asked = new URL(request.url ?? "", "https://provider");
  // As some providers do: a client that logs somebody out must show their ID token.
  if (
    asked.pathname === "/session/end" &&
    asked.searchParams.has("client_id") &&
    !asked.searchParams.has("id_token_hint")
  ) {
    response.writeHead(400).end("id_token_hint is missing");
    return;
  }
  if (!request.url?.startsWith("/interaction/")) {
    provider.callback()(request, response);
    return;
  }
  const page = (status: number, text: string) =>
    void response.writeHead(status, { "Content-Type": "text/html; charset=utf-8" }).end(form(text));
  try {
    await provider.interactionDetails(request, response);
    if (request.method !== "POST") return page(200, "");
    let body = "";
    for await (const piece of request) body += String(piece);
    const name = new URLSearchParams(body).get("name");
    if (name === "no")
      return await provider.interactionFinished(request, response, {
        error: "access_denied",
        error_description: "The person does not want to.",
      });
    const person = persons.find((one) => one.name === name);
    if (person === undefined) return page(403, "Nobody has this name.");
    await provider.interactionFinished(request, response, { login: { accountId: person.subject } });
  } catch (error) {
    page(400, error instanceof Error ? error.message : String(error));
  }
}
