/** The interface of mcp: answers one message of an agent. */
import type { Caller } from "../auth/port.ts";

/** What agents may do; `off`: there is no end point. */
export const mcpModes = ["off", "read", "propose"] as const;
export type McpMode = (typeof mcpModes)[number];

export interface McpRequest {
  readonly request: Request;
  /** The parsed body. */
  readonly body: unknown;
  /** Its length. */
  readonly bytes: number;
  readonly caller: Caller;
  /** Origin under which people reach the console. */
  readonly origin: string;
  /** Counts work beyond that of one request. @throws ServiceError TooManyRequests */
  charge(cost: number): void;
}

export interface Mcp {
  /** @throws ServiceError NotFound (it is off), Forbidden (a session, a page of another site), BadRequest */
  answer(asked: McpRequest): Promise<Response>;
}
