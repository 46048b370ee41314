/** The query interface of the IOS XR getters over NETCONF: operations and capabilities. */
import type { Context, NetconfSession } from "patchbay/plugin";
import { type NetconfDevice, netconfDevice } from "../../common/netconf.ts";
import type { OptionalArgs } from "../../optional-args.ts";
import type { Answers } from "../../system.ts";

export type Encoding = "cli" | "xml";

export interface XrDevice extends NetconfDevice {
  /** From the device's hello. */
  readonly capabilities: readonly string[];
  /** Encoding for reading and writing configurations. */
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
