/** The bridge between a client on standard input and the service. */
import { expect, test } from "vitest";
import { ServiceError } from "../../../src/base/errors.ts";
import type { Call } from "../../../src/client/service/api.ts";
import { createBridge } from "../../../src/client/service/mcp-bridge.ts";

function bridged(answer: (call: Call) => Promise<Response> | Response) {
  const asked: Call[] = [];
  const written: unknown[] = [];
  const bridge = createBridge(
    {
      async raw(_path, call) {
        asked.push(call);
        return answer(call);
      },
    },
    async (line) => void written.push(JSON.parse(line)),
  );
  return { asked, written, bridge };
}
const told = (result: unknown, id: unknown = 1) => JSON.stringify({ jsonrpc: "2.0", id, result });
const said = (message: object) => JSON.stringify({ jsonrpc: "2.0", ...message });

test("a client with the handshake: who it is and the version are told again with each message", async () => {
  const { asked, written, bridge } = bridged(({ text = "" }) => {
    const { id, method } = JSON.parse(text);
    if (id === undefined) return new Response(null, { status: 202 });
    const result = method === "initialize" ? { protocolVersion: "2025-06-18" } : { tools: [] };
    return new Response(`event: message\ndata: ${told(result, id)}\n\n`);
  });
  const clientInfo = { name: "Clé\u202e", version: "2" };
  await bridge.take(said({ id: 1, method: "initialize", params: { clientInfo } }));
  await bridge.take(said({ method: "notifications/initialized" }));
  await bridge.take(said({ id: "b", method: "tools/list" }));
  expect(written).toEqual([
    { jsonrpc: "2.0", id: 1, result: { protocolVersion: "2025-06-18" } },
    { jsonrpc: "2.0", id: "b", result: { tools: [] } },
  ]);
  expect(asked.at(-1)?.headers).toMatchObject({
    ...{ "User-Agent": "Cl?? 2", "MCP-Protocol-Version": "2025-06-18" },
  });
  expect(asked.at(-1)?.headers).not.toHaveProperty("Mcp-Method");
});

test("a client without one: the headers come from each message", async () => {
  const { asked, bridge } = bridged(() => new Response(told({})));
  const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
  await bridge.take(said({ id: 1, method: "tools/call", params: { name: "show", _meta } }));
  expect(asked[0]?.headers).toMatchObject({
    ...{ "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "show" },
  });
});

test("what the service refuses, and a service that is away, are errors of the protocol; a line that is none, too", async () => {
  const { written, bridge } = bridged(({ text = "" }) => {
    if (text.includes("away")) throw new ServiceError("Unavailable", "no answer");
    return Response.json({ code: -1, message: "The API key is missing or not valid." }, { status: 403 });
  });
  await bridge.take(said({ id: 1, method: "tools/list" }));
  await bridge.take(said({ id: 2, method: "away" }));
  await bridge.take("{");
  await bridge.take("[]");
  await bridge.take("");
  expect(written).toEqual([
    { jsonrpc: "2.0", id: 1, error: { code: -32000, message: "The API key is missing or not valid." } },
    { jsonrpc: "2.0", id: 2, error: { code: -32000, message: "no answer" } },
    { jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } },
    { jsonrpc: "2.0", id: null, error: { code: -32600, message: "Invalid Request" } },
  ]);
});

test("a cancelled request is dropped, and gets no answer", async () => {
  const { written, bridge } = bridged(
    ({ text = "", signal }) =>
      new Promise((resolve, reject) => {
        if (text.includes("cancelled")) return resolve(new Response(null, { status: 202 }));
        signal?.addEventListener("abort", () => reject(new Error("aborted")));
      }),
  );
  const waiting = bridge.take(said({ id: 5, method: "tools/call" }));
  await bridge.take(said({ method: "notifications/cancelled", params: { requestId: 5 } }));
  await waiting;
  await bridge.rest();
  expect(written).toEqual([]);
});
