/** get_facts of Junos. */
import { type XmlElement, xml } from "patchbay/plugin";
import { decimal } from "../../../common/numbers.ts";
import type { Getter } from "../../../system.ts";
import { answered, type JunosDevice } from "../device.ts";
import { interfaceInformation } from "./interfaces.ts";

export interface Identity {
  readonly hostname: string;
  readonly model: string;
  readonly version: string;
}

export async function identity(device: Pick<JunosDevice, "ask">): Promise<Identity> {
  const reply = await device.ask(xml("get-software-information"));
  const software = reply.descendants("software-information")[0] ?? reply;
  return {
    hostname: software.textOf("host-name"),
    model: software.textOf("product-model").toUpperCase(),
    version: software.textOf("junos-version") || versionOf(software),
  };
}

/** Older systems report it in a package comment: `JUNOS Base OS boot [11.4R7.5]`. */
function versionOf(software: XmlElement): string {
  for (const comment of software.all("package-information/comment")) {
    const found = /\[([^\]]{1,64})\]/.exec(comment.text)?.[1];
    if (found !== undefined) return found;
  }
  return "";
}

export const get_facts: Getter<JunosDevice, "get_facts"> = async (device) => {
  const [{ hostname, model, version }, serial, domain, uptime, interfaces] = await Promise.all([
    identity(device),
    serialNumber(device),
    domainOf(device),
    uptimeOf(device),
    interfaceInformation(device),
  ]);
  return {
    vendor: "Juniper",
    model,
    serial_number: serial,
    os_version: version,
    hostname,
    fqdn: domain === "" ? hostname : `${hostname}.${domain}`,
    uptime,
    interface_list: interfaces.map((element) => element.textOf("name")),
  };
};

async function serialNumber(device: JunosDevice): Promise<string> {
  const inventory = await device.ask(xml("get-chassis-inventory"));
  const [chassis] = inventory.descendants("chassis");
  const chassisSerial = chassis?.textOf("serial-number") ?? "";
  if (chassisSerial !== "") return chassisSerial;
  // On some chassis the serial number is on the midplane or backplane.
  const board = inventory
    .descendants("chassis-module")
    .find((module) => /^(?:back|mid)plane$/i.test(module.textOf("name")));
  return board?.textOf("serial-number") ?? "";
}

async function domainOf(device: JunosDevice): Promise<string> {
  const configured = (await device.configured("system/domain-name")).textOf("system/domain-name");
  if (configured !== "") return configured;
  const file = await answered(device, xml("file-show", {}, xml("filename", {}, "/etc/resolv.conf")));
  const text = file?.descendants("file-content")[0]?.text ?? "";
  return /^\s*(?:domain|search)\s+(\S+)/m.exec(text)?.[1] ?? "";
}

/** Seconds; -1 if the device does not report it. */
async function uptimeOf(device: JunosDevice): Promise<number> {
  const reply = await device.ask(xml("get-system-uptime-information"));
  const length = reply.descendants("system-booted-time")[0]?.find("time-length");
  return decimal(length?.attribute("seconds"), -1) || -1;
}
