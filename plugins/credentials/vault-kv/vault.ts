/**
 * Vault client: logs in on demand, schedules token renewal before the expiry, and logs in again once if the vault
 * refuses the token.
 */
import { readFile } from "node:fs/promises";
import type { Context, HttpAnswer, HttpKit, HttpRequest } from "patchbay/plugin";
import { PluginError } from "patchbay/plugin";
import * as v from "valibot";
import { createRenewal, detached } from "./renewal.ts";
import type { Settings } from "./schemas.ts";

export interface Vault {
  /**
   * @returns the response, undefined if the path does not exist
   * @throws PluginError with the vault's message
   */
  read(path: string, ctx: Context): Promise<unknown>;
  /** Stops renewals; a new client replaces this one. */
  stop(): void;
}

interface Token {
  readonly text: string;
  /** Clock of `performance.now()`; absent: it does not expire. */
  readonly until?: number;
  readonly renewFrom?: number;
}

const login = v.object({
  auth: v.object({
    client_token: v.string(),
    lease_duration: v.optional(v.number(), 0),
    renewable: v.optional(v.boolean(), false),
  }),
});
const looked = v.object({
  data: v.object({ ttl: v.optional(v.number(), 0), renewable: v.optional(v.boolean(), false) }),
});
const refusal = v.object({ errors: v.array(v.string()) });

const maxResponseBytes = 1024 * 1024;
/** Fraction of a token's lease after which it is renewed. */
const renewAt = 2 / 3;
const toldChars = 300;
/** Retry delay if the vault is unreachable or sealed. */
const againMs = 30_000;

