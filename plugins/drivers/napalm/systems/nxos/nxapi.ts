/** Command lists over NX-API's JSON-RPC 2.0. */
import type { Context, HttpAnswer, HttpSession } from "patchbay/plugin";
import { PluginError } from "patchbay/plugin";
import * as v from "valibot";
import { readDeviceJson, switchFault } from "../../../shared/device-json.ts";
import type { CommandAnswers, Format } from "../nxos-common/commands.ts";

const id = v.union([v.number(), v.string(), v.null()]);
const success = v.object({
  id,
  result: v.nullable(v.object({ body: v.optional(v.unknown()), msg: v.optional(v.unknown()) })),
});
const failure = v.object({
  id: v.optional(id),
  error: v.object({
    code: v.optional(v.number()),
    message: v.optional(v.string(), ""),
    data: v.optional(v.nullable(v.union([v.string(), v.object({ msg: v.optional(v.unknown()) })]))),
  }),
});
const answers = v.union([v.array(v.union([failure, success])), v.union([failure, success])]);

const maxResponseBytes = 32 * 1024 * 1024;
const path = "/ins";
const methods: Readonly<Record<Format, string>> = { json: "cli", text: "cli_ascii" };

/**
 * Sends all commands in one request: the switch runs them in one session, in order, up to the first refusal.
 * @throws PluginError if the response is not valid NX-API
 */
export async function runCommands(
  http: HttpSession,
  { commands, format }: { readonly commands: readonly string[]; readonly format: Format },
  { headers, timeoutMs }: { readonly headers: Readonly<Record<string, string>>; readonly timeoutMs: number },
  ctx: Context,
): Promise<CommandAnswers> {
  const body = commands.map((cmd, index) => ({
    jsonrpc: "2.0",
    method: methods[format],
    params: { cmd, version: 1 },
    id: index + 1,
  }));
  const sent = {
    body: JSON.stringify(body),
    timeoutMs,
    maxBytes: maxResponseBytes,
    headers: { ...headers, "Content-Type": "application/json-rpc" },
  };
  const parsed = v.safeParse(answers, jsonOf(await http.request("POST", path, sent, ctx)));
  if (!parsed.success) throw switchFault("sent JSON that is not an NX-API response");
  const received = Array.isArray(parsed.output) ? parsed.output : [parsed.output];
  const results: unknown[] = [];
  for (const [at, answer] of inOrder(received).entries()) {
    if ("error" in answer) return { results, refusal: { at, text: refusalText(answer.error) } };
    const { body, msg } = answer.result ?? {};
    results.push((format === "text" ? (msg ?? body) : (body ?? msg)) ?? null);
  }
  if (results.length < commands.length) throw switchFault("returned fewer results than it received commands");
  return { results };
}

type Answer = v.InferOutput<typeof success> | v.InferOutput<typeof failure>;

/** Sorts answers by ID; those without one keep their position. */
function inOrder(answers: readonly Answer[]): readonly Answer[] {
  const place = ({ id }: Answer, index: number) => (id === null || id === undefined ? index + 1 : Number(id));
  return answers
    .map((answer, index) => ({ answer, place: place(answer, index) }))
    .sort((a, b) => a.place - b.place)
    .map(({ answer }) => answer);
}

function refusalText({ message, data }: v.InferOutput<typeof failure>["error"]): string {
  const detail = typeof data === "string" ? data : data?.msg;
  const text = typeof detail === "string" ? detail.trim() : "";
  return text === "" ? message : text;
}

/** Refused commands have status 400 or 500 and a JSON body. */
function jsonOf({ status, body, headers }: HttpAnswer): unknown {
  if (status === 401)
    throw new PluginError("AuthenticationFailed", "The switch rejected the user name or password.", {
      outcome: "none",
    });
  if (status === 403)
    throw new PluginError("AuthenticationFailed", "The user is not allowed to use NX-API (403).", {
      outcome: "none",
    });
  if (status === 404 || status === 405)
    throw switchFault(
      `does not serve NX-API on this port (${status}): is \`feature nxapi\` configured?`,
      "none",
    );
  if (status >= 300 && status < 400)
    throw switchFault(
      `redirects the request (${status}${headers.location ? ` to ${headers.location}` : ""})`,
      "none",
    );
  const failed = status !== 200;
  try {
    const json = readDeviceJson(body);
    if (!failed || v.is(answers, json)) return json;
  } catch (error) {
    if (error instanceof PluginError) throw error;
    if (!failed) throw switchFault(`sent ${kindOf(body)}`);
  }
  throw switchFault(`responded with status ${status}`);
}

function kindOf(body: string): string {
  if (body.trim() === "") return "nothing";
  return /^\s*</.test(body) ? "an HTML page" : "text that is not JSON";
}
