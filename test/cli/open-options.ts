/** Options of sessions and pushes with what most tests leave as it is. */

import type { OpenOptions } from "../../src/cli/session.ts";
import type { ConfigureOptions } from "../../src/plugin/cli.ts";
import { router } from "./router-platform.ts";

/** A session on the router of these tests. */
export function openOptions(stream: OpenOptions["stream"], changes: Partial<OpenOptions> = {}): OpenOptions {
  return {
    stream,
    transport: "ssh",
    platform: router,
    host: "h",
    username: "u",
    delayFactor: 1,
    readTimeoutMs: 3000,
    openTimeoutMs: 6000,
    ...changes,
  };
}

/** A machine with other work may stand still for seconds. */
export const patient = { readTimeoutMs: 20_000, openTimeoutMs: 20_000 };

export const push = {
  enterConfig: true,
  exitConfig: true,
  verifyEcho: true,
  save: false,
  dryRun: false,
  enable: true,
} as const satisfies ConfigureOptions;