/** @throws PluginError if no vault or no auth method is configured */
export function createVault(settings: Settings, http: HttpKit): Vault {
  let token: Promise<Token> | undefined;
  const renewal = createRenewal(renewInBackground);

  async function ask(path: string, request: HttpRequest, ctx: Context): Promise<HttpAnswer> {
    const { url, namespace, ca_file, timeout } = settings;
    if (url === undefined) throw refused("no vault is configured: set PATCHBAY_PLUGIN_VAULT_KV_URL");
    const tls = ca_file === undefined ? {} : { tls: { ca: await textOf(ca_file, "ca_file") } };
    const headers = {
      ...(namespace === undefined ? {} : { "X-Vault-Namespace": namespace }),
      ...request.headers,
    };
    try {
      return await http.request(
        `${url.replace(/\/+$/, "")}/v1/${path}`,
        { ...request, ...tls, headers, maxBytes: maxResponseBytes, timeoutMs: timeout * 1000 },
        ctx,
      );
    } catch (error) {
      if (ctx.signal.aborted || !(error instanceof PluginError)) throw error;
      // Rethrown, because it is the vault that is unreachable, not the device.
      throw refused(`the vault cannot be reached: ${error.message}`);
    }
  }

  async function loggedIn(ctx: Context): Promise<Token> {
    const { token, role_id, secret_id, kubernetes_role } = settings;
    if (token !== undefined) {
      // No job waits for the lookup of the token's lease.
      void learn(token.reveal(), detached(ctx));
      return { text: token.reveal() };
    }
    if (role_id !== undefined)
      return logIn(settings.auth_mount ?? "approle", { role_id, secret_id: secret_id?.reveal() }, ctx);
    if (kubernetes_role !== undefined) {
      const jwt = await textOf(settings.kubernetes_token_file, "kubernetes_token_file");
      return logIn(settings.auth_mount ?? "kubernetes", { role: kubernetes_role, jwt: jwt.trim() }, ctx);
    }
    throw refused("no vault login is configured: set token, role_id with secret_id, or kubernetes_role");
  }

  async function logIn(mount: string, body: object, ctx: Context): Promise<Token> {
    const answer = await ask(`auth/${mount}/login`, { method: "POST", body: JSON.stringify(body) }, ctx);
    if (answer.status !== 200) throw refused(`the vault refused the login at ${mount}: ${saidBy(answer)}`);
    return tokenOf(answer);
  }

  /** If the vault does not report a lease, the token is not renewed. */
  async function learn(text: string, ctx: Context): Promise<void> {
    try {
      const answer = await ask("auth/token/lookup-self", { headers: { "X-Vault-Token": text } }, ctx);
      const read = v.safeParse(looked, jsonOf(answer.body));
      if (answer.status !== 200 || !read.success) return;
      const { ttl, renewable } = read.output.data;
      if (ttl > 0 && renewable) renewal.plan(performance.now() + ttl * 1000 * renewAt, ctx);
    } catch (error) {
      ctx.log.debug("vault.lookup_failed", { reason: String(error) });
    }
  }

  async function renewInBackground(ctx: Context): Promise<void> {
    const before = await token?.catch(() => undefined);
    if (before === undefined) return;
    try {
      const headers = { "X-Vault-Token": before.text };
      const answer = await ask("auth/token/renew-self", { method: "POST", headers, body: "{}" }, ctx);
      if (answer.status === 200) {
        const next = tokenOf(answer);
        token = Promise.resolve(next);
        renewal.plan(next.renewFrom, ctx);
        return;
      }
      ctx.log.warn("vault.not_renewed", { status: answer.status });
      // The token is invalid: the next job logs in.
      if (answer.status === 403 && settings.token === undefined) token = undefined;
      else if (answer.status >= 429) renewal.plan(performance.now() + againMs, ctx);
    } catch (error) {
      ctx.log.warn("vault.not_renewed", { reason: String(error) });
      renewal.plan(performance.now() + againMs, ctx);
    }
  }

  async function renewed(before: Token, ctx: Context): Promise<Token> {
    const headers = { "X-Vault-Token": before.text };
    const answer = await ask("auth/token/renew-self", { method: "POST", headers, body: "{}" }, ctx);
    return answer.status === 200 ? tokenOf(answer) : loggedIn(ctx);
  }

  /** Concurrent callers share one login. */
  function take(next: Promise<Token>, ctx: Context): Promise<Token> {
    token = next;
    next.then(
      ({ renewFrom }) => token === next && renewFrom !== undefined && renewal.plan(renewFrom, ctx),
      () => {
        if (token === next) token = undefined;
      },
    );
    return next;
  }

  /**
   * The caller whose login is shared may be cancelled or fail to reach the vault; the others then try once themselves.
   */
  async function shared(ctx: Context): Promise<Token> {
    if (token === undefined) return take(loggedIn(ctx), ctx);
    const found = await token.catch(() => undefined);
    if (ctx.signal.aborted) throw ctx.signal.reason;
    return found ?? token ?? take(loggedIn(ctx), ctx);
  }

  async function valid(ctx: Context): Promise<Token> {
    const current = await shared(ctx);
    const now = performance.now();
    if (current.until !== undefined && now >= current.until) return take(loggedIn(ctx), ctx);
    if (current.renewFrom !== undefined && now >= current.renewFrom) return take(renewed(current, ctx), ctx);
    return current;
  }

  async function read(path: string, ctx: Context): Promise<unknown> {
    const get = ({ text }: Token) => ask(path, { headers: { "X-Vault-Token": text } }, ctx);
    let answer = await get(await valid(ctx));
    // The token was revoked, or a policy forbids the path: a new login shows which.
    if (answer.status === 403 && settings.token === undefined)
      answer = await get(await take(loggedIn(ctx), ctx));
    if (answer.status === 404) return undefined;
    if (answer.status === 200) {
      const parsed = jsonOf(answer.body);
      if (parsed === undefined) throw refused("the vault's response is not JSON");
      return parsed;
    }
    const why: Record<number, string> = {
      403: "the token is invalid or not allowed to read the secret",
      429: "too many requests",
      503: "it is sealed or in standby",
    };
    throw refused(
      `the vault responded with status ${answer.status} (${why[answer.status] ?? saidBy(answer)})`,
    );
  }

  return { read, stop: renewal.stop };
}

function tokenOf({ body }: HttpAnswer): Token {
  const read = v.safeParse(login, jsonOf(body));
  if (!read.success) throw refused("the vault's login response is invalid");
  const { client_token: text, lease_duration, renewable } = read.output.auth;
  if (lease_duration <= 0) return { text };
  const now = performance.now();
  const until = now + lease_duration * 1000;
  return { text, until, ...(renewable ? { renewFrom: now + lease_duration * 1000 * renewAt } : {}) };
}

function saidBy({ status, body }: HttpAnswer): string {
  const read = v.safeParse(refusal, jsonOf(body));
  return (read.success ? read.output.errors.join("; ") : `status ${status}`).slice(0, toldChars);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function textOf(file: string, setting: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw refused(`${setting} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Nothing was sent to the device. */
export function refused(why: string): PluginError {
  return new PluginError("DriverError", `connection_args.credential: ${why}.`, { outcome: "none" });
}
