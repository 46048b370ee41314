/** Makes links of the addresses in a text. */
import { escapeHtml } from "../../python/html.ts";

export interface LinkOptions {
  /** Longer addresses are shown cut. */
  readonly limit: number | undefined;
  readonly rel: string;
  readonly target: string | undefined;
  /** Prefixes that make a link besides http and https. */
  readonly schemes: readonly string[];
}

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

/** What surrounds an address: brackets before, punctuation behind; closing brackets that belong to it stay. */
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
    for (let left = Math.min(opened, count(tail, close)); left > 0; left--) {
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

/** @param html text that is escaped already. */
export function linkText(html: string, options: LinkOptions): string {
  const rel = options.rel === "" ? "" : ` rel="${escapeHtml(options.rel)}"`;
  const target =
    options.target === undefined || options.target === "" ? "" : ` target="${escapeHtml(options.target)}"`;
  const shown = (text: string): string => {
    const { limit } = options;
    return limit !== undefined && text.length > limit ? `${text.slice(0, limit)}...` : text;
  };
  const link = (word: string): string => {
    const { head, middle, tail } = trimmed(word);
    let body = middle;
    if (HTTP.test(middle)) {
      const address = /^https?:\/\//.test(middle) ? middle : `https://${middle}`;
      body = `<a href="${address}"${rel}${target}>${shown(middle)}</a>`;
    } else if (middle.startsWith("mailto:") && EMAIL.test(middle.slice(7))) {
      body = `<a href="${middle}">${middle.slice(7)}</a>`;
    } else if (
      middle.includes("@") &&
      !middle.startsWith("www.") &&
      !middle.includes(":") &&
      EMAIL.test(middle)
    ) {
      body = `<a href="mailto:${middle}">${middle}</a>`;
    } else {
      for (const scheme of options.schemes) {
        if (middle !== scheme && middle.startsWith(scheme)) {
          body = `<a href="${middle}"${rel}${target}>${middle}</a>`;
          break;
        }
      }
    }
    return head + body + tail;
  };
  return html
    .split(/(\s+)/)
    .map((part, i) => (i % 2 === 1 ? part : link(part)))
    .join("");
}
