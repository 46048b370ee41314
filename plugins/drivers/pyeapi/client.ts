/** A switch as the driver speaks to it: connected when it is first asked, logged in, privileged with each list. */
import type { Context, HttpSession } from "patchbay/plugin";
import { PluginError } from "patchbay/plugin";
import { addressOf, type Tools } from "./connection.ts";
import { type EapiAnswer, type EapiRequest, jsonOf, runCommands } from "./eapi.ts";

type Options = Omit<EapiRequest, "commands" | "format"> & {
  readonly transport?: "http" | "https" | undefined;
  readonly port?: number | undefined;
  readonly verify?: boolean | undefined;
  readonly timeout?: number | undefined;
};

export interface Client {
  /** Results without that of `enable`. */
  run(request: Pick<EapiRequest, "commands" | "format">, options: Options, ctx: Context): Promise<EapiAnswer>;
  close(): Promise<void>;
}

interface Way {
  readonly http: HttpSession;
  readonly headers: Readonly<Record<string, string>>;
}

export function createClient(tools: Tools): Client {
  const { connection, http } = tools;
  const ways = new Map<string, Promise<Way>>();

  async function open(options: Options, ctx: Context): Promise<Way> {
    const { base, tls } = await addressOf(tools, options);
    const session = await http.session({ base, tls, timeoutMs: connection.timeoutMs }, ctx);
    return { http: session, headers: await login(session, ctx) };
  }

  async function login(session: HttpSession, ctx: Context): Promise<Record<string, string>> {
    const user = connection.username ?? "";
    const password = connection.password?.reveal() ?? "";
    if (connection.auth === "basic")
      return { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` };
    const body = JSON.stringify({ username: user, password });
    const answer = await session.request(
      "POST",
      "/login",
      { body, headers: { "Content-Type": "application/json" } },
      ctx,
    );
    jsonOf(answer.status === 200 ? { ...answer, body: "{}" } : answer);
    const cookie = /(?:^|,\s*)(Session=[^;,]*)/.exec(answer.headers["set-cookie"] ?? "")?.[1];
    if (cookie === undefined)
      throw new PluginError("AuthenticationFailed", "The switch gave no session cookie.", {
        outcome: "none",
      });
    return { Cookie: cookie };
  }

  function way(options: Options, ctx: Context): Promise<Way> {
    const key = JSON.stringify([options.transport, options.port, options.verify]);
    const existing = ways.get(key);
    if (existing !== undefined) return existing;
    const opened = open(options, ctx);
    ways.set(key, opened);
    opened.catch(() => ways.delete(key));
    return opened;
  }

  return {
    async run({ commands, format }, options, ctx) {
      const { http, headers } = await way(options, ctx);
      const { timeout, timestamps, autoComplete, expandAliases } = options;
      const enable = connection.enable?.reveal();
      const first = enable === undefined ? "enable" : { cmd: "enable", input: enable };
      const { results, refusal } = await runCommands(
        http,
        { commands: [first, ...commands], format, timestamps, autoComplete, expandAliases },
        headers,
        timeout === undefined ? connection.timeoutMs : timeout * 1000,
        ctx,
      );
      if (refusal === undefined) return { results: results.slice(1) };
      if (refusal.at === 0) throw notPrivileged(refusal.text);
      const callersResults = results.slice(1);
      return {
        results: callersResults,
        refusal: { ...refusal, at: refusal.at - 1, results: callersResults },
      };
    },
    async close() {
      for (const opened of ways.values()) {
        const { http } = await opened.catch(() => ({ http: undefined }));
        await http?.close();
      }
      ways.clear();
    },
  };
}

function notPrivileged(said: string): PluginError {
  const message = `The switch refused enable (connection_args.enable_password): ${said}`;
  return new PluginError("AuthenticationFailed", message, { outcome: "none" });
}
