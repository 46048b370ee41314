/** `get_interfaces` of NX-OS at the command line. */
import { macAddress } from "../../../common/addresses.ts";
import { canonicalInterface } from "../../../common/interface-names.ts";
import { found, linesOf } from "../../../common/text.ts";
import type { Interface } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { NxosDevice } from "../../nxos-common/device.ts";

const headLine = /^(\S+) is (\S.*)$/;
/** What NAPALM gives for a speed that is not told. */
const noSpeed = -1;

export const getInterfaces: Getter<NxosDevice, "get_interfaces"> = async (device) => {
  const interfaces: Record<string, Interface> = {};
  let head: RegExpExecArray | undefined;
  let lines: string[] = [];
  const finish = () => {
    if (head !== undefined) Object.assign(interfaces, interfaceOf(head, lines));
  };
  const all = linesOf(await device.text("show interface"));
  for (const [at, line] of all.entries()) {
    const begun = headLine.exec(line);
    if (begun !== null && isHead(line, all[at + 1] ?? "")) {
      finish();
      head = begun;
      lines = [];
    } else lines.push(line);
  }
  finish();
  return interfaces;
};

/** Up or down, or another state with that of the administrator in the next line. */
function isHead(line: string, next: string): boolean {
  if (line.startsWith("admin state")) return false;
  return /^\S+ is (?:up|down)\b|, line protocol is /.test(line) || next.startsWith("admin state is");
}

function interfaceOf([, name = "", says = ""]: RegExpExecArray, lines: readonly string[]) {
  const first = (pattern: RegExp) => {
    for (const line of lines) {
      const text = found(pattern, line);
      if (text !== undefined) return text;
    }
    return undefined;
  };
  const address = first(/^\s+Hardware:\s+.*,\s+address:\s+(\S+)\s/);
  const width = first(/MTU \S+\s+bytes,\s+BW\s+(\d+)\s+Kbit/);
  return {
    [nameOf(name, says)]: {
      ...stateOf(says, lines),
      description: descriptionOf(lines),
      last_flapped: -1,
      mac_address: macAddress(address ?? "") ?? "",
      mtu: Number(first(/MTU (\d+)\s+bytes/) ?? 0),
      speed: width === undefined ? noSpeed : Number(width) / 1000,
    },
  };
}

/** With a line protocol the name stands as it is. */
const nameOf = (name: string, says: string) =>
  /, line protocol is /.test(says) ? name : canonicalInterface(name);

/** `is down (Administratively down), line protocol is down`, `is up` and a line `admin state is up` below. */
function stateOf(says: string, lines: readonly string[]): Pick<Interface, "is_up" | "is_enabled"> {
  const protocol = found(/,\s+line\s+protocol\s+is\s+(\S+)/, says);
  if (protocol !== undefined) {
    const status = says.split(",", 1)[0] ?? "";
    return { is_up: protocol.includes("up"), is_enabled: !status.toLowerCase().includes("admin") };
  }
  const isUp = /^up\b/.test(says);
  for (const line of lines) {
    const admin = found(/^\s*admin state is (\w+)/i, line);
    if (admin !== undefined) return { is_up: isUp, is_enabled: admin === "up" };
  }
  return { is_up: isUp, is_enabled: isUp || !/down.*Administratively down/.test(says) };
}

/** Some releases show what follows in the same line. */
function descriptionOf(lines: readonly string[]): string {
  for (const line of lines) {
    const text = found(/^\s+Description:\s+(\S.*)$/, line);
    if (text !== undefined) return text.split(/ {2}(?:MTU|Internet)/, 1)[0] ?? "";
  }
  return "";
}
