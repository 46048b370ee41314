/** What IOS XR is asked through: operations, and what it can do. */
import type { Context, NetconfSession } from "patchbay/plugin";
import { type NetconfDevice, netconfDevice } from "../../common/netconf.ts";
import type { OptionalArgs } from "../../optional-args.ts";
import type { Answers } from "../../system.ts";

export type Encoding = "cli" | "xml";

export interface XrDevice extends NetconfDevice {
  /** As its hello tells them. */
  readonly capabilities: readonly string[];
  /** How configurations are read and written. */
  readonly encoding: Encoding;
}

export function xrDevice(
  session: Pick<NetconfSession, "rpc" | "capabilities">,
  optional: OptionalArgs,
  answers: Answers,
  ctx: Context,
): XrDevice {
  return {
    ...netconfDevice(session, answers, ctx),
    capabilities: session.capabilities,
    encoding: optional.config_encoding ?? "cli",
  };
}
