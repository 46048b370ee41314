/** An eAPI client: connects on first use, logs in, and enters privileged mode in each list. */
import type { Context, HttpKit, HttpSession, Secret, TlsOptions } from "patchbay/plugin";
import { cleanupContext, PluginError } from "patchbay/plugin";
import { askCommands, type EapiAnswer, type EapiRequest, jsonOf, resultsOf } from "./eapi.ts";

export interface EapiLogin {
  readonly username: string;
  readonly password: Secret | undefined;
  /** `session`: logs in once and sends a cookie; `basic`: sends username and password with each request. */
  readonly auth: "basic" | "session";
  readonly enable: Secret | undefined;
  /** The request field of the enable password, for errors. */
  readonly enableField: string;
  /** False: lists run at the login's privilege level. */
  readonly privileged?: boolean;
}

export interface EapiAddress {
  readonly base: string;
  readonly tls: TlsOptions;
}

export interface EapiClientOptions {
  readonly http: HttpKit;
  readonly login: EapiLogin;
  readonly timeoutMs: number;
  address(): Promise<EapiAddress>;
}

type Options = Omit<EapiRequest, "commands" | "format"> & { readonly timeout?: number | undefined };

export interface EapiClient {
  /** Returns the results without that of `enable`. */
  run(request: Pick<EapiRequest, "commands" | "format">, options: Options, ctx: Context): Promise<EapiAnswer>;
  close(): Promise<void>;
}

interface OpenConnection {
  readonly http: HttpSession;
  headers: Readonly<Record<string, string>>;
  /** The switch has accepted these credentials. */
  proven: boolean;
  /** Shared login if several lists find at the same time that the cookie was rejected. */
  renewing: Promise<void> | undefined;
}

const unauthorized = 401;
const goodbyeMs = 2_000;

export function createEapiClient({ http, login, timeoutMs, address }: EapiClientOptions): EapiClient {
  let opened: Promise<OpenConnection> | undefined;
  // An empty password means none, as in pyeapi.
  const enable = login.enable?.reveal() || undefined;
  /** Context of the last list, used for the logout. */
  let latest: Context | undefined;
  const first =
    login.privileged === false ? [] : [enable === undefined ? "enable" : { cmd: "enable", input: enable }];

  async function open(ctx: Context): Promise<OpenConnection> {
    const { base, tls } = await address();
    const session = await http.session({ base, tls, timeoutMs }, ctx);
    try {
      const headers = await loggedIn(session, login, ctx);
      return { http: session, headers, proven: false, renewing: undefined };
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  function connection(ctx: Context): Promise<OpenConnection> {
    if (opened !== undefined) return opened;
    opened = open(ctx);
    opened.catch(() => {
      opened = undefined;
    });
    return opened;
  }

  /** The switch rejected an expired cookie before it ran anything of the list. */
  async function renew(connection: OpenConnection, ctx: Context): Promise<void> {
    connection.renewing ??= (async () => {
      connection.proven = false;
      connection.headers = await loggedIn(connection.http, login, ctx);
    })().finally(() => {
      connection.renewing = undefined;
    });
    await connection.renewing;
  }

  async function ask(
    connection: OpenConnection,
    request: EapiRequest,
    limitMs: number,
    ctx: Context,
  ): Promise<EapiAnswer> {
    const { headers, proven } = connection;
    const answer = await askCommands(connection.http, request, headers, limitMs, ctx);
    if (answer.status === unauthorized && login.auth === "session" && proven) {
      if (connection.headers === headers) await renew(connection, ctx);
      return ask(connection, request, limitMs, ctx);
    }
    const results = resultsOf(answer);
    connection.proven = true;
    return results;
  }

  return {
    async run({ commands, format }, options, ctx) {
      latest = ctx;
      const { timeout, version, timestamps, autoComplete, expandAliases } = options;
      const allCommands = [...first, ...commands];
      const { results, refusal } = await ask(
        await connection(ctx),
        { commands: allCommands, format, version, timestamps, autoComplete, expandAliases },
        timeout === undefined ? timeoutMs : timeout * 1000,
        ctx,
      );
      const callersResults = results.slice(first.length);
      if (refusal === undefined) return { results: callersResults };
      const at = refusal.at - first.length;
      if (at < 0) throw notPrivileged(login.enableField, refusal.text);
      return { results: callersResults, refusal: { ...refusal, at, results: callersResults } };
    },
    async close() {
      const [settled] = await Promise.allSettled(opened === undefined ? [] : [opened]);
      opened = undefined;
      if (settled?.status === "fulfilled") await leave(settled.value, latest);
    },
  };
}

/** A switch has few HTTP sessions, so ours is logged out if it still answers. */
async function leave({ http, headers }: OpenConnection, ctx: Context | undefined): Promise<void> {
  try {
    if (headers.Cookie !== undefined && ctx !== undefined)
      await http.request("POST", "/logout", { headers, timeoutMs: goodbyeMs }, cleanupContext(ctx));
  } catch {
    // Otherwise the session expires by itself.
  } finally {
    await http.close();
  }
}

/** @returns the authentication headers */
async function loggedIn(
  session: HttpSession,
  { username, password: secret, auth }: EapiLogin,
  ctx: Context,
): Promise<Record<string, string>> {
  const password = secret?.reveal() ?? "";
  if (auth === "basic")
    return { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` };
  const body = JSON.stringify({ username, password });
  const headers = { "Content-Type": "application/json" };
  const answer = await session.request("POST", "/login", { body, headers }, ctx);
  jsonOf(answer.status === 200 ? { ...answer, body: "{}" } : answer);
  const cookie = /(?:^|,\s*)(Session=[^;,]*)/.exec(answer.headers["set-cookie"] ?? "")?.[1];
  if (cookie !== undefined) return { Cookie: cookie };
  throw new PluginError("AuthenticationFailed", "The switch returned no session cookie.", {
    outcome: "none",
  });
}

function notPrivileged(field: string, reason: string): PluginError {
  const message = `The switch refused enable (${field}): ${reason}`;
  return new PluginError("AuthenticationFailed", message, { outcome: "none" });
}
