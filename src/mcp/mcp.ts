/** The end point for agents: whether there is one, and who may call it. The protocol is loaded with the first call. */
import { ServiceError } from "../base/errors.ts";
import type { Mcp } from "./port.ts";
import type { McpOptions } from "./tool.ts";

const ownHosts = new Set(["localhost", "127.0.0.1", "[::1]"]);

export function createMcp(options: McpOptions): Mcp {
  const { mode, publicUrl } = options;
  let server: Promise<typeof import("./server.ts")> | undefined;
  return {
    async answer(asked) {
      if (mode === "off")
        throw new ServiceError("NotFound", "This service has no end point for agents: PATCHBAY_MCP is off.");
      const { caller, request } = asked;
      if (caller.sessionId !== undefined)
        throw new ServiceError(
          "Forbidden",
          "Agents call with an API key, not with the session of a browser.",
        );
      requireOrigin(request.headers.get("origin"), publicUrl);
      server ??= import("./server.ts");
      const { answerMessage } = await server;
      return answerMessage(asked, options);
    },
  };
}

/** A page of another site that a browser shows must not reach a service in the network of its reader. */
function requireOrigin(origin: string | null, publicUrl: string | undefined): void {
  if (origin === null || origin === publicUrl) return;
  if (URL.canParse(origin) && ownHosts.has(new URL(origin).hostname)) return;
  throw new ServiceError("Forbidden", "This origin may not call the end point for agents.");
}
