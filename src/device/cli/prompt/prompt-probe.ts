/**
 * Proves that a text is a prompt by typing blank lines, one after the other: a device at its prompt answers each with
 * that prompt and nothing else. Output that only looks like a prompt goes on, or stays silent. What the blank lines
 * leave in the output is removed again.
 */
import type { Decision, View } from "../exchange/channel.ts";
import type { Event } from "../exchange/exchange.ts";
import { anyQuestions } from "../exchange/questions.ts";
import { type CompiledPlatform, pressFor } from "../platform.ts";
import { systemMessage } from "../text/echo.ts";
import { endsAs, type Found, type Prompt, sameButNumbers, sameDevice } from "./prompt.ts";

/** No output looks like this many prompts that are none. */
const maxTyped = 12;
/** Output may repeat a line by chance just when a blank line is typed; this often it does not. */
const proofs = { own: 2, foreign: 3 } as const;
/** A blank line is answered within this time. */
const answerMs = 1500;
/** A program may have read the blank line, so that no prompt follows for it. */
const unreadMs = 1000;
/** A terminal echoes a key within this time and a few round trips. */
const echoMs = 100;
/** Output that goes on this soon after a line end was written together with it. */
const togetherMs = 5;

/** Commands that may ask for a confirmation later: a blank line typed too early would be the answer. */
const asksLater =
  /^\s*(?:(?:sudo|do|run|request|system|admin|exec(?:ute)?)\s+)*(?:reload|reboot|restart|reset|halt|poweroff|shutdown|copy|cp|mv|rm|del(?:ete)?|erase|format|write\s+erase|zeroi[sz]e|factory\S*|restore|install|upgrade|update|apt(?:-get)?|yum|dnf|archive|boot|move|rename|rmdir|squeeze|clear|crypto|software|firmware|package|switchover|failover|redundancy|passwd|mkfs|fdisk|dd|backup|save|license)\b/i;
/** An open here-document, or lines of a text: the blank line would become part of it. */
const opensText = /<<|\\\s*$|\n/;
/** Words of questions, and of pagers. */
const questionWords =
  /\?\s*\S{0,3}$|:\s*$|\b(?:y\/n|yes|no|confirm|continue|press|enter|hit|password|passphrase|passcode|overwrite|abort|proceed|more|quit|choose|select|default|retry)\b/i;
