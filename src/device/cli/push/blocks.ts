/**
 * Blocks of text: lines that the device reads without showing its prompt. Which line opens one, and what ends it, by
 * the platform's data or by what the device says.
 */
import { containing, type Ending, endingOf } from "../../../base/text/text-blocks.ts";
import type { PlatformPlugin } from "../../../plugin/platform.ts";

type Blocks = PlatformPlugin["blocks"];

/** Number of lines after `at` that belong to the block it opens; 0 if it opens none, or one that does not end. */
export function blockLength(lines: readonly string[], at: number, blocks: Blocks): number {
  const ending = endingOf(lines[at] ?? "", blocks);
  if (ending === undefined) return 0;
  const last = lines.findIndex((text, index) => index > at && ending.test(text));
  return last < 0 ? 0 : last - at;
}

/** For each line, whether it is text of a block: typed as it is, for the device reads it without its line editor. */
export function textsIn(lines: readonly string[], blocks: Blocks): readonly boolean[] {
  let end = 0;
  return lines.map((_, at) => {
    if (at < end) return true;
    end = at + 1 + blockLength(lines, at, blocks);
    return false;
  });
}

const longestSaid = 200;
/** Words about an end, as devices use them when they begin to read a text. `End with CNTL/Z` opens no text. */
const announces =
  /\b(?:end|quit|terminat\w+|finish|exit|conclude)\b[^\n]{0,60}\b(?:with|by|containing)\b|\bon (?:its own|a new|a single|a separate) line\b|\bon a line by itself\b|\bat a new line to end\b|\bto end (?:the )?(?:input|text|message)\b/i;
const otherUse = /CNTL|Ctrl[-+]?[ZC]\b/i;

/** The line with which the device said that it reads a text; undefined if it said no such thing. */
export function announcementIn(output: string): string | undefined {
  return output
    .split("\n")
    .findLast((line) => line.length <= longestSaid && announces.test(line) && !otherUse.test(line))
    ?.trim();
}

/** The end that the device has announced: a delimiter, a word, a blank line, a control key; undefined if unclear. */
export function endingSaid(said: string): Ending | undefined {
  const ways = [...endingsIn(said)];
  if (ways.length === 0) return undefined;
  const named = ways.map((way) => way.named).join(" or ");
  return { named, test: (line) => ways.some((way) => way.test(line)) };
}

function* endingsIn(said: string): Generator<Ending> {
  const delimiter = /\b(?:character|delimiter|char)\s*:?\s*(?:['"`“‘](.)['"`”’]|(\S)\s*\.?$)/i.exec(said);
  const sign = delimiter?.[1] ?? delimiter?.[2];
  if (sign !== undefined) yield containing(sign);
  const control = /(?:\^|\b(?:ctrl|control)[-+ ]?)([A-Z])\b/i.exec(said)?.[1];
  if (control !== undefined) {
    const key = String.fromCharCode(control.toUpperCase().charCodeAt(0) - 0x40);
    yield { named: `Ctrl-${control.toUpperCase()}`, test: (line) => line.includes(key) };
  }
  if (/\b(?:blank|empty) line\b/i.test(said))
    yield { named: "an empty line", test: (line) => line.trim() === "" };
  const word =
    /\b(?:the )?word\s+['"`]?([\w-]+)/i.exec(said)?.[1] ??
    /['"`“‘]([^'"`”’\s][^'"`”’]{0,30})['"`”’] on (?:its own line|a \w+ line|a line by itself)/i.exec(
      said,
    )?.[1] ??
    /\b(?:line )?containing only\s+['"`]?([^'"`:\n]{1,30}?)['"`]?\s*[:.]?\s*$/i.exec(said)?.[1] ??
    /\b([A-Z]{3,10}) on (?:its own line|a \w+ line|a line by itself)/.exec(said)?.[1] ??
    (/\b(?:period|dot|full stop)\b|['"]\.['"]/i.test(said) ? "." : undefined);
  if (word !== undefined)
    yield { named: `the line ${JSON.stringify(word)}`, test: (line) => line.trim() === word };
}

/**
 * Prompts for the rest of an unfinished line: `> ` of the Bourne shells, `quote> ` of zsh, `foreach? ` of csh, `... ` of
 * Python, `+>` of Tcl, `{... ` of RouterOS.
 */
const secondary =
  /^(?:>|(?:(?:always|begin|bquote|braceparam|case|cmdand|cmdor|cmdsubst|cond|cursh|dquote|elif|else|errprompt|for|foreach|function|heredocd?|if|math|mathsubst|pipe|quote|repeat|select|subsh|switch|then|until|while) ?)+>|\?|(?:foreach|if|switch|while)\?|[\\{"'([$]?\.\.\.) $|^\+>$/;

/** Whether the line asks for the rest of what was typed; `known` if the platform declares it. */
export function secondaryPrompt(line: string, continues: RegExp | undefined): "known" | "likely" | undefined {
  if (continues?.test(line) === true) return "known";
  return secondary.test(line) ? "likely" : undefined;
}
