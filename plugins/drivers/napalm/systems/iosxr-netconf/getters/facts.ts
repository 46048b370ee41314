/** get_facts of IOS XR over NETCONF. */
import { type XmlElement, xml } from "patchbay/plugin";
import { decimalAt } from "../../../common/elements.ts";
import type { NetconfDevice } from "../../../common/netconf.ts";
import type { Facts } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import { getOperation, leaves, model, nested } from "../operations.ts";

export const factsOperation = getOperation(
  xml("system-time", { xmlns: model("shellutil-oper") }),
  nested(model("pfi-im-cmd-oper"), "interfaces/interfaces/interface/interface-name"),
  nested(
    model("invmgr-oper"),
    "inventory/entities/entity",
    xml("name", {}, "Rack 0"),
    xml(
      "attributes",
      {},
      xml("inv-basic-bag", {}, ...leaves("software-revision", "model-name", "serial-number")),
    ),
  ),
);

export function factsOf(reply: XmlElement): Facts {
  const hostname = reply.textOf("data/system-time/uptime/host-name");
  const rack = reply.find("data/inventory/entities/entity/attributes/inv-basic-bag");
  return {
    vendor: "Cisco",
    os_version: rack?.textOf("software-revision") ?? "",
    hostname,
    uptime: decimalAt(reply, "data/system-time/uptime/uptime", -1),
    serial_number: rack?.textOf("serial-number") ?? "",
    fqdn: hostname,
    model: rack?.textOf("model-name") ?? "",
    interface_list: reply
      .all("data/interfaces/interfaces/interface")
      .map((entry) => entry.textOf("interface-name")),
  };
}

export const get_facts: Getter<NetconfDevice, "get_facts"> = async (device) =>
  factsOf(await device.ask(factsOperation));
