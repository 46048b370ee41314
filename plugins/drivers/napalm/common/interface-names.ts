/** Long and short interface names: `Gi0/1` is `GigabitEthernet0/1`. */

/** Long name -> its abbreviations, the most common one first. */
const spellings: Readonly<Record<string, readonly string[]>> = {
  AppGigabitEthernet: ["Ap"],
  ATM: ["At", "AT"],
  Bdi: ["B", "Bd"],
  "Bundle-Ether": ["BE"],
  EOBC: ["EO"],
  Ethernet: ["Et", "Eth", "eth", "et", "E"],
  FastEthernet: ["Fa", "FastEth", "FastE", "Fast", "Fas", "FE", "fa"],
  Fddi: ["FD"],
  FiftyGigabitEthernet: ["Fif"],
  FortyGigabitEthernet: ["Fo", "FortyGigEthernet", "FortyGigEth", "FortyGigE", "FortyGig", "FGE", "FO"],
  FourHundredGigabitEthernet: ["Fou", "FourHundredGigEthernet", "FourHundredGigE", "FourHundredGig"],
  GigabitEthernet: ["Gi", "GigEthernet", "GigEth", "GigE", "Gig", "GE", "Ge", "ge", "gi"],
  HundredGigabitEthernet: ["Hu", "HundredGigEthernet", "HundredGigEth", "HundredGigE", "HundredGig"],
  Loopback: ["Lo", "loopback", "lo"],
  Management: ["Ma", "Mgmt", "mgmt"],
  MFR: [],
  Multilink: ["Mu"],
  nve: ["nv"],
  "Port-channel": ["Po", "port-channel", "Port-Channel", "PortChannel", "portchannel", "po"],
  POS: ["PO"],
  Serial: ["Se", "S"],
  TenGigabitEthernet: [
    "Te",
    "TenGigEthernet",
    "TenGigEth",
    "TenGigE",
    "TenGig",
    "TeGig",
    "Ten",
    "T",
    "te",
    "Ten-GigabitEthernet",
    "XGE",
  ],
  Tunnel: ["Tu", "Tun"],
  TwentyFiveGigE: [
    "Twe",
    "TwentyFiveGigabitEthernet",
    "TwentyFiveGigEthernet",
    "TwentyFiveGigEth",
    "TwentyFiveGig",
    "TF",
    "Tf",
    "tf",
  ],
  TwoGigabitEthernet: ["Tw", "Two"],
  TwoHundredGigabitEthernet: [
    "TH",
    "Th",
    "th",
    "TwoHundredGigEth",
    "TwoHundredGigEthernet",
    "TwoHundredGigE",
    "TwoHundredGig",
  ],
  "Virtual-Access": ["Vi"],
  "Virtual-Template": ["Vt"],
  Vlan: ["Vl", "VLAN", "vlan", "V"],
};

const long = new Map<string, string>();
const short = new Map<string, string>();
for (const [name, variants] of Object.entries(spellings)) {
  short.set(name, variants[0] ?? name);
  for (const spelling of [name, ...variants]) long.set(spelling, name);
}

const space = 0x20;
/** Digits and separators: `0123456789/\. `. */
const isNumber = (code: number) => (code >= 0x2e && code <= 0x39) || code === 0x5c || code === space;

/** Offset of the number: 3 in `Eth1/1`; the end if there is none. */
function numberAt(name: string): number {
  let at = name.length;
  while (at > 0 && isNumber(name.charCodeAt(at - 1))) at--;
  return at;
}

/** The long name: `Ethernet1/1`, `Port-channel5`; unknown names are unchanged. */
export function canonicalInterface(name: string): string {
  const at = numberAt(name);
  const kind = name.slice(0, at);
  const found = long.get(kind);
  const isLong = found === kind && name.charCodeAt(at) !== space;
  return found === undefined || isLong ? name : found + name.slice(at).trimStart();
}

/** The short name: `Et1/1`, `Po5`; unknown names are unchanged. */
export function shortInterface(name: string): string {
  const at = numberAt(name);
  const kind = name.slice(0, at);
  const found = short.get(long.get(kind) ?? kind);
  return found === undefined ? name : found + name.slice(at).trimStart();
}

/** Expands a range: `Ethernet1/1-3` is three interfaces, other names one. At most 4,096 per range. */
export function interfaceRange(text: string): readonly string[] {
  const range = /^([A-Za-z/-]+|.*\/)(\d+)-(\d+)$/.exec(text);
  if (range === null) return [text];
  const [, stem = "", first, last] = range;
  const length = Math.min(Number(last) - Number(first) + 1, 4096);
  return Array.from({ length: Math.max(0, length) }, (_, index) => `${stem}${Number(first) + index}`);
}
