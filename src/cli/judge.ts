/** Decides, with what has arrived, whether the device has finished: the prompt, a question, the pager, or not yet. */
import type { TextPattern } from "../base/linear.ts";
import type { Secret } from "../base/secret.ts";
import type { Verdict, View } from "./channel.ts";
import { findEcho } from "./echo.ts";
import { type CompiledPlatform, pressFor } from "./platform.ts";
import { type Found, type Prompt, sameDevice } from "./prompt.ts";

/** A question the device may ask, and what is typed then. Without a reply the reading ends there. */
export interface Rule {
  readonly ask: RegExp;
  readonly reply?: string | Secret;
  readonly newline?: false;
  /** Asked once more after the reply, the reading ends: the reply was wrong. */
  readonly once?: boolean;
}

/** What is said to the device, and what may end its answer. */
export interface Saying {
  readonly text: string;
  readonly rules?: readonly Rule[];
  /** Levels whose prompt is no surprise even where it differs from the last one; default: the level of that. */
  readonly levels?: readonly string[];
  /** Ends the reading in place of the prompt, or beside it. */
  readonly expect?: TextPattern;
  readonly orPrompt?: boolean;
  /** Ends the reading after so much silence, in place of the prompt. */
  readonly silenceMs?: number;
  /** False: the prompt counts though the echo was not seen. */
  readonly verifyEcho?: boolean;
  /** What is typed is a secret. */
  readonly hidden?: boolean;
  /** Typed without a line end: a key. */
  readonly raw?: boolean;
  /** Prompts that must come: one for each line of a text of several commands. */
  readonly prompts?: number;
  /** The line opens a block of text: the device shows no prompt until the block has ended. */
  readonly opensBlock?: boolean;
  readonly totalMs?: number;
  readonly quietMs?: number;
  /** Stretches the waits of this one, where it is more than the session's own. */
  readonly delayFactor?: number;
}

export interface Event {
  readonly kind: "prompt" | "expected" | "silence" | "question" | "pager" | "reply" | "overrun";
  readonly found?: Found;
  readonly rule?: Rule;
  /** The rule was answered before. */
  readonly again?: boolean;
}

/** What was typed last into an answer that goes on: the same text must not be answered twice. */
export interface Replied {
  readonly bytes: number;
  readonly lines: number;
  readonly line?: string;
}

export interface JudgeOptions {
  readonly saying: Saying;
  readonly platform: CompiledPlatform;
  readonly known: Prompt | undefined;
  readonly received: () => number;
  readonly rttMs: () => number | undefined;
  readonly delayFactor: number;
}

export interface Judge {
  look(view: View): Verdict<Event>;
  replied(rule: Rule | undefined, replied: Replied): void;
  /** Where in the text a prompt stands that was written over by something else; asked once. */
  overrunAt(text: string): number | undefined;
  /** End of the echo in the text. */
  echoEnd(view: View): number | undefined;
  /** Questions that were answered. */
  answered(): number;
}

/** A device that asks the same thing more often than this is stuck. */
const mostAnswers = 50;
const shortestSilenceMs = 12;
const longestSilenceMs = 400;
const longestGuardMs = 1;
/** What one segment holds on most networks: the network cuts no answer that is smaller. */
const segmentBytes = 1400;
/** More than such a segment takes on a gigabit line; slower ones show in the round trip. */
const segmentMs = 0.02;
const windowChars = 4096;
const longestQuestion = 512;
const reportAfterMs = 500;
const overrunAfterMs = 1000;
/** Lines of system messages that may stand behind an overrun prompt. */
const overrunLines = 12;

/** How long nothing must follow a doubtful prompt: about a round trip, as the session has measured it. */
export function silenceMs(rttMs: number | undefined, delayFactor: number): number {
  const aRoundTrip = Math.min(
    longestSilenceMs,
    Math.max(shortestSilenceMs, (rttMs ?? shortestSilenceMs) * 1.25),
  );
  return aRoundTrip * Math.max(1, delayFactor);
}

