/** Agents for `node:http` that never resend a request. */
import type { AgentOptions } from "node:http";
import { deno } from "../deno.ts";

/**
 * Deno (2.9.6) resends a request over a new connection if a kept one was cut, even a POST: a configuration would be
 * pushed twice. So keep-alive is off on Deno.
 */
export const keptConnections: AgentOptions = { keepAlive: deno === undefined };
