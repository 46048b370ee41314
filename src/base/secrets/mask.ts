/** Finds secrets in texts in any encoding: clear, base64, URL-encoded, hex, JSON-escaped. */
import { eachMember } from "../json/walk.ts";
import { createTextSearch, type TextSearch } from "../regex/text-search.ts";
import { createPlaceMasker, masked } from "./mask-places.ts";
import { Secret } from "./secret.ts";
import { isSecretName } from "./secret-name.ts";

export { masked };

/** Shorter secrets would mask parts of ordinary words. */
export const shortestSecret = 4;
/**
 * Shorter secrets are also parts of ordinary texts, and are matched as whole words: `cisco` is not matched in
 * `cisco_ios`.
 */
const wordBelow = 8;

export interface Masker {
  readonly empty: boolean;
  text(text: string): string;
  /** Number of characters at the end of a text that may begin a secret which continues in the next chunk. */
  unfinished(text: string): number;
}

/** @param secrets clear texts; those too short to be told apart from words are ignored. */
export function createMasker(secrets: Iterable<string>): Masker {
  return maskerOf(secrets);
}

/**
 * Masks texts of devices and callers: a strong secret anywhere, an ordinary one only where a password stands. Masking
 * each `cisco` of a configuration would ruin it, and reveal the password.
 * @param logins names of accounts, which are never masked
 */
export function createOutputMasker(secrets: Iterable<string>, logins: readonly string[] = []): Masker {
  const ordinary = [...new Set(secrets)].filter((secret) => isOrdinary(secret, logins));
  // Each is a search of its own: of very many, the others are masked as words.
  const places = new Set(ordinary.slice(0, manyForms));
  const masker = maskerOf(secrets, places);
  if (places.size === 0) return masker;
  const longest = Math.max(...[...places].map((secret) => secret.length));
  const asked = new RegExp(`${valuePlace}[^\\s"']{0,${longest}}$`, "i");
  return {
    ...masker,
    unfinished(text) {
      const tail = text.slice(-(longest + maxPlace));
      const begun = asked.exec(tail);
      return Math.max(masker.unfinished(text), begun === null ? 0 : tail.length - begun.index);
    },
  };
}

/** Up to this many are searched one after the other. */
const manyForms = 64;