export function createJudge(options: JudgeOptions): Judge {
  const { saying, platform, known, received, rttMs } = options;
  const delayFactor = Math.max(options.delayFactor, saying.delayFactor ?? 1);
  const answers = new Map<Rule, number>();
  let lately: Replied | undefined;
  let echo: number | undefined;
  /** A line that looks like the prompt stood in the output: the next one may be output, too. */
  let repeated = false;
  let scannedLines = 0;
  let overrun = false;

  function look(view: View): Verdict<Event> {
    scan(view);
    if (lately !== undefined && received() === lately.bytes) return undefined;
    const line = view.line();
    const moved =
      lately === undefined ||
      lately.line === undefined ||
      view.lines() > lately.lines ||
      !line.startsWith(lately.line);
    const begun = view.lines() > 0 || !platform.echoes;
    const atKnown = known !== undefined && line.trimEnd() === known.text;
    if (begun && moved && !atKnown) {
      const page = pager(line);
      const stop = question(view, line, page !== undefined) ?? page;
      if (stop !== undefined) return stop;
    }
    if (saying.silenceMs !== undefined) {
      return received() > 0 ? unsure({ kind: "silence" }, saying.silenceMs) : undefined;
    }
    if (saying.expect !== undefined) {
      if (begun && saying.expect.test(window(view))) {
        return { value: { kind: "expected" }, settleMs: guardMs(), sure: true };
      }
      if (saying.orPrompt !== true) return undefined;
    }
    const stop = moved && view.lines() > 0 ? prompt(view) : undefined;
    if (stop !== undefined) return stop;
    if (saying.opensBlock && begun) return unsure({ kind: "silence" }, silence(view));
    // A message of the system behind the prompt, on a console: the prompt is not shown again.
    if (line === "" && view.lines() > 1 && !overrun)
      return unsure({ kind: "overrun" }, overrunAfterMs * delayFactor);
    return undefined;
  }

  function prompt(view: View): Verdict<Event> {
    const found = platform.prompts.find(view.tail(), known);
    if (found === undefined) return undefined;
    const sure =
      isExpected(found.prompt) &&
      !found.glued &&
      !repeated &&
      view.dribble().packets <= 2 &&
      echoSeen(view) &&
      (saying.prompts === undefined || promptLines(view, found.prompt) >= saying.prompts);
    const value: Event = { kind: "prompt", found };
    return sure ? { value, settleMs: guardMs(), sure } : unsure(value, silence(view));
  }

  /** @param paging the line is a stop that a key gets past: no question to report */
  function question(view: View, line: string, paging: boolean): Verdict<Event> {
    if (saying.rules === undefined || saying.rules.length === 0) return undefined;
    const unfinished = line.slice(-longestQuestion);
    const asked = unfinished.trim() === "" ? lastLine(view.tail()).slice(-longestQuestion) : unfinished;
    if (asked.trim() === "") return undefined;
    for (const rule of saying.rules) {
      const match = rule.ask.exec(rule.reply === undefined ? unfinished : asked);
      if (match === null || (paging && rule.reply === undefined)) continue;
      const atEnd = unfinished === asked && asked.slice(match.index + match[0].length).trim() === "";
      const before = answers.get(rule) ?? 0;
      const stuck = before >= (rule.once ? 1 : mostAnswers);
      const value: Event =
        rule.reply === undefined || stuck
          ? { kind: "question", rule, again: before > 0 }
          : { kind: "reply", rule };
      // What is reported ends the command: it must not be a line of output that was cut there.
      if (rule.reply === undefined && !rule.once) return unsure(value, reportAfterMs * delayFactor);
      return unsure(value, atEnd ? guardMs() : silence(view));
    }
    return undefined;
  }

  function pager(line: string): Verdict<Event> {
    if (pressFor(platform, line) === undefined) return undefined;
    return unsure({ kind: "pager" }, guardMs());
  }

  function scan(view: View): void {
    if (repeated || known === undefined || saying.prompts !== undefined) return;
    if (view.lines() === scannedLines) return;
    let fresh = view.fresh();
    // The first line holds the prompt at which the command was typed.
    if (scannedLines === 0) fresh = fresh.slice(fresh.indexOf("\n") + 1);
    scannedLines = view.lines();
    repeated = fresh.startsWith(known.text) || fresh.includes(`\n${known.text}`);
  }

  function echoSeen(view: View): boolean {
    return (
      saying.verifyEcho === false || saying.hidden === true || !platform.echoes || echoEnd(view) !== undefined
    );
  }

  function echoEnd(view: View): number | undefined {
    if (saying.hidden || !platform.echoes) return undefined;
    echo ??= findEcho(view.start(), view.head(), saying.text, known);
    return echo;
  }

  /** The newest part of the answer, without the echo: what a pattern of the caller is tried on. */
  function window(view: View): string {
    const tail = view.tail();
    return tail.length < windowChars
      ? tail.slice(echoEnd(view) === undefined ? 0 : tail.indexOf("\n") + 1)
      : tail;
  }

  /**
   * Lets what the socket holds already arrive; far below a round trip. However short, the channel reads the
   * socket again before it settles: that is enough where only the device itself can have cut its answer.
   */
  function guardMs(): number {
    const least = received() > segmentBytes ? segmentMs : 0;
    const aTwentieth = (rttMs() ?? longestGuardMs) * 0.05;
    return Math.min(longestGuardMs, Math.max(least, aTwentieth)) * Math.max(1, delayFactor);
  }

  function silence(view: View): number {
    const usual = silenceMs(rttMs(), delayFactor);
    const { packets, longestGapMs } = view.dribble();
    // A line that comes byte by byte (a serial console) is slower than the network lets expect.
    return packets > 2 ? Math.max(usual, longestGapMs * 4) : usual;
  }

  function overrunAt(text: string): number | undefined {
    overrun = true;
    let end = text.length;
    for (let lines = 0; lines < overrunLines && end > 0; lines++) {
      const start = text.lastIndexOf("\n", end - 1) + 1;
      const line = text.slice(start, end);
      const found = line.trim() === "" ? undefined : platform.prompts.find(line, known);
      if (found !== undefined && !found.glued && start > 0 && isExpected(found.prompt)) return start;
      end = start - 1;
    }
    return undefined;
  }

  function isExpected(prompt: Prompt): boolean {
    if (known === undefined) return false;
    if (prompt.text === known.text) return true;
    return (saying.levels ?? [known.level]).includes(prompt.level) && sameDevice(prompt, known);
  }

  return {
    look,
    echoEnd,
    overrunAt,
    answered: () => [...answers.values()].reduce((sum, count) => sum + count, 0),
    replied(rule, replied) {
      if (rule !== undefined) answers.set(rule, (answers.get(rule) ?? 0) + 1);
      lately = replied;
    },
  };
}

/** Lines that begin as the prompts of this device do, in whatever mode. */
function promptLines(view: View, { text, stem }: Prompt): number {
  const last = text.slice(text.lastIndexOf("\n") + 1);
  const beginning = last.slice(0, last.indexOf(stem) + stem.length);
  return view
    .text()
    .split("\n")
    .filter((line) => line.startsWith(beginning)).length;
}

function unsure(value: Event, settleMs: number): Verdict<Event> {
  return { value, settleMs, sure: false };
}

function lastLine(tail: string): string {
  const text = tail.trimEnd();
  return text.slice(text.lastIndexOf("\n") + 1);
}
