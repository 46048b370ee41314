/**
 * `get_interfaces` of nxos_ssh. The output is hundreds of KB on a large switch, so it is scanned once and few lines are
 * extracted.
 */
import { macAddress } from "../../../common/addresses.ts";
import { canonicalInterface } from "../../../common/interface-names.ts";
import { firstGroup } from "../../../common/text.ts";
import type { Interface } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { NxosDevice } from "../../nxos-common/device.ts";

/** NAPALM's value for an unknown speed. */
const noSpeed = -1;
/** The rest of a longer line is ignored: matching may take quadratic time. */
const maxLineLength = 4096;

/** Facts of one interface; the first occurrence of each counts. */
interface InterfaceFacts {
  readonly name: string;
  readonly says: string;
  address?: string | undefined;
  description?: string | undefined;
  admin?: string | undefined;
  mtu?: string | undefined;
  width?: string | undefined;
}

export const getInterfaces: Getter<NxosDevice, "get_interfaces"> = async (device) => {
  const interfaces: Record<string, Interface> = {};
  const answer = await device.text("show interface");
  const text = answer.includes("\r") ? answer.replaceAll("\r\n", "\n") : answer;
  let current: InterfaceFacts | undefined;
  const finish = () => {
    if (current !== undefined) interfaces[nameOf(current)] = interfaceOf(current);
  };
  for (let at = 0; at < text.length; ) {
    const lineFeed = text.indexOf("\n", at);
    const end = lineFeed < 0 ? text.length : lineFeed;
    let from = at;
    let code = text.charCodeAt(from);
    while (isBlank(code)) code = text.charCodeAt(++from);
    const next = from === at ? headAt(text, at, end) : undefined;
    if (next !== undefined) {
      finish();
      current = next;
    } else if (current !== undefined && mayTell(code)) read(current, text, { at, from, end });
    at = end + 1;
  }
  finish();
  return interfaces;
};

const isBlank = (code: number) => code === 0x20 || code === 0x09;
/** Lines with facts start with one of `HMAaD`; most lines do not. */
const mayTell = (code: number) =>
  code === 0x48 || code === 0x4d || code === 0x41 || code === 0x61 || code === 0x44;

/** `<name> is <state>`: up, down, or another state with the admin state on the next line. */
function headAt(text: string, at: number, end: number): InterfaceFacts | undefined {
  let nameEnd = at;
  while (nameEnd < end && text.charCodeAt(nameEnd) > 0x20) nameEnd++;
  if (nameEnd === at || !text.startsWith(" is ", nameEnd) || text.startsWith("admin state", at))
    return undefined;
  const name = text.slice(at, nameEnd);
  const says = text.slice(nameEnd + " is ".length, Math.min(end, at + maxLineLength));
  if (says.trimStart() !== says || says === "") return undefined;
  const isHead =
    beginsWith(says, "up") ||
    beginsWith(says, "down") ||
    says.includes(", line protocol is ") ||
    text.startsWith("admin state is", end + 1);
  return isHead ? { name, says } : undefined;
}

/** As a whole word. */
const beginsWith = (text: string, word: string) =>
  text.startsWith(word) && !isOfWord(text.charCodeAt(word.length));

const isOfWord = (code: number) =>
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x30 && code <= 0x39) ||
  code === 0x5f;

/** Reads one line; `from` is the offset of its first word. */
function read(
  facts: InterfaceFacts,
  text: string,
  { at, from, end }: { at: number; from: number; end: number },
): void {
  const is = (word: string) => text.startsWith(word, from);
  const line = () => text.slice(at, Math.min(end, at + maxLineLength));
  switch (text[from]) {
    case "H":
      if (is("Hardware:")) facts.address ??= firstGroup(/^\s+Hardware:\s+.*,\s+address:\s+(\S+)\s/, line());
      break;
    case "M":
      if (is("MTU ")) readSize(facts, line());
      break;
    case "a":
    case "A":
      if (text.startsWith(adminState, from + 1)) facts.admin ??= wordAt(text, from + 1 + adminState.length);
      break;
    case "D":
      if (!is("Description:")) break;
      // Some releases put the next value on the same line.
      readSize(facts, line());
      facts.description ??= firstGroup(/^\s+Description:\s+(\S.*)$/, line());
  }
}

const adminState = "dmin state is ";

/** Undefined if there is none. */
function wordAt(text: string, from: number): string | undefined {
  let end = from;
  while (isOfWord(text.charCodeAt(end))) end++;
  return end === from ? undefined : text.slice(from, end);
}

function readSize(facts: InterfaceFacts, line: string): void {
  if (facts.mtu === undefined) {
    const [, mtu, width] = /MTU (\d+)\s+bytes(?:,\s+BW\s+(\d+)\s+Kbit)?/.exec(line) ?? [];
    facts.mtu = mtu;
    facts.width ??= width;
  }
  // The bandwidth is read even without an MTU in bytes.
  facts.width ??= firstGroup(/MTU \S+\s+bytes,\s+BW\s+(\d+)\s+Kbit/, line);
}

function interfaceOf(facts: InterfaceFacts): Interface {
  const { is_up, is_enabled } = stateOf(facts);
  return {
    is_up,
    is_enabled,
    description: facts.description?.split(/ {2}(?:MTU|Internet)/, 1)[0] ?? "",
    last_flapped: -1,
    mac_address: macAddress(facts.address ?? "") ?? "",
    mtu: Number(facts.mtu ?? 0),
    speed: facts.width === undefined ? noSpeed : Number(facts.width) / 1000,
  };
}

/** If the line names a line protocol, the name is used unchanged. */
const nameOf = ({ name, says }: InterfaceFacts) =>
  says.includes(", line protocol is ") ? name : canonicalInterface(name);

/** `is down (Administratively down), line protocol is down`, or `is up` and `admin state is up` on a later line. */
function stateOf({ says, admin }: InterfaceFacts): Pick<Interface, "is_up" | "is_enabled"> {
  const protocol = says.includes(",") ? firstGroup(/,\s+line\s+protocol\s+is\s+(\S+)/, says) : undefined;
  if (protocol !== undefined) {
    const status = says.split(",", 1)[0] ?? "";
    return { is_up: protocol.includes("up"), is_enabled: !status.toLowerCase().includes("admin") };
  }
  const isUp = beginsWith(says, "up");
  if (admin !== undefined) return { is_up: isUp, is_enabled: admin === "up" };
  return { is_up: isUp, is_enabled: isUp || !/down.*Administratively down/.test(says) };
}
