/** The shape of a line: its keywords, with a word for the kind of each value, so that no name, value or secret is left. */
import { keywords } from "./keywords.ts";

/** Behind these a line is text for people, or a name. */
const textFollows: ReadonlySet<string> = new Set(
  `alias banner comment contact description hostname host-name label location message motd remark sysname title`.split(
    " ",
  ),
);
/** Behind these nothing stands as it is, not even a word that is a keyword elsewhere. */
const secretFollows =
  /^(?:(?:[\w+]*-)*(?:secret|password|passwd|passphrase|key|key-string|keystring|community|psk|token|cipher|credential|tcp-md5-auth)|auth|priv|md5|sha\d*|hmac-\S+|authentication|authentication-key|encrypted-password|simple|plain|plaintext|ciphertext)$/;
/** Behind these stands a name, whatever the word. */
const nameFollows: ReadonlySet<string> = new Set(["name", "username", "user", "local-user"]);
/** How long a shape is, and each word that makes it. */
const most = { chars: 300, words: 40 } as const;

const interfaceNames =
  "(?:ae|async|bdi|bond|br|bridge|bridge-aggregation|bundle-ether|bvi|dialer|dum|dummy|em|en[ops]|eth|eth-trunk|ethernet|et-|fa|fastethernet|fo|fortygige?|fourhundredgige|fxp|ge-|gi|gig|gigabitethernet|gre|hu|hundredgige?|irb\\.|lag|lo|loopback|m-gigabitethernet|meth|mg-?mt|mgmteth|management|nve|po|port|port-channel|reth|route-aggregation|se|serial|st0|swp|te|ten-gigabitethernet|tengigabitethernet|tengige|ti|tun|tunnel|twe|twentyfivegige|twohundredgige|veth|virtual-template|vlan|vlanif|vlan-interface|vxlan|xe-|xgigabitethernet|\\d+ge)";

const octet = "(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)";

const kinds: readonly (readonly [RegExp, string])[] = [
  [/^<secret>$/, "<secret>"],
  [new RegExp(`^${octet}(?:\\.${octet}){3}$`), "<ip>"],
  [new RegExp(`^${octet}(?:\\.${octet}){3}/(?:[12]?\\d|3[0-2])$`), "<prefix>"],
  [/^[\da-f]{2}(?:[:-][\da-f]{2}){5}$|^[\da-f]{4}(?:[.-][\da-f]{4}){2}$/, "<mac>"],
  [/^(?=[^/]*:[^/]*:)[\da-f:]*:[\da-f:.]*$/, "<ip6>"],
  [/^(?=[^/]*:[^/]*:)[\da-f:]*:[\da-f:.]*\/\d{1,3}$/, "<prefix6>"],
  [/^\d+$/, "<n>"],
  [/^\d+:\d+$/, "<n:n>"],
  [/^\d+(?:[-,]\d+)+$/, "<numbers>"],
  [/^\d+(?:[/.]\d+)+(?::\d+)?$/, "<port>"],
  [new RegExp(`^${interfaceNames}[-/]?\\d+(?:[/.:]\\d+)*$|^null0$`), "<interface>"],
];

export interface ShapedLine {
  readonly shape: string;
  /** Its words in lower case, one for each of the shape: never stored. */
  readonly words: readonly string[];
}

/** @param line may have marks in place of secrets */
export function shapeOf(line: string): ShapedLine {
  const shape: string[] = [];
  const words: string[] = [];
  let length = 0;
  let isSecret = false;
  const tokens = tokensOf(line);
  for (const [at, token] of tokens.entries()) {
    const word = token.toLowerCase().replace(/[;{}[\]]+$/, "");
    const isLast = words.length >= most.words || length >= most.chars;
    const isName = nameFollows.has(words.at(-1) ?? "") && shape.at(-1) !== "<word>";
    const kind = isLast ? "<more>" : isName && keywords.has(word) ? "<word>" : kindOf(word, isSecret);
    shape.push(kind);
    words.push(word);
    length += kind.length + 1;
    if (isLast) break;
    if (isSecret) continue;
    if (textFollows.has(word) && at < tokens.length - 1) {
      shape.push("<text>");
      words.push("");
      break;
    }
    isSecret = secretFollows.test(word);
  }
  return { shape: shape.join(" "), words };
}

/** Quoted text is one word, and so is the mark of a secret. */
function tokensOf(line: string): string[] {
  return (
    line
      .replaceAll(/<secret [^>]*>/g, "<secret>")
      .slice(0, 4_096)
      .match(/"[^"]*"?|'[^']*'?|\S+/g) ?? []
  );
}

function kindOf(word: string, isSecret: boolean): string {
  if (/^["']/.test(word)) return "<text>";
  if (isSecret) return /^\d$/.test(word) ? "<n>" : "<secret>";
  // Of a name that is a number too, such as an address that is also a keyword, the kind says less.
  if (keywords.has(word) || textFollows.has(word)) return word;
  return kinds.find(([form]) => form.test(word))?.[1] ?? "<word>";
}

/** No system has more; of what lies deeper, the outer ones name the place. */
const mostSections = 8;

/** What names the place of a line: the keywords that its sections begin with, outermost first. */
export function sectionOf(path: readonly string[]): string {
  return path
    .slice(0, mostSections)
    .map((header) => headOf(shapeOf(header).shape))
    .join(" > ");
}

function headOf(shape: string): string {
  const at = shape.indexOf(" <");
  return at < 0 ? shape : shape.slice(0, at);
}

const shapeWord = /^<(?:secret|ip|prefix|mac|ip6|prefix6|n|n:n|numbers|port|interface|text|word|more)>$/;

export const isKindOfValue = (word: string): boolean => shapeWord.test(word);

/** Whether a text can be a shape, or a section: anything else was made by somebody else. */
export function isShape(text: string): boolean {
  return (
    text.length <= 2 * most.chars &&
    text
      .split(" ")
      .every((word) => word === ">" || keywords.has(word) || textFollows.has(word) || shapeWord.test(word))
  );
}
