/** Sends a command list over eAPI's JSON-RPC 2.0 and parses the response. */
import type { Context, HttpAnswer, HttpSession } from "patchbay/plugin";
import { PluginError } from "patchbay/plugin";
import * as v from "valibot";
import { readDeviceJson, switchFault } from "../device-json.ts";

/** A command, optionally with input: a password, the lines of a banner. */
export type EapiCommand = string | { readonly cmd: string; readonly input: string };

export interface EapiRequest {
  readonly commands: readonly EapiCommand[];
  readonly format: "json" | "text";
  /** Version of the structures; default: 1, as in pyeapi. */
  readonly version?: number | "latest" | undefined;
  readonly timestamps?: boolean | undefined;
  readonly autoComplete?: boolean | undefined;
  readonly expandAliases?: boolean | undefined;
}

/** The switch's error for a list that it did not finish. */
export interface EapiRefusal {
  readonly code: number;
  /** Index of the command, from 0. */
  readonly at: number;
  /** The switch's message. */
  readonly text: string;
  /** Results of the commands before it. */
  readonly results: readonly unknown[];
}

export type EapiAnswer = { readonly results: readonly unknown[]; readonly refusal?: EapiRefusal };

const answer = v.union([
  v.object({ result: v.array(v.unknown()) }),
  v.object({
    error: v.object({
      code: v.number(),
      message: v.optional(v.string(), ""),
      data: v.nullish(v.array(v.unknown()), []),
    }),
  }),
]);
/** Some errors have no data; only the message names the command, counted from 1. */
const numbered = /^CLI command (\d{1,5}) of \d/;
const textual = v.object({ output: v.string() });
const failedCommand = v.object({ errors: v.array(v.string()) });

const maxResponseBytes = 32 * 1024 * 1024;
const path = "/command-api";

/** Meaning of the error codes. */
const meanings: Readonly<Record<number, string>> = {
  1000: "the command failed",
  1001: "the switch had an internal error",
  1002: "the command is not valid",
  1003: "the output is not available in this format",
  1004: "the command requires input that the request lacks",
  1005: "the user may not run the command",
};

/** `code 1002: the command is not valid`. */
export function meaningOf(code: number): string {
  return `code ${code}${meanings[code] === undefined ? "" : `: ${meanings[code]}`}`;
}

/** Returns the raw response; `resultsOf` interprets it. */
export function askCommands(
  http: HttpSession,
  { commands, format, version, ...options }: EapiRequest,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
  ctx: Context,
): Promise<HttpAnswer> {
  const set = Object.entries(options).filter(([, value]) => value !== undefined);
  const params = { version: version ?? 1, cmds: commands, format, ...Object.fromEntries(set) };
  const body = JSON.stringify({ jsonrpc: "2.0", method: "runCmds", params, id: "patchbay" });
  const sent = {
    body,
    timeoutMs,
    maxBytes: maxResponseBytes,
    headers: { ...headers, "Content-Type": "application/json" },
  };
  return http.request("POST", path, sent, ctx);
}

/** @throws PluginError if the response is not valid eAPI */
export function resultsOf(answered: HttpAnswer): EapiAnswer {
  const parsed = v.safeParse(answer, jsonOf(answered));
  if (!parsed.success) throw switchFault("sent JSON that is not an eAPI response");
  if ("result" in parsed.output) return { results: parsed.output.result };
  const { code, message, data } = parsed.output.error;
  // A JSON-RPC error: the list was not processed.
  if (code < 0) throw switchFault(`rejected the request: ${message.slice(0, 500)} (${code})`, "none");
  const last = v.safeParse(failedCommand, data.at(-1));
  // The last data entry belongs to the failed command; the switch includes the results up to it.
  const at = data.length > 0 ? data.length - 1 : Math.max(0, Number(numbered.exec(message)?.[1] ?? 1) - 1);
  const results = data.slice(0, at);
  const text = last.success && last.output.errors.length > 0 ? last.output.errors.join("; ") : message;
  return { results, refusal: { code, at, text, results } };
}

/** Result of a command requested as text. */
export const isText = (result: unknown): result is v.InferOutput<typeof textual> => v.is(textual, result);

export const textOf = (result: unknown): string => (isText(result) ? result.output : "");

/** @throws PluginError AuthenticationFailed, Forbidden, DriverError */
export function jsonOf({ status, body, headers }: HttpAnswer): unknown {
  if (status === 401)
    throw new PluginError("AuthenticationFailed", "The switch rejected the user name or password.", {
      outcome: "none",
    });
  if (status === 403)
    throw new PluginError("AuthenticationFailed", "The user is not allowed to use eAPI (403).", {
      outcome: "none",
    });
  if (status === 404 || status === 405)
    throw switchFault(
      `does not serve eAPI on this port (${status}): is \`management api http-commands\` enabled?`,
      "none",
    );
  if (status >= 300 && status < 400)
    throw switchFault(
      `redirects the request (${status}${headers.location ? ` to ${headers.location}` : ""})`,
      "none",
    );
  if (status !== 200) throw switchFault(`responded with status ${status}`);
  try {
    return readDeviceJson(body);
  } catch (error) {
    if (error instanceof PluginError) throw error;
    const kind = /^\s*</.test(body) ? "an HTML page" : body === "" ? "nothing" : "text that is not JSON";
    throw switchFault(`sent ${kind}`);
  }
}
