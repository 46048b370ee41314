/** `get_interfaces` of NX-OS at the command line: hundreds of KB on a large switch, so that lines are not taken apart. */
import { macAddress } from "../../../common/addresses.ts";
import { canonicalInterface } from "../../../common/interface-names.ts";
import { found, foundBelow } from "../../../common/text.ts";
import type { Interface } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { NxosDevice } from "../../nxos-common/device.ts";

const headLine = /^(\S+) is (\S.*)$/;
/** What NAPALM gives for a speed that is not told. */
const noSpeed = -1;

export const getInterfaces: Getter<NxosDevice, "get_interfaces"> = async (device) => {
  const interfaces: Record<string, Interface> = {};
  const text = (await device.text("show interface")).replaceAll("\r\n", "\n");
  let head: RegExpExecArray | undefined;
  let below = 0;
  const finish = (end: number) => {
    if (head !== undefined) Object.assign(interfaces, interfaceOf(head, text.slice(below, end)));
  };
  for (let is = text.indexOf(" is "); is >= 0; ) {
    const at = text.lastIndexOf("\n", is) + 1;
    const lineFeed = text.indexOf("\n", is);
    const end = lineFeed < 0 ? text.length : lineFeed;
    const begun = isBlank(text.charCodeAt(at)) ? null : headAt(text, at, end);
    if (begun !== null) {
      finish(at);
      head = begun;
      below = end + 1;
    }
    is = text.indexOf(" is ", end);
  }
  finish(text.length);
  return interfaces;
};

const isBlank = (code: number) => code === 0x20 || code === 0x09;

/** Up or down, or another state with that of the administrator in the next line. */
function headAt(text: string, at: number, end: number): RegExpExecArray | null {
  const line = text.slice(at, end);
  const begun = headLine.exec(line);
  if (begun === null || line.startsWith("admin state")) return null;
  const isHead =
    /^\S+ is (?:up|down)\b|, line protocol is /.test(line) || text.startsWith("admin state is", end + 1);
  return isHead ? begun : null;
}

function interfaceOf([, name = "", says = ""]: RegExpExecArray, lines: string) {
  const address = foundBelow("Hardware:", /^\s+Hardware:\s+.*,\s+address:\s+(\S+)\s/, lines);
  const width = foundBelow("MTU", /MTU \S+\s+bytes,\s+BW\s+(\d+)\s+Kbit/, lines);
  return {
    [nameOf(name, says)]: {
      ...stateOf(says, lines),
      description: descriptionOf(lines),
      last_flapped: -1,
      mac_address: macAddress(address ?? "") ?? "",
      mtu: Number(foundBelow("MTU", /MTU (\d+)\s+bytes/, lines) ?? 0),
      speed: width === undefined ? noSpeed : Number(width) / 1000,
    },
  };
}

/** With a line protocol the name stands as it is. */
const nameOf = (name: string, says: string) =>
  says.includes(", line protocol is ") ? name : canonicalInterface(name);

/** `is down (Administratively down), line protocol is down`, `is up` and a line `admin state is up` below. */
function stateOf(says: string, lines: string): Pick<Interface, "is_up" | "is_enabled"> {
  const protocol = found(/,\s+line\s+protocol\s+is\s+(\S+)/, says);
  if (protocol !== undefined) {
    const status = says.split(",", 1)[0] ?? "";
    return { is_up: protocol.includes("up"), is_enabled: !status.toLowerCase().includes("admin") };
  }
  const isUp = /^up\b/.test(says);
  const admin = foundBelow("dmin state is", /^\s*[aA]dmin state is (\w+)/, lines);
  if (admin !== undefined) return { is_up: isUp, is_enabled: admin === "up" };
  return { is_up: isUp, is_enabled: isUp || !/down.*Administratively down/.test(says) };
}

/** Some releases show what follows in the same line. */
function descriptionOf(lines: string): string {
  const text = foundBelow("Description:", /^\s+Description:\s+(\S.*)$/, lines);
  return text?.split(/ {2}(?:MTU|Internet)/, 1)[0] ?? "";
}