/** Progress: a percentage, or a bar. */
const progress = /\d ?%\s*$|[#=.*+-]{3}/;
/** Secondary prompts of shells, and of Python. */
const secondary =
  /^(?:(?:\w+ )*(?:[db]?quote|heredocd?|for|while|until|if|then|else|elif|case|select|repeat|function|subsh|cmdsubst|pipe|cmd(?:and|or)|math|cond|array|braceparam)>|\.\.\.)$/;

export interface ProbeOptions {
  readonly platform: CompiledPlatform;
  readonly currentPrompt: Prompt | undefined;
  /** The typed command. */
  readonly command: string;
  /** Whether the command is one that leads to the level of this prompt. */
  readonly mayMove: (found: Found) => boolean;
  readonly received: () => number;
  readonly rttMs: () => number | undefined;
  readonly slowness: number;
  /** No wait is longer. */
  readonly mostMs: number;
}

export interface Waits {
  /** Silence before the first blank line. */
  readonly beforeMs: number;
  /** Silence after a prompt that no pattern makes sure of. */
  readonly silenceMs: number;
}

export interface PromptProbe {
  /** Whether a blank line was typed in this exchange. */
  active(): boolean;
  /** The end of the text is the known prompt: waits for the prompts of all blank lines. */
  known(view: View, found: Found, waits: Waits): Decision<Event>;
  /** It is another prompt: asks for a blank line, or accepts the proof. */
  doubtful(view: View, found: Found, waits: Waits): Decision<Event>;
  /** Follows how the device echoes the blank lines; called whenever data has arrived. */
  follow(view: View): void;
  /** A blank line is now typed; `found` is the text that it is to prove. */
  typed(view: View, found?: Found): void;
  /** The text without what the blank lines left, and its prompt. */
  cleaned(text: string, found: Found | undefined): string;
}

interface Run {
  readonly count: number;
  /** Offsets of the first one. */
  readonly start: number;
  readonly end: number;
}

interface Candidate {
  readonly found: Found;
  /** Number of prompts that its blank line leads to. */
  readonly due: number;
  /** Number of blank lines typed for it. */
  readonly answers: number;
  readonly typedAt: number;
}

/** The line end that a terminal may have echoed before the running program read it. */
interface Echo {
  readonly at: number;
  readonly bytes: number;
  readonly typedAt: number;
  state: "open" | "alone" | "echoed" | "none";
  aloneAt: number;
}

export function createPromptProbe(options: ProbeOptions): PromptProbe {
  const { platform, currentPrompt, command, mayMove, received, rttMs, slowness, mostMs } = options;
  const echoes: Echo[] = [];
  let typedLines = 0;
  let candidate: Candidate | undefined;
  /** The last blank line asked for a prompt that messages had overrun. */
  let overrun = false;

  /** The prompts of this text that stand at the end with nothing but blank lines between them, at most `limit`. */
  function run(text: string, prompt: Prompt, limit = Number.POSITIVE_INFINITY): Run {
    const { above } = platform.plugin;
    // A blank line may be counted in the prompt.
    const counting = { ...prompt, varies: true } as const;
    const found = { count: 0, start: text.length, end: text.length };
    for (let end = text.trimEnd().length; found.count < limit; ) {
      const length = endsAs(text.slice(Math.max(0, end - 2 * prompt.text.length - 32), end), counting);
      if (length === 0) break;
      found.count++;
      found.end = end;
      found.start = end - length;
      end = text.slice(0, found.start).trimEnd().length;
      for (let line = lastLine(text, end); above?.test(line) === true; line = lastLine(text, end))
        end = text.slice(0, end - line.length).trimEnd().length;
    }
    return found;
  }

  /** Whether the device has written something else since the last blank line. */
  function movedOn(text: string, { start }: Run): boolean {
    return text.slice(echoes.at(-1)?.at ?? 0, start).trim() !== "";
  }

  function known(view: View, found: Found, { silenceMs }: Waits): Decision<Event> {
    const text = view.text();
    const prompts = run(text, found.prompt);
    const isAnswer = prompts.count > typedLines || (overrun && !movedOn(text, prompts));
    const settleMs = isAnswer ? silenceMs : Math.max(silenceMs, Math.min(unreadMs * slowness, mostMs));
    return { value: { kind: "prompt", found }, settleMs, sure: false };
  }

  function doubtful(view: View, found: Found, { beforeMs, silenceMs }: Waits): Decision<Event> {
    const text = view.text();
    const prompts = run(text, found.prompt);
    const same =
      candidate !== undefined &&
      performance.now() - candidate.typedAt < answerMs * slowness &&
      !movedOn(text, prompts) &&
      (candidate.found.prompt.text === found.prompt.text ||
        sameButNumbers(candidate.found.prompt, found.prompt));
    if (candidate === undefined || !same) {
      candidate = undefined;
      if (typedLines >= maxTyped || !mayType(view.line(), found)) return undefined;
      return { value: { kind: "probe", found }, settleMs: beforeMs, sure: false };
    }
    if (prompts.count < candidate.due) return undefined;
    const isProven = candidate.answers >= (isOwn(found) ? proofs.own : proofs.foreign);
    return { value: { kind: isProven ? "prompt" : "probe", found }, settleMs: silenceMs, sure: false };
  }

  function isOwn({ prompt }: Found): boolean {
    return currentPrompt !== undefined && prompt.stem !== "" && sameDevice(prompt, currentPrompt);
  }

  /** A blank line must never confirm anything, nor become part of a text. */
  function mayType(line: string, found: Found): boolean {
    if (asksLater.test(command) || opensText.test(command) || isOdd(command, '"') || isOdd(command, "'"))
      return false;
    const shown = line.trimEnd();
    const rules = [...anyQuestions, ...(platform.plugin.questions ?? [])];
    if (pressFor(platform, line) !== undefined || rules.some(({ ask }) => ask.test(line))) return false;
    if (isOwn(found)) return true;
    const words = shown.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
    return (
      !questionWords.test(shown) &&
      !progress.test(shown) &&
      !secondary.test(shown) &&
      // `Amount in $` is text, `MariaDB [(none)]>` is a prompt.
      (words.length <= (/\s\S$/.test(shown) ? 1 : 2) || shown.includes("@") || mayMove(found))
    );
  }

  function typed(view: View, found?: Found): void {
    const text = view.text();
    const typedAt = performance.now();
    typedLines++;
    echoes.push({ at: text.length, bytes: received(), typedAt, state: "open", aloneAt: 0 });
    overrun = found === undefined;
    if (found === undefined) return;
    const { count } = run(text, found.prompt);
    candidate = { found, answers: (candidate?.answers ?? 0) + 1, due: count + 1, typedAt };
  }

  function follow(view: View): void {
    const echo = echoes.at(-1);
    if (echo === undefined || echo.state === "echoed" || echo.state === "none") return;
    if (received() === echo.bytes) return;
    const now = performance.now();
    const behind = view.text().slice(echo.at);
    const alone = behind === "\n";
    if (echo.state === "alone") {
      if (!alone) echo.state = now - echo.aloneAt >= togetherMs ? "echoed" : "none";
    } else if (alone && now - echo.typedAt < Math.max(echoMs, 4 * (rttMs() ?? 0)) * slowness) {
      echo.state = "alone";
      echo.aloneAt = now;
    } else echo.state = "none";
  }

  function cleaned(text: string, found: Found | undefined): string {
    let end = text.length;
    if (found !== undefined && typedLines > 0) {
      const { count } = run(text, found.prompt);
      const extra = Math.min(count - 1, typedLines);
      if (extra > 0) end = run(text, found.prompt, extra + 1).end;
      // A blank after the prompt tells it from text.
      while (text[end] === " ") end++;
    }
    let kept = text.slice(0, end);
    // Behind the last blank line the prompts themselves were removed.
    for (const { at, state } of [...echoes].reverse()) {
      if (state !== "echoed" || at >= kept.length) continue;
      kept = kept.slice(0, at) + kept.slice(at + 1);
    }
    return kept;
  }

  return { active: () => typedLines > 0, known, doubtful, follow, typed, cleaned };
}

/** Whether only messages of the system stand behind the line that begins at `at`: then it was a prompt, now overrun. */
export function isOverrun(text: string, at: number, end = text.length): boolean {
  const [, ...others] = text.slice(at, end).split("\n");
  return others.every((line) => line.trim() === "" || systemMessage.test(line));
}

function lastLine(text: string, end: number): string {
  return text.slice(text.lastIndexOf("\n", end - 1) + 1, end);
}

function isOdd(text: string, quote: string): boolean {
  return (text.split(quote).length - 1) % 2 === 1;
}
