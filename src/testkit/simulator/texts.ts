/** Lines after which a simulated device reads on: the text of a block, or the rest of an unfinished line. */
import type { PlatformPlugin } from "../../plugin/platform.ts";
import type { Reaction } from "./device.ts";

/**
 * @param done takes the line with its text once the text has ended
 * @returns undefined if the line is complete
 */
export function readsOn(
  platform: PlatformPlugin,
  line: string,
  done: (text: string) => Reaction,
): Reaction | undefined {
  const secondary = secondaryOf(platform);
  const ends = endOf(platform, line);
  if (ends !== undefined)
    return next(line, ends.says, platform.continues === undefined ? "" : secondary(line));
  const isOver = (text: string) => !isUnfinished(text, platform);
  return platform.continues === undefined || isOver(line) ? undefined : next(line, "", secondary(line));

  function next(text: string, says: string, asks: string): Reaction {
    const answered = (reply: string): Reaction => {
      const whole = `${text}\n${reply}`;
      const over = ends === undefined ? isOver(whole) : ends.test(reply);
      return over ? done(whole) : next(whole, "", ends === undefined ? secondary(whole) : asks);
    };
    return { output: says, asks: { text: asks, hidden: false, answered } };
  }
}

interface End {
  readonly says: string;
  test(line: string): boolean;
}

function endOf({ blocks = [] }: PlatformPlugin, line: string): End | undefined {
  for (const { start, end, says = "" } of blocks) {
    const match = start.exec(line);
    if (match === null) continue;
    const sign = match[1] ?? "";
    if (end === undefined && line.slice(match.index + match[0].length).includes(sign)) return undefined;
    return {
      says: says.replace("$1", () => sign),
      test: (text) => (end === undefined ? text.includes(sign) : end.test(text)),
    };
  }
  return undefined;
}

/** The first wording that the platform knows as a prompt for the rest of a line. */
function secondaryOf({ continues }: PlatformPlugin): (text: string) => string {
  return (text) => {
    const sign = text.endsWith("\\") ? "\\" : isOdd(text, /(?<!\\)"/g) ? '"' : "{";
    return [`${sign}... `, "> "].find((wording) => continues?.exec(wording)?.[0] === wording) ?? "> ";
  };
}

function isUnfinished(text: string, { hiddenState }: PlatformPlugin): boolean {
  if (text.endsWith("\\") || isOdd(text, /(?<!\\)"/g)) return true;
  if (hiddenState !== true) return count(text, /\{/g) > count(text, /\}/g);
  const document = /<<-?\s*(['"]?)(\w+)\1/.exec(text)?.[2];
  if (document !== undefined) return !text.split("\n").slice(1).includes(document);
  return isOdd(text.replace(/"[^"]*"/g, ""), /'/g);
}

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
const isOdd = (text: string, pattern: RegExp) => count(text, pattern) % 2 === 1;
