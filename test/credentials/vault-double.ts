/**
 * A strict fake of HashiCorp Vault's HTTP API over TLS: KV 1 and 2, tokens, AppRole, Kubernetes, namespaces,
 * and failures.
 */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:https";
import { json } from "node:stream/consumers";
import type { Identity } from "../support/certificates.ts";

interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

export interface VaultDouble {
  readonly url: string;
  /** Method and path of each request, in order. */
  readonly seen: string[];
  /** Secrets by `mount/path`, with their versions from 1 for KV 2. */
  readonly kv1: Map<string, Record<string, unknown>>;
  readonly kv2: Map<string, (Record<string, unknown> | null)[]>;
  /** Valid tokens. */
  readonly tokens: Set<string>;
  /** TTL in seconds of new tokens; 0: unlimited. */
  leaseS: number;
  /** Lease in seconds of a KV 1 secret. */
  secretLeaseS: number;
  /** Overrides the response to a request. */
  mood: ((path: string) => Answer | Promise<Answer> | undefined) | undefined;
  close(): void;
}

const namespace = "branch";
const paths =
  /^\/v1\/(?:auth\/(?<auth>approle|pods)\/login|(?<renew>auth\/token\/renew-self)|(?<look>auth\/token\/lookup-self)|kv1\/(?<one>.+)|kv2\/data\/(?<two>.+))$/;
const denied: Answer = { status: 403, body: { errors: ["permission denied"] } };
const absent: Answer = { status: 404, body: { errors: [] } };

export async function startVault(identity: Identity): Promise<VaultDouble> {
  let tokenCount = 0;
  const server = createServer(identity, (request, response) => {
    void answer(request).then(({ status, body }) => {
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(typeof body === "string" ? body : JSON.stringify(body ?? {}));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();

  async function answer(request: IncomingMessage): Promise<Answer> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "https://vault.test");
    double.seen.push(`${request.method} ${pathname}`);
    const body = request.method === "POST" ? await json(request) : {};
    const moody = double.mood?.(pathname);
    if (moody !== undefined) return moody;
    const { auth, renew, look, one, two } = paths.exec(decodeURI(pathname))?.groups ?? {};
    if (request.headers["x-vault-namespace"] !== namespace) return denied;
    if (auth !== undefined) return login(auth, body);
    const token = String(request.headers["x-vault-token"]);
    if (!double.tokens.has(token)) return denied;
    if (renew !== undefined) return granted(token);
    if (look !== undefined)
      return { status: 200, body: { data: { ttl: double.leaseS, renewable: double.leaseS > 0 } } };
    const kept = one === undefined ? undefined : double.kv1.get(one);
    if (kept !== undefined) return { status: 200, body: { lease_duration: double.secretLeaseS, data: kept } };
    return two === undefined ? absent : version(two, searchParams.get("version"));
  }

  function login(method: string, body: unknown): Answer {
    const right = {
      approle: { role_id: "patchbay", secret_id: "secret-id-canary" },
      pods: { role: "patchbay", jwt: "jwt-canary" },
    }[method];
    if (JSON.stringify(body) !== JSON.stringify(right))
      return { status: 400, body: { errors: ["invalid role or secret ID"] } };
    const token = `token-${++tokenCount}`;
    double.tokens.add(token);
    return granted(token);
  }

  function granted(token: string): Answer {
    const { leaseS } = double;
    return {
      status: 200,
      body: { auth: { client_token: token, lease_duration: leaseS, renewable: leaseS > 0 } },
    };
  }

  function version(path: string, asked: string | null): Answer {
    const versions = double.kv2.get(path);
    const number = asked === null ? (versions?.length ?? 0) : Number(asked);
    const data = versions?.[number - 1];
    if (data === undefined) return absent;
    const deleted = {
      data: { data: null, metadata: { version: number, deletion_time: "2026-01-01T00:00:00Z" } },
    };
    return data === null
      ? { status: 404, body: deleted }
      : { status: 200, body: { data: { data, metadata: { version: number } } } };
  }

  const double: VaultDouble = {
    url: `https://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    seen: [],
    kv1: new Map(),
    kv2: new Map(),
    tokens: new Set(["root-canary"]),
    leaseS: 0,
    secretLeaseS: 0,
    mood: undefined,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return double;
}
