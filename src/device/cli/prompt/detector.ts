/** Decides from the received text whether the device has finished: the prompt, a question, the pager, or not yet. */
import { Secret } from "../../../base/secrets/secret.ts";
import type { Decision, View } from "../exchange/channel.ts";
import { type Event, type Exchange, inputText, type Rule } from "../exchange/exchange.ts";
import { newPassword } from "../exchange/questions.ts";
import { type CompiledPlatform, pressFor } from "../platform.ts";
import { announcementIn, secondaryPrompt } from "../push/blocks.ts";
import { createEchoWatch, type Echoing } from "./echo-watch.ts";
import { learnablePrompt, unknownMode } from "./learned-prompt.ts";
import {
  beginsLine,
  clockless,
  type Found,
  lastLineOf,
  type Prompt,
  promptLines,
  sameButNumbers,
  sameDevice,
} from "./prompt.ts";
import { createPromptProbe, isOverrun, type PromptProbe } from "./prompt-probe.ts";
import { guardMs, silenceMs, toleratedGapMs } from "./prompt-timing.ts";

export interface DetectorOptions {
  readonly exchange: Exchange;
  readonly platform: CompiledPlatform;
  readonly currentPrompt: Prompt | undefined;
  readonly received: () => number;
  readonly rttMs: () => number | undefined;
  readonly delayFactor: number;
  /** Text arrived before this exchange began: the previous answer may continue. */
  readonly isLate: boolean;
  readonly echoing: Echoing;
}

export interface PromptDetector {
  look(view: View): Decision<Event>;
  /** A question was answered; it counts again only if the device asks again. */
  answered(rule: Rule, view: View): void;
  /** A key or a RETURN was typed that no question requested. */
  pressed(view: View, woken: boolean): void;
  /** Offset of a prompt that messages have overrun, and for which a RETURN is now typed; called once. */
  overrunAt(view: View): number | undefined;
  /** Offset of the end of the echo. */
  echoEnd(view: View): number | undefined;
  /** Whether the device has echoed the typed text, as it is or altered; undefined if that does not show. */
  echoed(view: View): boolean | undefined;
  /** A blank line is now typed, as an event `probe` asked. */
  probed(view: View, found: Found): void;
  /** The text without the traces of blank lines, and whether there were any. */
  cleaned(text: string, found: Found | undefined): { readonly text: string; readonly probed: boolean };
  /** Number of questions answered. */
  answers(): number;
}

/** The last input during an answer: the same text must not be answered twice. */
type Typed =
  | { readonly kind: "key"; readonly bytes: number }
  | { readonly kind: "wake"; readonly bytes: number; readonly line: string }
  | { readonly kind: "answer"; readonly bytes: number; readonly line: string };