/** @param places masked only where a password stands */
function maskerOf(secrets: Iterable<string>, places: ReadonlySet<string> = new Set()): Masker {
  const maskable = [...new Set(secrets)].filter((secret) => secret.length >= shortestSecret);
  // Longer first: a text that is part of another must not break it up before it is found.
  const forms = [...new Set(maskable.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  const words = new Map(
    forms
      .filter((form) => form.length < wordBelow || places.has(form))
      .map((form) => [form, places.has(form) ? asValue(form) : asWord(form)] as const),
  );
  const empty = forms.length === 0;
  const text = maskInTurn(words);
  if (forms.length <= manyForms)
    return {
      empty,
      text: (value) => text(value, forms),
      unfinished: (value) => forms.reduce((longest, form) => Math.max(longest, overlap(value, form)), 0),
    };
  const many = createTextSearch(forms);
  return { empty, text: maskAmong(many, forms, { words, places }, text), unfinished: many.begun };
}

type MaskInTurn = (text: string, forms: readonly string[]) => string;

function maskInTurn(words: ReadonlyMap<string, RegExp>): MaskInTurn {
  return (text, forms) => {
    let clean = text;
    for (const form of forms) {
      if (clean.includes(form)) clean = clean.replaceAll(words.get(form) ?? form, masked);
    }
    return clean;
  };
}

/**
 * Searches for all forms at once, then masks the ones found, in a single pass if there are many. A text crafted to
 * resemble thousands of them, which would take minutes, is masked as a whole.
 */
function maskAmong(
  many: TextSearch,
  forms: readonly string[],
  { words, places }: { readonly words: ReadonlyMap<string, RegExp>; readonly places: ReadonlySet<string> },
  inTurn: MaskInTurn,
): (text: string) => string {
  const turns = new Map(forms.map((form, turn) => [form, turn]));
  const turnOf = (number: number) => turns.get(many.textOf(number)) ?? 0;
  /** Ordinary secrets are recognized by the text before them. */
  const values = new Set(forms.flatMap((form, turn) => (places.has(form) ? [turn] : [])));
  const formsOfTurns = (turns: readonly number[]) => turns.flatMap((turn) => forms[turn] ?? []);
  const inOneGo = createPlaceMasker(many, turnOf, (form) => words.has(form));
  return (text) => {
    const occurring = many.occurring(text);
    if (occurring === undefined) return masked;
    const turns = [...occurring].map(turnOf).sort((a, b) => a - b);
    if (turns.length <= manyForms) return inTurn(text, formsOfTurns(turns));
    let clean = text;
    let from = 0;
    for (const to of [...turns.filter((turn) => values.has(turn)), forms.length]) {
      if (from < to) clean = inOneGo(clean, occurring, from, to) ?? masked;
      clean = inTurn(clean, forms.slice(to, to + 1));
      from = to + 1;
    }
    return clean;
  };
}

/** Length of the longest suffix of `text` that is a proper prefix of `form`. */
function overlap(text: string, form: string): number {
  const first = form.charAt(0);
  const from = Math.max(0, text.length - form.length + 1);
  for (let at = text.indexOf(first, from); at >= 0; at = text.indexOf(first, at + 1)) {
    if (form.startsWith(text.slice(at))) return text.length - at;
  }
  return 0;
}

const literal = (form: string) => form.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");

function asWord(form: string): RegExp {
  return new RegExp(`(?<![A-Za-z0-9_])${literal(form)}(?![A-Za-z0-9_])`, "g");
}

/** `enable secret 0 <it>`, `password: <it>`, `"community": "<it>"`: where a device asks for it, or shows it. */
const valuePlace =
  "(?<![A-Za-z])(?:passw(?:or)?d|passphrase|passcode|pin|secret|community|token|key|pass)[\"']?[ \\t]*[:=]?[ \\t]*(?:\\d{1,2}[ \\t]+)?[\"']?";
/** Characters of such a place before the value. */
const maxPlace = 40;

function asValue(form: string): RegExp {
  return new RegExp(`(?<=${valuePlace})(?<![A-Za-z0-9_])${literal(form)}(?![A-Za-z0-9_])`, "gi");
}

/** Words of the service's own login messages: masking one that is also a password would ruin the message. */
const sentenceWords = new Set(
  `access account agent answer authentication bytes change changed check closed command commands config configuration
configure connect connection console default denied device directory empty enable enter error exit expected failed
field file format given host hostname invalid just known level limit line lines local login message missing mode name
network none open output passphrase passwd password pattern permission port private prompt public read refused remote
root router secret secrets seconds sent server service session shell such switch telnet test text time timeout token
unknown user username valid version wrong`.split(/\s+/),
);

/** Quoted text in the service's messages: between quotes, and everything after the first line. */
const quoted = /("(?:[^"\\]|\\.)*"|`[^`]*`|'[^']*'|\n[\s\S]*)/;

/**
 * Masks a message of the service: in its own words every secret, but no word that such messages have and no login name;
 * in what it quotes as in an output.
 */
export function createSentenceMasker(secrets: readonly string[], logins: readonly string[] = []): Masker {
  const output = createOutputMasker(secrets, logins);
  const names = [...new Set(logins)].filter((login) => login !== "").map(literal);
  const login = names.length === 0 ? undefined : new RegExp(`(?<!\\w)(${names.join("|")})(?!\\w)`);
  const spoken = createMasker(secrets.filter((secret) => !sentenceWords.has(secret.toLowerCase())));
  const ownWords = (text: string) =>
    login === undefined ? spoken.text(text) : everySecond(text.split(login), spoken.text);
  return {
    empty: output.empty,
    // Strong secrets first: a login name may be part of one.
    text: (text) =>
      output
        .text(text)
        .split(quoted)
        .map((part, at) => (at % 2 === 1 ? part : ownWords(part)))
        .join(""),
    unfinished: output.unfinished,
  };
}

function everySecond(parts: readonly string[], change: (text: string) => string): string {
  return parts.map((part, at) => (at % 2 === 1 ? part : change(part))).join("");
}

/** Whether one of these ordinary secrets still shows in a masked text. */
export function createOrdinarySearch(
  secrets: readonly string[],
  logins: readonly string[],
): (text: string) => boolean {
  const ordinary = secrets.filter((secret) => secret.length >= shortestSecret && isOrdinary(secret, logins));
  if (ordinary.length === 0) return () => false;
  const shown = new RegExp(`(?<!\\w)(?:${ordinary.slice(0, manyForms).map(literal).join("|")})(?!\\w)`);
  return (text) => shown.test(text);
}

/** Texts in a JSON document whose member name marks a secret: `{"snmp": {"community": "…"}}`. */
export function secretsOfJson(json: string): string[] {
  if (!mayNameSecrets(json)) return [];
  const secrets: string[] = [];
  try {
    JSON.parse(json, (name, value) => {
      if (isSecretName(name)) collectTexts(value, secrets);
      return value;
    });
  } catch {
    // Invalid JSON fails where it is used.
  }
  return secrets;
}

/** The clear texts of all secrets in a value that a plugin's schema returned. */
export function revealed(value: unknown): string[] {
  const found: string[] = [];
  const look = (one: unknown): void => {
    if (one instanceof Secret) found.push(one.reveal());
    else if (typeof one === "object" && one !== null) eachMember(one, look);
  };
  look(value);
  return found;
}

const secretWord = /pass|secret|token|key|community|authorization|cookie/i;

/**
 * Quick check for a quoted secret name, as most documents need not be parsed. Visits each quote once, whatever the text
 * is.
 */
function mayNameSecrets(json: string): boolean {
  let open = json.indexOf('"');
  for (let close = open; open >= 0; open = close) {
    close = json.indexOf('"', open + 1);
    if (close < 0) return false;
    let behind = close + 1;
    while (isBlank(json.charCodeAt(behind))) behind++;
    if (json[behind] === ":" && secretWord.test(json.slice(open + 1, close))) return true;
  }
  return false;
}

const isBlank = (code: number) => code === 0x20 || (code >= 0x09 && code <= 0x0d);

function collectTexts(value: unknown, into: string[]): void {
  if (typeof value === "string") into.push(value);
  else if (typeof value === "object" && value !== null)
    eachMember(value, (member) => collectTexts(member, into));
}

/** Shorter base64 fragments are not specific enough. */
const minPieceLength = 8;
/** Shorter hex may be any number. */
const minHexLength = 8;

/** The encodings in which a secret may appear in a text. */
export function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, "utf8");
  const url = encodeURIComponent(secret.toWellFormed());
  const json = JSON.stringify(secret).slice(1, -1);
  const hex = bytes.toString("hex");
  return [
    secret,
    json,
    // JSON within JSON, as in an error that quotes a body.
    JSON.stringify(json).slice(1, -1),
    url,
    url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    url.replaceAll("%20", "+"),
    ...(hex.length >= minHexLength ? [hex, hex.toUpperCase()] : []),
    ...base64Forms(bytes),
  ];
}

