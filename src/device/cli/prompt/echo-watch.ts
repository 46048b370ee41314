/** Follows the echo of one exchange: before it, only the rest of the previous answer can have come. */
import type { View } from "../exchange/channel.ts";
import { type Exchange, inputText } from "../exchange/exchange.ts";
import type { CompiledPlatform } from "../platform.ts";
import { afterEcho, findEcho, resembles } from "../text/echo.ts";
import { lastLineOf, type Prompt } from "./prompt.ts";

/** What the session knows about echoes when a line is typed. */
export interface Echoing {
  /**
   * Whether the device echoes what is typed at a prompt: `unknown` before the first line, `no` after a line that it
   * answered without.
   */
  readonly state: "yes" | "unknown" | "no";
  /** The line is typed at a prompt, where it is echoed, and not at a question. */
  readonly atPrompt: boolean;
  /** The lines typed before, whose echo may be late. */
  readonly before: readonly string[];
}

export interface EchoWatch {
  /** Offset of the end of the echo. */
  end(view: View): number | undefined;
  /** Whether a prompt may be accepted as far as the echo is concerned. */
  seen(view: View): boolean;
  /** Whether the last of several lines was echoed. */
  lastSeen(view: View): boolean;
  /** Whether the device has echoed the typed text, as it is or altered; undefined if that does not show. */
  echoed(view: View): boolean | undefined;
  /** Milliseconds that whatever seems to end the answer has to wait for the echo; 0 once it was seen. */
  awaitedMs(view: View): number;
}

/**
 * A device that echoes answers a line without its echo at most once in a session, if a command has switched the echo
 * off. It stalls far more often: what came before the echo is the end of the previous answer.
 */
const unechoedMs = { yes: 6000, unknown: 1500, no: 0 } as const;
/** Repeated prompts and messages before the echo. */
const mostLines = 12;

export function createEchoWatch(
  exchange: Exchange,
  platform: CompiledPlatform,
  currentPrompt: Prompt | undefined,
  echoing: Echoing,
  slowness: number,
): EchoWatch {
  const { input, verifyEcho, totalMs = Number.POSITIVE_INFINITY } = exchange;
  const text = inputText(input, platform.newline);
  const isSilent = input.kind === "nothing" || input.kind === "secret" || !platform.echoes;
  const isShown =
    input.kind === "line" &&
    text.trim() !== "" &&
    echoing.atPrompt &&
    platform.echoes &&
    verifyEcho !== false;
  const lastLine = input.kind === "lines" && platform.echoes ? (input.lines.at(-1) ?? "").trim() : "";
  let isLastSeen = lastLine === "";
  let found: number | undefined;

  function end(view: View): number | undefined {
    if (isSilent) return undefined;
    // The echo is nearly always the first line; the KiB after it need no search.
    found ??=
      (text.trim() === "" ? undefined : afterEcho(view.firstLine(), text)) ??
      findEcho(view.start(), view.head(), text, currentPrompt);
    return found;
  }

  function lastSeen(view: View): boolean {
    isLastSeen ||= view.text().includes(lastLine);
    return isLastSeen;
  }

  function echoed(view: View): boolean | undefined {
    if (lastLine !== "" && lastSeen(view)) return true;
    if (!isShown) return undefined;
    return end(view) !== undefined || isLike(view.start());
  }

  /** The device shows the line otherwise: it has hidden a secret in it, or lacks a character. */
  function isLike(start: string): boolean {
    const prompt = currentPrompt === undefined ? "" : lastLineOf(currentPrompt.text);
    return start.split("\n", mostLines).some((line, at) => {
      const behind = prompt !== "" && line.startsWith(prompt);
      return (
        (behind || at === 0) && resembles(behind ? line.slice(prompt.length) : line, text, echoing.before)
      );
    });
  }

  return {
    end,
    seen: (view) => verifyEcho === false || isSilent || end(view) !== undefined,
    lastSeen,
    echoed,
    awaitedMs: (view) =>
      !isShown || echoing.state === "no" || echoed(view) === true
        ? 0
        : Math.min(unechoedMs[echoing.state] * slowness, totalMs / 2),
  };
}
