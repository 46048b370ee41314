/** `get_optics` of IOS. */
import { canonicalInterface } from "../../../common/interface-names.ts";
import { channelOf, levelOf } from "../../../common/optics.ts";
import { linesOf, wordsOf } from "../../../common/text.ts";
import type { Optics } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import { type IosDevice, isUnknown } from "../device.ts";

const command = "show interfaces transceiver";

export const getOptics: Getter<IosDevice, "get_optics"> = async (device) => {
  const output = await device.ask(command);
  if (isUnknown(output)) return {};
  const outputs = /% ?Incomplete command/.test(output) ? await ofBothSwitches(device) : [output];
  return Object.fromEntries(outputs.flatMap(tableOf).flatMap(portOf));
};

/** A VSS pair is queried switch by switch. */
async function ofBothSwitches(device: IosDevice): Promise<string[]> {
  if (!/Switch mode\s+: Virtual Switch/.test(await device.ask("show switch virtual"))) return [];
  return [await device.ask(`${command} switch 1`), await device.ask(`${command} switch 2`)];
}

/** The lines between the first rule and the next one. */
function tableOf(output: string): string[] {
  const lines = linesOf(output);
  const isRule = (line: string) => /^-{9}/.test(line);
  const begin = lines.findIndex(isRule);
  if (begin < 0) return [];
  const rest = lines.slice(begin + 1);
  const end = rest.findIndex(isRule);
  return end < 0 ? rest : rest.slice(0, end);
}

/** Port, temperature, voltage, current, transmit, receive power; some devices omit the current. */
function portOf(line: string): [string, Optics][] {
  const [name = "", ...values] = wordsOf(line.trim().replace(/-+$/, ""));
  if (values.length < 4) return [];
  const [bias, output, input] = values.length === 4 ? ["0", ...values.slice(2)] : values.slice(2);
  const current = Number(bias);
  const light = {
    input: levelOf(input),
    output: levelOf(output),
    bias: Number.isFinite(current) ? current : 0,
  };
  return [[canonicalInterface(name), { physical_channels: { channel: [channelOf(light)] } }]];
}
