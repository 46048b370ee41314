/** Default options of sessions and pushes for most tests. */

import type { OpenOptions } from "../../../src/device/cli/session.ts";
import type { ConfigureOptions } from "../../../src/plugin/kit/cli.ts";
import { router } from "./router-platform.ts";

/** A session on the tests' router. */
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

/** Generous timeouts: a busy machine may stall for seconds. */
export const patient = { readTimeoutMs: 20_000, openTimeoutMs: 20_000 };

export const push = {
  enterConfig: true,
  exitConfig: true,
  verifyEcho: true,
  save: false,
  dryRun: false,
  enable: true,
} as const satisfies ConfigureOptions;