/**
 * The base64 of the whole secret, and the part of it that is the same at any offset in a longer text (`user:password`).
 */
function base64Forms(bytes: Buffer): string[] {
  const encoded = bytes.toString("base64").replace(/=+$/, "");
  const pieces = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    // Characters that also encode bits of neighbouring bytes vary with them.
    const from = before === 0 ? 0 : before + 1;
    const shared = (before + bytes.length) % 3 === 0 ? 0 : 1;
    return text.slice(from, text.length - shared);
  });
  return [encoded, ...pieces]
    .filter((form) => form.length >= minPieceLength)
    .flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]);
}

/** Words of at least `wordBelow` characters that stand in configurations, and in outputs of devices. */
const ordinaryWords = new Set(
  `accepted accounting activate adaptive addresses adjacency administrative administrator advanced advertise
aggregate algorithm application approved assigned attached attribute authenticate authentication
authorization authorized automatic available backbone bandwidth bootloader bridging broadcast business
campaign candidate capability certificate changeme channel-group checkpoint checksum clearpass collector
command-line commands community compatible complete computer condition conditional configuration configure
configured confirmation confirmed connected connection consistent continue controller counters critical
customer database datacenter debugging dedicated default-gateway defaults definition delegated delivery
department description destination detected development dialogue director directory disabled discarded
discover discovery distance distribute distribution document domain-name download duplicate duration
dynamic-vpn emergency employee encapsulation encrypted encryption engineer enterprise environment ericsson
established ethernet exchange executed exported extended external facility failover fallback fastethernet
features firewall firmware fortinet forwarding frequency function gateways gigabitethernet global-protect
graceful hardware headquarters hierarchy hostname identifier identity important inactive incoming
information informational inspection installed instance integrated interface interfaces internal internet
interval inventory isolated keepalive keychain language learning licensed link-state local-user location
loopback maintenance management mandatory measured mediation membership metadata metro-ethernet mikrotik
monitoring multicast neighbor neighbors netscreen networking networks nopassword notification numbered
observed operation operational operations operator optional organization original outbound outgoing override
overview paloalto parameter parameters partition passcode passive-interface passphrase password passwords
peer-group performance permanent permission permitted physical platform policies port-channel portfast
position postgres precedence preferred prefix-list priority privilege privileged problems processes
processor production profiles progress propagate properties property protected protection protocol protocols
provider provision provisioning public-key qualified read-only read-write readonly readwrite recovery
redirect redistribute redundancy reference registered registration relation released reliable remaining
remote-access replaced replication reported requested required reserved resolved resource resources response
restarted restored restrict restricted revision rollback route-map running-config schedule scheduled
secondary secretary sections security selected sequence serial-number services sessions settings severity
shutdown signature simulator snapshot software solution something spanning-tree specific standard startup-
config statement static-route statistics strategy subinterface subscriber subsystem succeeded successful
superuser supervisor supported suppress suspended switches switchport synchronization synchronize
synchronous system-admin tacacs-server technical technology telemetry temperature template
tengigabitethernet terminal testtest threshold timestamp tolerance topology traceroute tracking transfer
transition translation transmit transparent transport trunking ubiquiti undefined uninstall unlimited
unreachable upgraded upstream username usernames validate variable verified versions vertical virtual-router
warnings wildcard wireless withdrawn workgroup workstation`.split(/\s+/),
);

/**
 * Whether a secret is an ordinary text: too short, a word of configurations, or a login name. Masking each occurrence
 * would ruin outputs and reveal the secret by its absence.
 * @param logins names of accounts that the same request logs in with
 */
function isOrdinary(secret: string, logins: Iterable<string> = []): boolean {
  if (secret.length < wordBelow || ordinaryWords.has(secret.toLowerCase())) return true;
  for (const login of logins) if (login.toLowerCase().includes(secret.toLowerCase())) return true;
  return false;
}
