/** Agents of `node:http` that send each request once, whatever the runtime would do. */
import type { AgentOptions } from "node:http";
import { deno } from "./deno.ts";

/**
 * Deno sends a request that was cut off on a kept connection a second time, over a new one, also a POST (2.9.6): a
 * configuration would be pushed twice. On connections of their own requests are sent once.
 */
export const keptConnections: AgentOptions = { keepAlive: deno === undefined };
