/** Whether an access list lets somebody in, by the words that most systems have in common. */
import { familyOf, isWithin, networkOf } from "../base/net/networks.ts";

/** An entry of one statement: `action`, and `rest` has protocol, source and destination; or one of several. */
export type ListEntry =
  | { readonly text: string; readonly action: string | undefined; readonly rest: string | undefined }
  | TermEntry;

/** What is empty is any. */
export interface TermEntry {
  readonly text: string;
  action?: string;
  readonly sources: string[];
  readonly protocols: string[];
  readonly services: string[];
  /** Names of sets whose addresses are among its sources. */
  readonly sets: string[];
  /** It is not for whoever comes anew. */
  isForOthers?: true;
  /** Nobody knows whether it is for us. */
  isUnsure?: true;
}

/** Out, in for all that is known of some entries, in. */
export type Verdict = 0 | 1 | 2;

interface Visitor {
  readonly port: number;
}

const protocols = /^(?:ip|ipv4|ipv6|inet|tcp|6|any)$/;
const services: Readonly<Record<string, number>> = {
  ...{ ssh: 22, telnet: 23, https: 443, netconf: 830 },
};

/** The first entry that is about somebody decides; none: `isOpen` does. */
export function firstVerdict(
  entries: readonly ListEntry[],
  address: string,
  { port }: Visitor,
  isOpen: boolean,
): Verdict {
  let isMaybe = false;
  for (const entry of numbered(entries)) {
    const isTermed = "sources" in entry;
    if (!(isTermed ? isTerm(entry, address, port) : isEntry(entry.rest ?? "", address, port))) continue;
    const isAllowed = /^(?:permit|accept|allow)/.test(entry.action ?? "");
    if (isTermed && entry.isUnsure === true) {
      isMaybe = true;
      continue;
    }
    return isAllowed ? (isMaybe ? 1 : 2) : isMaybe ? 1 : 0;
  }
  return isOpen ? (isMaybe ? 1 : 2) : isMaybe ? 1 : 0;
}

/** In the order of their numbers, where they have some. */
function numbered(entries: readonly ListEntry[]): ListEntry[] {
  const numberOf = ({ text }: ListEntry) =>
    Number(/(?:^|\/ |seq )(?:rule )?(\d+) (?:permit|deny)\b/.exec(text)?.[1] ?? Number.NaN);
  return [...entries].sort((a, b) => {
    const [one, other] = [numberOf(a), numberOf(b)];
    return Number.isNaN(one) || Number.isNaN(other) ? 0 : one - other;
  });
}

function isTerm(entry: TermEntry, address: string, port: number): boolean {
  const isPort = (service: string) => portOf(service) === port;
  return (
    entry.isForOthers !== true &&
    (entry.sources.length === 0 || entry.sources.some((source) => isFrom(source, undefined, address))) &&
    (entry.protocols.length === 0 || entry.protocols.some((protocol) => protocols.test(protocol))) &&
    (entry.services.length === 0 || entry.services.some(isPort))
  );
}

function isEntry(rest: string, address: string, port: number): boolean {
  const words = rest.split(/\s+/).filter((word) => word !== "");
  const [protocol] = words;
  if (protocol === undefined) return true;
  if (familyOf(protocol) === undefined && !/^(?:any|host|source)$|\//.test(protocol)) {
    words.shift();
    if (!protocols.test(protocol)) return false;
    if (words.length === 0) return true;
  }
  if (words[0] === "source") words.shift();
  const isHost = words[0] === "host";
  if (isHost) words.shift();
  const [from = "", second] = words;
  const hasMask = !isHost && familyOf(from) === "ipv4" && second !== undefined && /^[\d.]+$/.test(second);
  if (!isFrom(from, hasMask ? wildcard(second) : undefined, address)) return false;
  const wanted = /\b(?:destination-port )?eq (\S+)(?: log)?$/.exec(
    words.slice(hasMask ? 2 : 1).join(" "),
  )?.[1];
  return wanted === undefined || portOf(wanted) === port;
}

/** In lists `0.0.0.0`, and `0`, is one address. */
function wildcard(mask: string): string {
  if (mask === "0.0.0.0" || mask === "0") return "32";
  return mask === "255.255.255.255" ? "0" : mask;
}

const portOf = (service: string) => services[service] ?? Number(service);

function isFrom(source: string, mask: string | undefined, address: string): boolean {
  if (/^(?:any|any4|any6|all)$/.test(source)) return true;
  const network = networkOf(source, mask);
  return network !== undefined && isWithin(address, network);
}