/** A device that repeats a question more often than this is stuck. */
const maxAnswers = 50;
const windowChars = 4096;
const maxQuestionLength = 512;
const reportAfterMs = 500;
const overrunAfterMs = 1000;
/** Number of syslog lines that may follow an overrun prompt. */
const overrunLines = 12;
/** A line silent for this long may be waiting for a key, as consoles do; no login banner pauses this long. */
const wakeAfterMs = 2000;
/** A remote server may take this long to check a password; a RETURN during that time would be read later. */
const wakeAfterSecretMs = 10_000;
const maxWakes = 5;
/** A prompt of no known level is accepted after this much silence. */
const unknownModeMs = 1000;
/** A command is echoed within this time, however long the previous answer took. */
const earlierMs = 1500;
/** Gap between the prompts of two lines. Few devices accept lines without a prompt for each. */
const nextPromptMs = 500;
/** A longer line is output. */
const longestSecondary = 200;
/** A line that looks like a secondary prompt, or announces a text that was expected. */
const secondaryMs = 150;
/** The same behind a line that seems complete. */
const completeMs = 3000;
/** Quotes, brackets, here-documents and words that more lines may follow. */
const mayGoOn =
  /["'`({[\\|&]|<<|\b(?:for|foreach|while|until|if|case|select|repeat|switch|function|do|then|begin|always|elif|else)\b/;
/** The same words may be part of an output. */
const saidMs = 700;
/** A device that announces nothing, but was expected to read a text, may also be slow to refuse the line. */
const unsaidMs = 1500;
/** An announcement is among the first lines of an answer. */
const announcedWithin = 12;
/** A prompt without a name is as long as this, or text may end with it by chance. */
const leastPrompt = 4;
/** Silence before a blank line is typed: at a prompt of this device, and at any other text. */
const plausibleMs = 150;
const foreignMs = 1000;
/** Commands that show something: no prompt can change by them. */
const reads =
  /^\s*(?:(?:do|run)\s+)?(?:show|display|get|cat|more|less|tail|head|ping|traceroute|print|dir|ls)\b/i;
/** Before the login question, text that looks like a prompt may be part of the banner. */
const greetingMs = 300;

export function createPromptDetector(options: DetectorOptions): PromptDetector {
  const { exchange, platform, currentPrompt, received, rttMs } = options;
  const { input, until = { kind: "prompt" }, rules = [] } = exchange;
  const delayFactor = Math.max(1, options.delayFactor, exchange.delayFactor ?? 1);
  /** No uncertain wait may use up the limit. */
  const aQuarterMs = (exchange.totalMs ?? Number.POSITIVE_INFINITY) / 4;
  const text = inputText(input, platform.newline);
  const login = input.kind === "nothing";
  const promptsWanted = input.kind === "lines" && input.lines.length > 1 ? input.lines.length : undefined;
  const answers = new Map<Rule, number>();
  let secretTyped = false;
  let wakes = 0;
  let typed: Typed | undefined;
  /** A line that looks like the prompt occurred in the output, so the next one may be output too. */
  let repeated = false;
  let scannedLines = 0;
  let overrun = false;
  let probe: PromptProbe | undefined;
  const isMove = exchange.levels !== undefined && !reads.test(text);
  const echo = createEchoWatch(exchange, platform, currentPrompt, options.echoing, delayFactor);

  /** Before the echo only the rest of the previous answer can come, such as a prompt that is repeated late. */
  function look(view: View): Decision<Event> {
    const decision = decide(view);
    const waitMs = decision === undefined ? 0 : echo.awaitedMs(view);
    return decision === undefined || waitMs === 0
      ? decision
      : { ...decision, settleMs: Math.max(decision.settleMs, waitMs), sure: false };
  }

  function decide(view: View): Decision<Event> {
    scan(view);
    probe?.follow(view);
    if (typed !== undefined && received() === typed.bytes) return wake(view.line());
    const line = view.line();
    const hasAnswer = login || view.lines() > 0 || !platform.echoes;
    const recent = sinceAnswer(view, line);
    const atKnown = currentPrompt !== undefined && line.trimEnd() === currentPrompt.text;
    if (hasAnswer && recent !== undefined && !atKnown) {
      if (refused(view)) return { value: { kind: "refused" }, settleMs: 0, sure: true };
      const page = pressFor(platform, line) === undefined ? undefined : unsure({ kind: "pager" }, guard());
      const stop = question(line, recent, page !== undefined, view) ?? page;
      if (stop !== undefined) return stop;
    }
    if (until.kind === "silence") return received() > 0 ? unsure({ kind: "silence" }, until.ms) : undefined;
    if (until.kind === "pattern") {
      if (hasAnswer && until.pattern.test(window(view))) {
        return { value: { kind: "expected" }, settleMs: guard(), sure: true };
      }
      if (!until.orPrompt) return undefined;
    }
    const asks = hasAnswer && !atKnown ? unfinished(view, line) : undefined;
    if (asks !== undefined) return asks;
    const stop = recent !== undefined && (login || view.lines() > 0) ? prompt(view, line) : undefined;
    if (stop !== undefined) return stop;
    const reads = hasAnswer ? readsText(view, line) : undefined;
    if (reads !== undefined) return reads;
    // On a console, a syslog message may follow the prompt, which is then not repeated.
    if (!login && line === "" && view.lines() > 1 && !overrun)
      return unsure({ kind: "overrun" }, overrunAfterMs * delayFactor);
    return wake(line);
  }

  /** Text since the last answer was accepted, at most a few KiB; undefined while its question is still pending. */
  function sinceAnswer(view: View, line: string): (() => string) | undefined {
    if (typed?.kind !== "answer") return view.tail;
    const recent = view.sinceReply() ?? (line.startsWith(typed.line) ? undefined : line);
    return recent === undefined ? undefined : () => recent;
  }

  function refused(view: View): boolean {
    if (exchange.barred?.test(view.tail().slice(-1024))) return true;
    return secretTyped && exchange.refusal?.test((view.sinceReply() ?? "").slice(-1024)) === true;
  }

  /** At a question for a new password, an empty line would become the password. */
  function wake(line: string): Decision<Event> {
    if (login && newPassword.ask.test(line.slice(-maxQuestionLength)))
      return unsure({ kind: "question", rule: newPassword, again: false }, reportAfterMs * delayFactor);
    if (!login || wakes >= maxWakes) return undefined;
    return unsure({ kind: "wake" }, (secretTyped ? wakeAfterSecretMs : wakeAfterMs) * delayFactor);
  }

  function prompt(view: View, line: string): Decision<Event> {
    const found = platform.prompts.find({ line, tail: view.tail }, currentPrompt) ?? keptLine(line);
    if (found === undefined) return unknown(view, line);
    if (isDoubtful(found)) return doubt(view, found);
    const value: Event = { kind: "prompt", found };
    if (login) return unsure(value, landingMs());
    // With several lines, each one gets its own prompt.
    const missing = promptsWanted !== undefined && promptLines(view.text(), found.prompt) < promptsWanted;
    const nextMs = Math.min(nextPromptMs * delayFactor, aQuarterMs);
    const unread = missing || !echo.lastSeen(view);
    if (probe?.active()) {
      const silenceMs = unread ? Math.max(silence(view), nextMs) : silence(view);
      return probe.known(view, found, { beforeMs: 0, silenceMs });
    }
    const sure =
      isExpected(found.prompt) &&
      !found.glued &&
      !repeated &&
      view.arrivals().packets <= 2 &&
      echo.seen(view) &&
      !unread;
    if (sure) return { value, settleMs: guard(), sure };
    // This is the prompt of the previous answer, which continued longer than expected; the command was not read yet.
    if (options.isLate && !echo.seen(view)) return unsure(value, earlierMs * delayFactor);
    if (!unread) return unsure(value, silence(view));
    // A device that has read the lines, or lost them, answers a blank line; one that stalls reads the lines first.
    const isProvable = exchange.learnsPrompt === true && platform.plugin.endsWithLine !== true;
    if (isProvable) probe ??= newProbe();
    return unsure(isProvable ? { kind: "probe", found } : value, Math.max(silence(view), nextMs));
  }

  /** A prompt for the rest of the line. Comes before the prompts: some platforms take it for one of theirs. */
  function unfinished(view: View, line: string): Decision<Event> {
    if (exchange.opens === undefined || exchange.opens === "again") return undefined;
    if (line.length > longestSecondary) return undefined;
    const kind = secondaryPrompt(line, platform.continues);
    if (kind === undefined) return undefined;
    const block = { said: line.trim(), prompts: true };
    // Output of a complete line may pause at `mysql> `.
    const goesOn = (input.kind === "line" && input.continues === true) || mayGoOn.test(text);
    const leastMs = !goesOn ? completeMs : kind === "known" ? 0 : secondaryMs;
    return unsure({ kind: "open", block }, Math.max(silence(view), leastMs * delayFactor));
  }

  /** The device reads a text, and shows nothing until its end; most say so. */
  function readsText(view: View, line: string): Decision<Event> {
    const { opens } = exchange;
    if (opens === undefined || line !== "") return undefined;
    if (opens !== "again" && view.lines() > announcedWithin) return undefined;
    const tail = view.tail();
    const recent = opens === "again" ? lastLineOf(tail.trimEnd()) : tail.slice(echo.end(view) ?? 0);
    const said = announcementIn(recent);
    if (said === undefined ? opens !== "surely" : text.includes(said)) return undefined;
    const block = { said: said ?? "", prompts: false };
    const waitMs = said === undefined ? unsaidMs : opens === "surely" ? secondaryMs : saidMs;
    return unsure({ kind: "open", block }, Math.max(silence(view), waitMs * delayFactor));
  }

  /**
   * Once the prompt is known, a different text is one only if this command can have led to it, or if a blank line proves
   * it.
   */
  function isDoubtful({ prompt, glued, keepsLine }: Found): boolean {
    if (currentPrompt === undefined || keepsLine || takesAny()) return false;
    // `Amount in $` may end with the prompt of a plain shell by chance.
    if (glued) return currentPrompt.stem === "" && prompt.text.length < leastPrompt;
    if (exchange.commits === true && prompt.level === currentPrompt.level) return false;
    return prompt.text !== currentPrompt.text && !isKnown(prompt, currentPrompt) && !canLeadTo(prompt);
  }

  /** A login, or a blank line: what comes back is the prompt. */
  function takesAny(): boolean {
    return (
      login ||
      exchange.learnsPrompt === true ||
      platform.plugin.endsWithLine === true ||
      (input.kind === "line" && text.trim() === "")
    );
  }

  function canLeadTo(prompt: Prompt): boolean {
    if (!isMove || currentPrompt === undefined || exchange.levels?.includes(prompt.level) !== true)
      return false;
    return sameDevice(prompt, currentPrompt) || (prompt.stem !== "" && text.includes(prompt.stem));
  }

  /** @param leastMs silence before the first blank line */
  function doubt(view: View, found: Found, leastMs?: number): Decision<Event> {
    // A blank line would become part of the text, unless the end of the text has been typed.
    if (exchange.opens === "surely")
      return isPlausible(found) ? unsure({ kind: "prompt", found }, unsaidMs * delayFactor) : undefined;
    probe ??= newProbe();
    const silenceMs = silence(view);
    const waitMs = (leastMs ?? (isPlausible(found) ? plausibleMs : foreignMs)) * delayFactor;
    const beforeMs = Math.max(silenceMs, Math.min(waitMs, aQuarterMs));
    return probe.doubtful(view, found, { beforeMs, silenceMs });
  }

  function newProbe(): PromptProbe {
    const of = { platform, currentPrompt, received, rttMs, mostMs: aQuarterMs };
    const mayMove = ({ prompt }: Found) => isMove && exchange.levels?.includes(prompt.level) === true;
    // A line that ends a text looks like one that opens another.
    const endsText = exchange.opens === "again" || (input.kind === "line" && input.continues === true);
    return createPromptProbe({ ...of, command: endsText ? "" : text, mayMove, slowness: delayFactor });
  }

  function isPlausible({ prompt, glued }: Found): boolean {
    if (currentPrompt === undefined || glued) return glued;
    if (prompt.stem !== "" && sameDevice(prompt, currentPrompt)) return true;
    // The same prompt with another name.
    return prompt.text.replace(prompt.stem, "") === currentPrompt.text.replace(currentPrompt.stem, "");
  }

  /** If questions may come first, text that looks like a prompt may be part of the banner. */
  function landingMs(): number {
    if (rules.length === 0 && wakes === 0) return guard();
    const usual = silenceMs(rttMs(), delayFactor);
    return exchange.refusal !== undefined && answers.size === 0
      ? Math.max(usual, greetingMs * delayFactor)
      : usual;
  }

  /** Some line editors keep a refused line and repeat it behind the prompt. */
  function keptLine(line: string): Found | undefined {
    if (platform.plugin.afterRefusal === undefined || currentPrompt === undefined || input.kind !== "line")
      return undefined;
    const same =
      line.replace(/\s+/g, "") === (currentPrompt.text + text).replace(/\s+/g, "") && text.trim() !== "";
    return same ? { prompt: currentPrompt, glued: false, keepsLine: true } : undefined;
  }

  /** A prompt of no known level: the same device in an undeclared mode, or a login line repeated after a RETURN. */
  function unknown(view: View, line: string): Decision<Event> {
    if (login) {
      const candidate = typed?.kind === "wake" ? typed.line.trimEnd() : "";
      const recent = (view.sinceReply() ?? "").split("\n").filter((text) => text.trim() !== "");
      const same = recent.length > 0 && recent.every((text) => text.trimEnd() === candidate);
      const learned = same && line.trimEnd() === candidate ? learnablePrompt(platform, candidate) : undefined;
      if (learned === undefined) return undefined;
      const found: Found = { prompt: learned, glued: false, learned: true };
      return unsure({ kind: "prompt", found }, silence(view));
    }
    const mode = currentPrompt && unknownMode(platform, line, currentPrompt, exchange.levels);
    if (mode === undefined || !echo.seen(view)) return undefined;
    const found: Found = { prompt: mode, glued: false, learned: true };
    if (!takesAny()) return doubt(view, found, unknownModeMs);
    return unsure({ kind: "prompt", found }, unknownModeMs * delayFactor);
  }

  /** @param paging the line is a pager prompt, not a question to report */
  function question(line: string, recent: () => string, paging: boolean, view: View): Decision<Event> {
    const unfinished = line.slice(-maxQuestionLength);
    const questionText =
      unfinished.trim() === "" ? lastLineOf(recent().trimEnd()).slice(-maxQuestionLength) : unfinished;
    if (questionText.trim() === "") return undefined;
    for (const rule of rules) {
      const before = answers.get(rule) ?? 0;
      const stuck = before >= (rule.most ?? maxAnswers);
      // First time: the line may have ended. Later not, since banner text could look like a second question.
      const subject = rule.reply === undefined || rule.unended || stuck ? unfinished : questionText;
      const match = rule.ask.exec(subject);
      if (match === null || (paging && rule.reply === undefined)) continue;
      const atEnd = unfinished === subject && subject.slice(match.index + match[0].length).trim() === "";
      const value: Event =
        rule.reply === undefined || stuck
          ? { kind: "question", rule, again: before > 0 }
          : { kind: "reply", rule };
      // A reported question ends the command, so it must not be a line of output that was cut there.
      if (rule.reply === undefined && rule.most === undefined)
        return unsure(value, reportAfterMs * delayFactor);
      return unsure(value, atEnd && !login ? guard() : silence(view));
    }
    return undefined;
  }

  function scan(view: View): void {
    if (repeated || currentPrompt === undefined || promptsWanted !== undefined) return;
    if (view.lines() === scannedLines) return;
    const { text } = currentPrompt;
    const { first, rest } = view.fresh();
    // The first line contains the prompt at which the command was typed.
    const started = scannedLines === 0 ? first.slice(first.indexOf("\n") + 1) : first;
    scannedLines = view.lines();
    repeated = beginsLine(started, text) || beginsLine(rest, text);
  }

  /** The newest part of the answer without the echo, for the caller's pattern. */
  function window(view: View): string {
    const tail = view.tail();
    return tail.length < windowChars
      ? tail.slice(echo.end(view) === undefined ? 0 : tail.indexOf("\n") + 1)
      : tail;
  }

  function guard(): number {
    return guardMs(received(), rttMs(), delayFactor);
  }

  function silence(view: View): number {
    return toleratedGapMs(silenceMs(rttMs(), delayFactor), view.arrivals());
  }

  function overrunAt(view: View): number | undefined {
    overrun = true;
    const text = view.text();
    let end = text.length;
    for (let lines = 0; lines < overrunLines && end > 0; lines++) {
      const start = text.lastIndexOf("\n", end - 1) + 1;
      const line = text.slice(start, end);
      const found = line.trim() === "" ? undefined : platform.prompts.find(line, currentPrompt);
      if (found !== undefined && !found.glued && start > 0 && isExpected(found.prompt)) {
        if (!isOverrun(text, start)) return undefined;
        probe ??= newProbe();
        probe.typed(view);
        return start;
      }
      end = start - 1;
    }
    return undefined;
  }

  function isExpected(prompt: Prompt): boolean {
    if (currentPrompt === undefined) return false;
    if (prompt.text === currentPrompt.text || isKnown(prompt, currentPrompt)) return true;
    return (
      (exchange.levels ?? [currentPrompt.level]).includes(prompt.level) && sameDevice(prompt, currentPrompt)
    );
  }

  return {
    look,
    echoEnd: echo.end,
    echoed: echo.echoed,
    overrunAt,
    probed(view, found) {
      probe?.typed(view, found);
    },
    cleaned: (shown, found) =>
      probe?.active() ? { text: probe.cleaned(shown, found), probed: true } : { text: shown, probed: false },
    answers: () => [...answers.values()].reduce((sum, count) => sum + count, 0),
    answered(rule, view) {
      answers.set(rule, (answers.get(rule) ?? 0) + 1);
      if (rule.reply instanceof Secret) secretTyped = true;
      typed = { kind: "answer", bytes: received(), line: view.line() };
    },
    pressed(view, woken) {
      if (woken) wakes++;
      typed = woken
        ? { kind: "wake", bytes: received(), line: view.line() }
        : { kind: "key", bytes: received() };
    },
  };
}

/** Only its counter or clock differs. */
function isKnown(prompt: Prompt, currentPrompt: Prompt): boolean {
  if (currentPrompt.varies === true && sameButNumbers(prompt, currentPrompt)) return true;
  const text = clockless(prompt.text);
  return text !== prompt.text && text === clockless(currentPrompt.text);
}

export function unsure(value: Event, settleMs: number): Decision<Event> {
  return { value, settleMs, sure: false };
}
