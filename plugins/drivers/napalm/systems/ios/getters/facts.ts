/** `get_facts` of IOS. */
import { secondsOfWords } from "../../../common/durations.ts";
import { firstGroup, linesOf, wordsOf } from "../../../common/text.ts";
import type { Getter } from "../../../system.ts";
import type { IosDevice } from "../device.ts";

const unknown = "Unknown";

export const getFacts: Getter<IosDevice, "get_facts"> = async (device) => {
  const version = versionOf(await device.ask("show version"));
  const domain = domainOf(await device.ask("show hosts"));
  const interfaces = interfacesOf(await device.ask("show ip interface brief"));
  const isKnown = domain !== undefined && version.hostname !== unknown;
  return {
    vendor: "Cisco",
    ...version,
    fqdn: isKnown ? `${version.hostname}.${domain}` : unknown,
    interface_list: interfaces,
  };
};

function versionOf(output: string) {
  const facts = {
    uptime: -1,
    hostname: unknown,
    os_version: unknown,
    serial_number: unknown,
    model: unknown,
  };
  for (const line of linesOf(output)) {
    const [name = "", since] = line.split(" uptime is ");
    if (since !== undefined) {
      facts.hostname = name.trim();
      facts.uptime = uptimeOf(since);
    }
    const [, serial] = line.split("Processor board ID ");
    if (serial !== undefined) facts.serial_number = serial.trim();
    const software = softwareOf(line);
    if (software !== undefined) facts.os_version = software;
    if (facts.model === unknown && line.includes("bytes of")) {
      facts.model = firstGroup(/cisco (\S+) .*bytes of/i, line) ?? unknown;
    }
  }
  return facts;
}

/** Ignores seconds, which older releases do not report. */
function uptimeOf(text: string): number {
  return secondsOfWords(text.replace(/\d+ seconds?/, ""));
}

/** `Cisco IOS Software [Denali], …`, `IOS (tm) C2950 Software …`: the text after the name. */
function softwareOf(line: string): string | undefined {
  const [, modern] = line.split(/Cisco IOS Software(?: \[[^\]]{0,64}\])?, /, 2);
  if (modern !== undefined) return modern.trim();
  const [, old] = line.split("IOS (tm) ");
  return old?.includes("Software") === true ? old.trim() : undefined;
}

function domainOf(output: string): string | undefined {
  const line = linesOf(output).find((text) => text.includes("Default domain is "));
  return line?.split("Default domain is ")[1]?.trim();
}

/** Interface names in the order of `show ip interface brief`. */
export function interfacesOf(output: string): string[] {
  const names: string[] = [];
  for (const line of linesOf(output)) {
    const [name] = wordsOf(line);
    if (name === undefined || line.includes("Interface ") || line.startsWith("Any interface listed"))
      continue;
    names.push(name);
  }
  return names;
}
