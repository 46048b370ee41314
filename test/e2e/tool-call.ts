/** Calls of tools over MCP, as a client of agents makes them. */

export interface ToolCall {
  readonly name: string;
  readonly args: object;
  readonly key: string;
  readonly id?: number;
  readonly meta?: object;
}

/** @param url of the service */
export function callTool(url: string, { name, args, key, id = 1, meta = {} }: ToolCall): Promise<Response> {
  return fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      ...{ "Content-Type": "application/json", "X-API-KEY": key },
      ...{ "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": name },
    },
    body: JSON.stringify({
      ...{ jsonrpc: "2.0", id, method: "tools/call" },
      params: {
        ...{ name, arguments: args },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
          ...meta,
        },
      },
    }),
  });
}
