/** Turns URLs and mail addresses in text into links. */

import { BLANK, escapeHtml } from "../../python/index.ts";
export interface LinkOptions {
  /** Longer addresses are truncated. */
  readonly limit: number | undefined;
  readonly rel: string;
  readonly target: string | undefined;
  /** Link schemes besides http and https. */
  readonly schemes: readonly string[];
}

const BLANKS = new RegExp(`(${BLANK}+)`);
const W = "[\\p{L}\\p{N}_%-]";
const HTTP = new RegExp(
  "^(?:" +
    `(?:https?:\\/\\/|www\\.)(?:(?:${W}+\\.)+)?(?:[a-z]{2,63}|xn--[\\p{L}\\p{N}_%]{2,59})` +
    `|(?:${W}{2,63}\\.)+(?:com|net|int|edu|gov|org|info|mil)` +
    "|https?:\\/\\/(?:\\d{1,3}(?:\\.\\d{1,3}){3}|\\[(?:[\\da-f]{0,4}:){2}(?:[\\da-f]{0,4}:?){1,6}\\])" +
    ")(?::\\d{1,5})?(?:[/?#]\\S*)?\\n?$",
  "iu",
);
const EMAIL = /^\S+@[\p{L}\p{N}_][\p{L}\p{N}_.-]*\.[\p{L}\p{N}_]+$/u;
const PAIRS = [
  ["(", ")"],
  ["<", ">"],
  ["&lt;", "&gt;"],
] as const;

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

/** Strips leading brackets and trailing punctuation from an address; balanced closing brackets stay. */
function trimmed(word: string): { head: string; middle: string; tail: string } {
  const head = /^(?:[(<]|&lt;)+/.exec(word)?.[0] ?? "";
  let middle = word.slice(head.length);
  let tail = "";
  for (let end = trailing(middle); end !== undefined; end = trailing(middle)) {
    tail = end + tail;
    middle = middle.slice(0, middle.length - end.length);
  }
  for (const [open, close] of PAIRS) {
    const opened = count(middle, open);
    if (opened <= count(middle, close)) continue;
    for (let remaining = Math.min(opened, count(tail, close)); remaining > 0; remaining--) {
      const end = tail.indexOf(close) + close.length;
      middle += tail.slice(0, end);
      tail = tail.slice(end);
    }
  }
  return { head, middle, tail };
}

function trailing(text: string): string | undefined {
  if (text.endsWith("&gt;")) return "&gt;";
  const last = text.at(-1);
  return last !== undefined && ")>.,\n".includes(last) ? last : undefined;
}

/** @param html text that is already escaped. */
export function linkText(html: string, options: LinkOptions): string {
  const rel = options.rel === "" ? "" : ` rel="${escapeHtml(options.rel)}"`;
  const target =
    options.target === undefined || options.target === "" ? "" : ` target="${escapeHtml(options.target)}"`;
  const shortened = (text: string): string => {
    const { limit } = options;
    return limit !== undefined && text.length > limit ? `${text.slice(0, limit)}...` : text;
  };
  const linked = (word: string): string => {
    if (HTTP.test(word)) {
      const address = /^https?:\/\//.test(word) ? word : `https://${word}`;
      return `<a href="${address}"${rel}${target}>${shortened(word)}</a>`;
    }
    if (word.startsWith("mailto:") && EMAIL.test(word.slice(7)))
      return `<a href="${word}">${word.slice(7)}</a>`;
    if (word.includes("@") && !word.startsWith("www.") && !word.includes(":") && EMAIL.test(word))
      return `<a href="mailto:${word}">${word}</a>`;
    const hasScheme = options.schemes.some((scheme) => word !== scheme && word.startsWith(scheme));
    return hasScheme ? `<a href="${word}"${rel}${target}>${word}</a>` : word;
  };
  return html
    .split(BLANKS)
    .map((part, i) => {
      if (i % 2 === 1) return part;
      const { head, middle, tail } = trimmed(part);
      return head + linked(middle) + tail;
    })
    .join("");
}
