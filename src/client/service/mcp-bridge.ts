/** Messages of a local client, one JSON text a line, to the end point for agents of a service and back. */
import { messageOf } from "../../base/errors.ts";
import { isRecord } from "../../base/json/members.ts";
import type { Api } from "./api.ts";

const metaVersion = "io.modelcontextprotocol/protocolVersion";
const longestLine = 1024 * 1024;

export interface Bridge {
  /** Answers a line, if it wants an answer; never rejects. */
  take(line: string): Promise<void>;
  /** Waits until all that came is answered. */
  rest(): Promise<void>;
}

/** @param write one line */
export function createBridge(api: Pick<Api, "raw">, write: (line: string) => Promise<void>): Bridge {
  /** Requests under way, by their ids. */
  const working = new Map<unknown, AbortController>();
  const all = new Set<Promise<void>>();
  /** What a client with the handshake has said once. */
  let client = "unknown";
  let version: string | undefined;

  const refuse = (id: unknown, code: number, message: string) =>
    write(JSON.stringify({ jsonrpc: "2.0", id: id ?? null, error: { code, message } }));

  function headersOf(message: Record<string, unknown>): Record<string, string> {
    const params = isRecord(message.params) ? message.params : {};
    const named = isRecord(params._meta) ? params._meta[metaVersion] : undefined;
    const modern = typeof named === "string" ? named : undefined;
    const own = modern ?? version;
    return {
      ...{ Accept: "application/json, text/event-stream", "Content-Type": "application/json" },
      "User-Agent": client,
      ...(own === undefined ? {} : { "MCP-Protocol-Version": own }),
      ...(modern === undefined ? {} : { "Mcp-Method": String(message.method) }),
      ...(modern !== undefined && typeof params.name === "string" ? { "Mcp-Name": params.name } : {}),
    };
  }

  function note(message: Record<string, unknown>): void {
    const { method, params } = message;
    if (method === "initialize" && isRecord(params) && isRecord(params.clientInfo))
      client = `${params.clientInfo.name} ${params.clientInfo.version}`
        .replace(/[^\x20-\x7e]/g, "?")
        .slice(0, 80);
    if (method === "notifications/cancelled" && isRecord(params)) working.get(params.requestId)?.abort();
  }

  async function answer(line: string): Promise<void> {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return refuse(null, -32700, "Parse error");
    }
    if (!isRecord(message) || line.length > longestLine) return refuse(null, -32600, "Invalid Request");
    const { id, method } = message;
    note(message);
    const leaving = new AbortController();
    if (id !== undefined) working.set(id, leaving);
    try {
      const headers = headersOf(message);
      const response = await api.raw("/mcp", { method: "POST", text: line, headers, signal: leaving.signal });
      const text = await response.text();
      const told = toldIn(text);
      if (id === undefined) return;
      if (told === undefined) {
        const envelope = readJson(text);
        const why = isRecord(envelope)
          ? String(envelope.message)
          : `The service answered ${response.status}.`;
        return refuse(id, -32000, why);
      }
      if (method === "initialize" && isRecord(told.result) && typeof told.result.protocolVersion === "string")
        version = told.result.protocolVersion;
      await write(JSON.stringify(told));
    } catch (error) {
      // Whoever cancels a request wants no answer.
      if (id !== undefined && !leaving.signal.aborted) await refuse(id, -32000, messageOf(error));
    } finally {
      working.delete(id);
    }
  }

  return {
    take(line) {
      const answered = line.trim() === "" ? Promise.resolve() : answer(line);
      all.add(answered);
      return answered.finally(() => all.delete(answered));
    },
    rest: async () => {
      await Promise.all(all);
    },
  };
}

/** The one message of an answer, as JSON or as the only event of a stream. */
function toldIn(text: string): Record<string, unknown> | undefined {
  const data = /^data: ?(.*)$/m.exec(text)?.[1];
  const told = readJson(data ?? text);
  return isRecord(told) && told.jsonrpc === "2.0" ? told : undefined;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
