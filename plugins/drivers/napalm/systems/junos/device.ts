/** The query interface of the Junos getters: operations, parts of the configuration, and the switch style. */
import {
  type Context,
  type NetconfSession,
  PluginError,
  type XmlElement,
  type XmlFragment,
  xml,
} from "patchbay/plugin";
import { type NetconfDevice, netconfDevice } from "../../common/netconf.ts";
import type { OptionalArgs } from "../../optional-args.ts";
import type { Answers } from "../../system.ts";

export type SwitchStyle = "VLAN" | "VLAN_L2NG" | "BRIDGE_DOMAIN" | "NONE";

export interface JunosDevice extends NetconfDevice {
  /**
   * A part of the configuration with groups and inheritance resolved, such as `system/ntp/peer`.
   * @param inside filter, placed in the last element of the path
   * @returns `<configuration>`
   */
  configured(path: string, inside?: XmlFragment): Promise<XmlElement>;
  switchStyle(): Promise<SwitchStyle>;
}

export function junosDevice(
  session: Pick<NetconfSession, "rpc">,
  optional: OptionalArgs,
  answers: Answers,
  ctx: Context,
): JunosDevice {
  const device = netconfDevice(session, answers, ctx);
  const database = optional.junos_config_database ?? "committed";
  return {
    ...device,
    async configured(path, inside) {
      const filter = path
        .split("/")
        .toReversed()
        .reduce<XmlFragment | undefined>(
          (inner, name) => (inner === undefined ? xml(name) : xml(name, {}, inner)),
          inside,
        );
      const subtree = xml("configuration", {}, ...(filter === undefined ? [] : [filter]));
      const reply = await device.ask(
        xml("get-configuration", { database, inherit: "inherit", groups: "groups" }, subtree),
      );
      return reply.find("configuration") ?? reply;
    },
    async switchStyle() {
      const summary = xml("get-ethernet-switching-table-information", {}, xml("summary"));
      const table = await answered(device, summary);
      if (table !== undefined)
        return table.descendants("l2ng-l2ald-rtb-macdb").length > 0 ? "VLAN_L2NG" : "VLAN";
      const count = xml("command", { format: "xml" }, "show bridge mac-table count");
      return (await answered(device, count)) === undefined ? "NONE" : "BRIDGE_DOMAIN";
    },
  };
}

/** Undefined if the device does not support the operation. */
export async function answered(
  device: NetconfDevice,
  operation: XmlFragment,
): Promise<XmlElement | undefined> {
  try {
    return await device.ask(operation);
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

export function isRefusal(error: unknown, about?: RegExp): error is PluginError {
  return (
    error instanceof PluginError &&
    error.kind === "CommandError" &&
    (about === undefined || about.test(error.message))
  );
}
