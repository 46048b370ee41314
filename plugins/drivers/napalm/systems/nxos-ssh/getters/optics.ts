/** `get_optics` of nxos_ssh, from the transceiver details. */
import { channelOf, levelOf } from "../../../common/optics.ts";
import { firstGroup, sectionsOf } from "../../../common/text.ts";
import type { Optics } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { NxosDevice } from "../../nxos-common/device.ts";

const connectors: Readonly<Record<string, string>> = {
  "1000base-LH": "LC_CONNECTOR",
  "1000base-SX": "LC_CONNECTOR",
  "10Gbase-LR": "LC_CONNECTOR",
  "10Gbase-SR": "LC_CONNECTOR",
  "SFP-H10GB-CU1M": "DAC_CONNECTOR",
  "SFP-H10GB-CU1.45M": "DAC_CONNECTOR",
  "SFP-H10GB-CU3M": "DAC_CONNECTOR",
  "SFP-H10GB-CU3.45M": "DAC_CONNECTOR",
};

interface Transceiver {
  readonly vendor: string;
  readonly vendor_part: string;
  readonly vendor_rev: string;
  readonly serial_no: string;
  readonly connector_type: string;
}

export const getOptics: Getter<NxosDevice, "get_optics"> = async (device) => {
  const output = await device.text("show interface transceiver details");
  const optics: Record<string, Optics & { readonly state: Transceiver }> = {};
  for (const { head, lines } of sectionsOf(output, (line) => line.startsWith("Ether"))) {
    const text = lines.join("\n");
    if (/transceiver is not (?:present|applicable)/.test(text)) continue;
    const says = (pattern: RegExp) => firstGroup(pattern, text)?.trim() ?? "";
    const state = {
      vendor: says(/^\s+name is (.*)$/m),
      vendor_part: says(/^\s+part number is (.*)$/m),
      vendor_rev: says(/^\s+revision is (.*)$/m),
      serial_no: says(/^\s+serial number is (.*)$/m),
      connector_type: connectors[firstGroup(/^\s+type is (.*)$/m, text) ?? ""] ?? "Unknown",
    };
    const channel = text.includes("DOM is not supported") ? [] : [lightOf(text)];
    optics[head.trim()] = { physical_channels: { channel }, state };
  }
  return optics;
};

const lightOf = (text: string) =>
  channelOf({
    input: levelOf(firstGroup(/Rx Power +(\S+) +dBm/, text)),
    output: levelOf(firstGroup(/Tx Power +(\S+) +dBm/, text)),
    bias: levelOf(firstGroup(/Current +(\S+) +mA/, text)),
  });
