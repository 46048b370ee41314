/** The general rules for secrets: by the words before them and by their form, on any system. */
import { type Atom, atomsOf } from "../atoms.ts";

/** A secret in a line; `to` is behind its last character. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** What the lines above a line say about it, in lower case, the nearest first. */
export interface Surroundings {
  /** A statement ends with a semicolon. */
  readonly braces: boolean;
  /** The line is text that people read: a banner. */
  readonly prose: boolean;
  parents(): readonly string[];
}

/** Whether a line may hold a secret; all others are left as they are. */
const hint =
  /pass|secret|key|psk|communit|token|md5|sha|hash|cipher|encrypt|credential|auth|priv|\$|%[\^@$#+]|ENC |:\/\/|-AQ==|snmp|spi |securityname|bearer|crypt|pbkdf2|hexadecimal-|AKIA|eyJ|gh[pousr]_|glpat-|xox[abpr]-|pwd|LS0tLS1CRUdJTi/i;

export const mayHoldSecret = (line: string): boolean => hint.test(line);

/** @param line that may hold one */
export function secretSpans(line: string, around: Surroundings): Span[] {
  const spans = spansByForm(line);
  if (around.prose) return spans;
  if (line.includes("</")) spans.push(...spansInElements(line));
  const atoms = atomsOf(line, around.braces);
  const isComment = /^\s*!/.test(line);
  spans.push(...(isComment ? [] : spansByWords(line, atoms, around)));
  return spans;
}

/** Forms that are secrets wherever they stand; the last group, or the whole match, is the secret. */
const forms: readonly RegExp[] = [
  // Hashes and ciphers that name their method: `$1$…`, `$9$…`, `$sha512$5000$…`, `$c$3$…`, `$2y$10$…`.
  /(?<![\w$])\$(?:\d{1,2}[a-z]?|y|[a-z]{1,3}\d?|sha\d{1,3}|pbkdf2[\w-]{0,16}|argon2\w{0,2}|bcrypt|scrypt)\$[^\s"';,<>]{4,}/g,
  // VRP.
  /(?<![^\s"'])%[\^@$#+]%[\^@$#+]\S{4,}/g,
  /\bENC ([A-Za-z0-9+/=_-]{8,})/g,
  // PAN-OS, encrypted with the master key.
  /-AQ==[A-Za-z0-9+/=]{8,}/g,
  /\{(?:S?SHA(?:\d{3})?|S?MD5|CRYPT|PBKDF2[\w-]{0,16})\}([^\s"';,<>]{4,})/gi,
  // SR OS names its method within the quotes.
  /"([^"\s]{4,}) hash2?"/g,
  // Account data of a URL, and its parameters.
  /:\/\/[^\s/:@"']{1,128}:([^\s/@"']{1,256})@/g,
  /[?&](?:token|key|password|passwd|secret|api_?key|access_token)=([^&\s"']{1,4096})/gi,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/g,
  /\b(?:gh[pousr]_|glpat-|xox[abpr]-)[\w-]{16,}/g,
  // A private key of PEM, in base64: `-----BEGIN … PRIVATE KEY`, whichever letter it begins at.
  /(?<![A-Za-z0-9+/])LS0tLS1CRUdJTi[A-Za-z0-9+/]{1,24}(?:UklWQVRFIEtFW|JJVkFURSBLRV|SSVZBVEUgS0VZ)[A-Za-z0-9+/=]*/g,
  /\bbearer +([\w.~+/=-]{8,})/gi,
];

function spansByForm(line: string): Span[] {
  return forms.flatMap((form) =>
    [...line.matchAll(form)].map((match) => {
      const secret = match[1] ?? match[0];
      const from = match.index + match[0].lastIndexOf(secret);
      return { from, to: from + secret.length };
    }),
  );
}

/** `<password>…</password>` */
function spansInElements(line: string): Span[] {
  const spans: Span[] = [];
  let open = line.indexOf("<");
  let close = -1;
  while (open >= 0) {
    const next = line.indexOf("<", open + 1);
    if (next < 0) break;
    if (close < open) close = line.indexOf(">", open);
    if (close < 0) break;
    if (close < next - 1 && line[next + 1] === "/" && close - open < 256) {
      const element = /^<(?:[\w.-]{1,64}:)?([\w.-]{1,64})/.exec(line.slice(open, close + 1))?.[1];
      if (element !== undefined && namesSecret(element.toLowerCase()) && isValue(line.slice(close + 1, next)))
        spans.push({ from: close + 1, to: next });
    }
    open = next;
  }
  return spans;
}

/** A name whose value is a secret, if an equals sign, a colon or an element says that it is a value. */
const secretName =
  /(?:pass|password\d?(?:-hashed)?|passwd|passphrase|pass-phrase|passcode|passkey|(?:^|[-_.])(?:bind|root)?pw|(?:^|[-_.])pwd|bindpw|rootpw|secret(?:-key-hashed)?|psk|psks|pre-?shared-?key|phash|community(?:-string)?|community-or-user|credential|privatekey|presharedkey|(?:^|[-_.:])(?:key|token)|(?:access|refresh|bearer|auth|api|session|secret)-?token|key-value|keystring|hexadecimal-string|(?:auth|authentication|encryption|privacy|priv|md5|api|shared|static|wep|wpa|wireless|access|private|session|tcp-md5)[-_.]?key\d?|api-?token|authtoken|accesstoken|key-?string|authpwd|privpwd|auth-pwd|priv-pwd)$/;
const noSecretName =
  /(?:public|host|ssh|trusted|foreign|primary|index|sort|object|map|cache|lookup|tunnel|gre|ike|ipsec|rsa|dsa|ecdsa|ed25519)[-_.]?key$|^(?:no|use|allow|require|change|expire|save)[-_]|(?:change|expire|check|require|show|hide)[-_]pass(?:word)?$/;

/** Whether the value of this name, in lower case, is a secret. */
export const namesSecret = (name: string): boolean =>
  name.length <= 64 && secretName.test(name) && !noSecretName.test(name);

/** Values of settings, and what a device shows in place of a secret. */
export const settings: ReadonlySet<string> = new Set(
  "yes no true false on off enable enabled disable disabled none null default required optional any".split(
    " ",
  ),
);
const hidden = /^(?:\*+|<(?:removed|hidden|secret|password)>|\[(?:removed|hidden)\])$/i;
const punctuation = /^[[\](){};,:=<>|&]+$/;

export const isValue = (text: string): boolean =>
  text !== "" && !punctuation.test(text) && !hidden.test(text) && !text.startsWith("-----BEGIN ");

/** Words after which the secret comes, in the language of a command line. */
const secretWord =
  /^(?:(?:[a-z0-9]+-)*(?:password|passwd|passphrase|pass-phrase|secret|psk|pre-shared-key|preshared-key|pre-shared-secret|shared-key|server-key|encrypted-key|auth-key|authentication-key|privacy-key|private-key|key-string|keystring|md5-key|hmac-key|master-key|wep-key|wireless-key|wpa-key|api-key|auth-token|api-token)|message-digest-key|authpwd|privpwd|auth-pwd|priv-pwd|auth-pass|priv-pass|phash|psksecret|phase1-psk|sharedsecret|community-map|wireless-key\d)$/;
const noSecretWord =
  /^(?:no|deny|use|allow|service|save|show|one-time|plain-text|change|force|require|bad|weak|default|minimum|maximum|expired?)-/;

/** Words between such a word and the secret. */
const between = new Set(
  "ENC auth-pass priv-pass authentication accounting key-value type ietf-md5 encrypted cipher simple plain plaintext ciphertext hash hashed irreversible-cipher clear cleartext clear-text ascii ascii-text hex hexadecimal enc unencrypted md5 sha sha1 sha-1 sha2 sha256 sha-256 sha384 sha-384 sha512 sha-512 sha224 sha-224 sm3 hmac-md5 hmac-sha hmac-sha-1 hmac-sha1 hmac-sha-256 hmac-sha256 hmac-sha512 cmac-aes-128 aes-128-cmac aes-256-cmac aes-128-cmac-96 keyed-md5 bcrypt scrypt pbkdf2 local remote set-key pass-phrase text password secret key key-string manager operator value string nt-encrypted sha512-password localized localized-key algorithm-type type-6 type6 des 3des des56 aes aes128 aes192 aes256 aes-128 aes-192 aes-256 cfb 128 192 256".split(
    " ",
  ),
);
/** Words between them that have a value of their own. */
const betweenWithValue = new Set(["user-name", "level", "role", "option", "for"]);

/** What follows a password that is a setting: `password encryption aes`. */
const settingWords = new Set(
  "encryption policy policies expiry expire expiration aging history min-length minimum maximum minimum-length maximum-length length strength strength-check strength-check-enable complexity recovery control timeout prompt required rollover lifetime storage-policy secure-mode encryption-key format change-type alert authentication publickey keyboard keyboard-interactive hostbased retry attempts lockout character-set numbers upper-cases lower-cases punctuations minimum-numerics minimum-upper-cases minimum-lower-cases minimum-punctuations minimum-changes minimum-reuse minimum-character-changes add remove set unset key-chain keychain reset age change check hash-algorithm restriction mode warn-interval".split(
    " ",
  ),
);
/** What follows a secret: it was one word. */
const trailing = new Set(
  "encrypted hidden pbkdf2 privilege role level hash hash2 nt-encrypted mschap roles group service-type level-1 level-2 level-1-2 address hostname localizedkey localized auth-port acct-port timeout retransmit authentication accounting".split(
    " ",
  ),
);
/** Words whose next word is a name, whatever it looks like. */
const namers = new Set(
  "service group policy policy-statement proposal network user username user-name interface vlan policy-map class-map class route-map prefix-list access-list view vrf view-name object object-group group-policy tunnel-group profile list server-group extended standard name hostname host sent-username local-user account acl filter zone usm-user trustpoint chain subject-name dn root-dn".split(
    " ",
  ),
);
/** The rest of the line is written for people. */
const freeText = new Set([
  "description",
  "remark",
  "descr",
  "comment",
  "desc",
  "comments",
  "alias",
  "location",
  "contact",
]);

const isNumber = (word: string) => /^\d{1,5}$/.test(word);
const typeNumber = /^(?:\d|1[0-5])$/;

function spansByWords(line: string, atoms: readonly Atom[], around: Surroundings): Span[] {
  const spans: Span[] = [];
  const context = createContext(atoms, around);
  const take = (atom: Atom | undefined) => {
    if (atom === undefined || !isValue(atom.text)) return;
    // SR OS names its method within the quotes.
    const method = atom.quoted ? (/ hash2?$/.exec(atom.text)?.[0].length ?? 0) : 0;
    spans.push({ from: atom.from, to: atom.end - method });
  };
  for (let at = 0; at < atoms.length; at++) {
    const atom = atoms[at];
    if (atom === undefined) break;
    // Words of a command are written small: `PASSWORD` is a name.
    const word = atom.names || atom.text === atom.word ? atom.word : "";
    const next = atoms[at + 1];
    if (next === undefined) break;
    if (atom.names) {
      const value = next.word === "enc" && !next.quoted ? (atoms[at + 2] ?? next) : next;
      if (namesSecret(word) && !settings.has(value.word)) take(value);
      // The value may itself begin with a name: `"a": {"b": …`.
      if (!isValue(next.text) || next.names) continue;
      at++;
    } else if (freeText.has(word)) {
      if (!next.quoted) break;
      at++;
    } else if (word === "##" && next.word === "secret-data") {
      const quoted = atoms.slice(Math.max(0, at - 8), at).findLast(({ quoted }) => quoted);
      if (quoted !== undefined && !/^(?:ssh|ecdsa|sk)-/.test(quoted.text)) take(quoted);
    } else if (word === "hash2" || (word === "hash" && atoms[at - 1]?.quoted === true)) take(atoms[at - 1]);
    else if (namers.has(word) && at + 2 < atoms.length && !secretWord.test(word)) at++;
    else if (word !== "") {
      const found = valueAfter(atoms, at, context);
      if (found === undefined) {
        // The name of a list of BGP communities.
        if (word === "community") at++;
        continue;
      }
      const isOpen = takesRest(atoms, at, found, context.first);
      if (isOpen) {
        const begin = atoms[found]?.from ?? line.length;
        spans.push({ from: begin, to: line.length });
        break;
      }
      take(atoms[found]);
      at = found;
    }
  }
  if (atoms.at(-1)?.word === "hash2") take(atoms.at(-2));
  return spans;
}

/** What a line is about stands in its first words. */
const mostWords = 24;

interface Context {
  readonly first: string;
  has(...words: readonly string[]): boolean;
  /** A line above begins with one of these. */
  below(pattern: RegExp): boolean;
}

function createContext(atoms: readonly Atom[], around: Surroundings): Context {
  const words = new Set(atoms.slice(0, mostWords).map(({ word }) => word));
  let parents: readonly string[] | undefined;
  return {
    first: atoms[0]?.word ?? "",
    has: (...asked) => asked.some((word) => words.has(word)),
    below(pattern) {
      parents ??= around.parents();
      return parents.some((parent) => pattern.test(parent));
    },
  };
}

/** The place of the secret that this word announces. */
function valueAfter(atoms: readonly Atom[], at: number, context: Context): number | undefined {
  const { word } = atoms[at] ?? { word: "" };
  if (secretWord.test(word) && !noSecretWord.test(word)) return afterSecretWord(atoms, at);
  if (at === 1 && context.first === "set" && namesSecret(word) && !settings.has(atoms[2]?.word ?? ""))
    return /^(?:key|token|community)$/.test(word) ? undefined : afterSecretWord(atoms, at);
  if (word === "key") return afterKey(atoms, at, context);
  if (word === "community") return afterCommunity(atoms, at, context);
  if (word === "host" || word === "host-list") return undefined;
  if (word === "securityname") return context.has("v3") ? undefined : afterSecretWord(atoms, at);
  if (word.endsWith("authentication-mode") || word.endsWith("privacy-mode")) return afterMode(atoms, at);
  if (/^(?:auth|authentication|priv|privacy)$/.test(word)) return afterAuthentication(atoms, at, context);
  if (word === "spi") return hexAfter(atoms, at);
  if (word === "session-key") return hexAfter(atoms, at);
  if (word === "encrypted") return atoms[at + 1]?.quoted === true ? at + 1 : undefined;
  if (/^(?:irreversible-)?cipher$/.test(word) && at > 0)
    return atoms[at + 1]?.text.length === 24 || (atoms[at + 1]?.text.length ?? 0) > 40 ? at + 1 : undefined;
  if (word === "passwd-hash" || word === "hash-value") return at + 1;
  return undefined;
}

function afterSecretWord(atoms: readonly Atom[], at: number): number | undefined {
  const before = atoms[at - 1]?.word ?? "";
  // A list of methods: `authentication-order [ password radius ]`.
  if (before === "[" || before.endsWith("-order") || before.endsWith("-methods") || before === "algorithm")
    return undefined;
  const next = atoms[at + 1];
  if (next === undefined) return undefined;
  const isSetting = settingWords.has(next.word) && !next.quoted;
  const isAlways = /-|^(?:required|publickey|keyboard|hostbased)$/.test(next.word);
  if (isSetting && (isAlways || atoms.length > at + 2)) return undefined;
  if (next.word === "address" || (next.word === "hostname" && atoms.length > at + 2)) return undefined;
  return skipBetween(atoms, at);
}

/** The first word that is neither a number nor a method, or else the last word. */
function skipBetween(atoms: readonly Atom[], at: number): number | undefined {
  let value = at + 1;
  for (let steps = 0; steps < 10; steps++) {
    const atom = atoms[value];
    const following = atoms[value + 1];
    if (atom === undefined) return undefined;
    // The number of a key whose text is on a line below.
    if (following?.text === "{" && isNumber(atom.word)) return undefined;
    if (following === undefined || punctuation.test(following.text) || atom.quoted) break;
    if (betweenWithValue.has(atom.word) && atoms[value + 2] !== undefined) value += 2;
    else if (between.has(atom.text)) value++;
    else if (isNumber(atom.word) && !trailing.has(following.word)) value++;
    else break;
  }
  return punctuation.test(atoms[value]?.text ?? "{") ? undefined : value;
}

/** IOS reads a clear password to the end of its line. */
function takesRest(atoms: readonly Atom[], at: number, value: number, first: string): boolean {
  const { word } = atoms[at] ?? { word: "" };
  const isLine =
    (/^(?:password|secret)$/.test(word) && /^(?:password|enable|username|secret)$/.test(first)) ||
    (word === "key" && at === 1 && /^(?:tacacs|radius)-server$/.test(first)) ||
    (word === "key-string" && at === 0);
  if (!isLine || at > 8 || atoms[value]?.quoted === true || value + 1 >= atoms.length) return false;
  const type = atoms[value - 1]?.word ?? "";
  if (type !== "0" && type !== word) return false;
  return !atoms.slice(value + 1).some((atom) => trailing.has(atom.word) || punctuation.test(atom.text));
}

function afterKey(atoms: readonly Atom[], at: number, context: Context): number | undefined {
  const next = atoms[at + 1];
  if (next === undefined || next.word === "chain" || next.word === "generate" || next.word === "config-key")
    return next?.word === "config-key" && atoms.length > at + 3 ? at + 3 : undefined;
  const isTyped = typeNumber.test(next.word) && atoms[at + 2] !== undefined;
  // The number of a key: its text is on a line below.
  const isOfChain = context.below(/^\s*key[- ]?chain\b|^\s*authentication-key-?chain/);
  if (at === 0 && isOfChain && isNumber(next.word)) return undefined;
  if (context.has("tunnel", "crypto", "ssh", "public", "pubkey-chain") && !context.has("isakmp"))
    return undefined;
  const isKnown =
    context.has(
      ...[
        "tacacs-server",
        "radius-server",
        "tacacs",
        "radius",
        "isakmp",
        "failover",
        "hwtacacs",
        "server-private",
      ],
      ...[
        "pre-shared-key",
        "isis",
        "ospf",
        "bgp",
        "primary",
        "secondary",
        "radius-client",
        "wep",
        "tacplus",
        "ldap",
      ],
    ) || context.below(/^\s*(?:set )?(?:aaa|tacacs|radius|hwtacacs|server\b|isis|ospf|router)/);
  if (context.has("encryption")) {
    // `encryption key 1 size 128bit 7 … transmit-key`
    const size = atoms.slice(0, mostWords).findIndex(({ word }) => word === "size");
    return size < 0 ? (isTyped ? skipBetween(atoms, at) : undefined) : skipBetween(atoms, size + 1);
  }
  const isWhole = at === 0 && atoms.length === 2 && !next.quoted && !isNumber(next.word) && isKnown;
  if (between.has(next.word) && atoms[at + 2] !== undefined) return skipBetween(atoms, at);
  return isTyped || isKnown || isWhole || next.quoted ? skipBetween(atoms, at) : undefined;
}

const communityKinds = new Set(
  "read write readonly readwrite read-only read-write cipher simple encrypted clear plain plaintext index name string".split(
    " ",
  ),
);

/** An SNMP community; those of BGP are none. */
function afterCommunity(atoms: readonly Atom[], at: number, context: Context): number | undefined {
  const isSnmp =
    atoms
      .slice(0, Math.min(at, mostWords))
      .some(({ word }) => word.startsWith("snmp") || word.startsWith("/snmp")) ||
    context.below(/^\s*(?:config (?:system )?)?snmp|^\s*(?:edit )?snmp/);
  if (!isSnmp || /^(?:set|add|remove|print)$/.test(atoms[at + 1]?.word ?? "")) return undefined;
  let value = at + 1;
  while (atoms[value + 1] !== undefined) {
    const { word, quoted } = atoms[value] ?? { word: "", quoted: true };
    if (quoted) break;
    if (word === "index") value += 2;
    else if (communityKinds.has(word)) value++;
    else if (/^[078]$/.test(word) && !/^(?:ro|rw|view|group|ipv[46])$/.test(atoms[value + 1]?.word ?? ""))
      value++;
    else break;
  }
  return value < atoms.length ? value : undefined;
}

/** `authentication-mode md5 1 cipher …`; a mode alone has no secret. */
function afterMode(atoms: readonly Atom[], at: number): number | undefined {
  const next = atoms[at + 1];
  if (next === undefined || !between.has(next.word) || atoms[at + 2] === undefined) return undefined;
  const value = skipBetween(atoms, at);
  const word = atoms[value ?? 0]?.word ?? "";
  return value === at + 1 || /^(?:privacy-mode|acl|keychain|none|null|rfc\d+|nonstandard|usual)$/.test(word)
    ? undefined
    : value;
}

/** SNMPv3 users, and the virtual gateways of HSRP, VRRP and GLBP. */
function afterAuthentication(atoms: readonly Atom[], at: number, context: Context): number | undefined {
  const { word } = atoms[at] ?? { word: "" };
  const isUser =
    context.has("user", "usm-user", "remote-user") &&
    (context.has("snmp-server", "snmp-agent", "snmpv3", "snmp") || context.below(/^\s*snmp/));
  const isGateway =
    word === "authentication" &&
    (/^(?:standby|vrrp|glbp|hsrp)$/.test(context.first) ||
      context.has("nhrp") ||
      context.below(/^\s*(?:hsrp|vrrp|glbp)/));
  if (!isUser && !isGateway) return undefined;
  if (/^(?:key-chain|keychain|mode|none|null|read|write|notify)$/.test(atoms[at + 1]?.word ?? ""))
    return undefined;
  const value = skipBetween(atoms, at);
  const isMethod = value === undefined || (isUser && between.has(atoms[value]?.word ?? ""));
  return isMethod || /^(?:priv|privacy|auth|access|key-chain)$/.test(atoms[value]?.word ?? "")
    ? undefined
    : value;
}

/** Keys of IPsec, in hexadecimal. */
function hexAfter(atoms: readonly Atom[], at: number): number | undefined {
  for (let value = at + 1; value < Math.min(atoms.length, at + 12); value++) {
    if (/^(?:0x)?[0-9a-f]{16,}$/i.test(atoms[value]?.text ?? "")) return value;
  }
  return undefined;
}

/** The community of a trap receiver: `snmp-server host 192.0.2.1 version 2c …`. */
export function trapCommunity(line: string, braces: boolean): Span | undefined {
  if (!line.includes("snmp-server host")) return undefined;
  const atoms = atomsOf(line, braces);
  let at = 2;
  if (atoms[1]?.word !== "host" || atoms.some(({ word }) => word === "community" || word === "3"))
    return undefined;
  // ASA names the interface before the address.
  if (/^[a-z]/.test(atoms[at]?.word ?? "") && /^[\d.]+$/.test(atoms[at + 1]?.word ?? "")) at++;
  at++;
  for (; at < atoms.length; at++) {
    const { word } = atoms[at] ?? { word: "" };
    if (/^(?:version|vrf|use-vrf|udp-port|port)$/.test(word)) at++;
    else if (!/^(?:traps?|informs?|encrypted|clear|v?1|v?2c?|[07])$/.test(word)) break;
    else if (/^[07]$/.test(word) && atoms[at + 1] === undefined) break;
  }
  const value = atoms[at];
  if (value === undefined || value.word === "source-interface" || value.word === "filter-vrf")
    return undefined;
  return { from: value.from, to: value.to };
}
