/** Detects the end of a pipelined write: as many prompts as lines, the last one at the end of the output. */

import type { Decision, View } from "./channel.ts";
import { createPromptDetector, type DetectorOptions, type PromptDetector, unsure } from "./detector.ts";
import type { Event } from "./exchange.ts";
import { lastLine } from "./pipeline.ts";
import { promptCount } from "./pipeline-answers.ts";
import { type Prompt, promptLines } from "./prompt.ts";
import { guardMs, silenceMs, toleratedGapMs } from "./prompt-timing.ts";

/** A question or a different prompt counts as the end of the write after this much silence. */
const elsewhereMs = 500;

export function detectorFor(options: DetectorOptions): PromptDetector {
  const { exchange, currentPrompt } = options;
  const { input, until } = exchange;
  return until?.kind === "prompts" && input.kind === "lines" && currentPrompt !== undefined
    ? createAheadDetector(options, currentPrompt, input.lines.length)
    : createPromptDetector(options);
}

/** This detector answers no questions: the device would read a reply only after the queued lines. */
function createAheadDetector(
  { exchange, platform, received, rttMs, ...options }: DetectorOptions,
  current: Prompt,
  lines: number,
): PromptDetector {
  const delayFactor = Math.max(1, options.delayFactor, exchange.delayFactor ?? 1);
  const prompt = lastLine(current);
  const found = { prompt: current, glued: false };

  function decide(view: View): Decision<Event> {
    const line = view.line();
    if (line.trimEnd().endsWith(prompt)) {
      const count = promptCount(view.text(), prompt);
      if (count < lines) return undefined;
      const value: Event = { kind: "prompt", found };
      if (count === lines) return { value, settleMs: guardMs(received(), rttMs(), delayFactor), sure: true };
      return unsure(value, silence(view));
    }
    return elsewhere(view, line);
  }

  function elsewhere(view: View, line: string): Decision<Event> {
    if (line.trim() === "") return undefined;
    const waitMs = Math.max(silence(view), elsewhereMs * delayFactor);
    for (const rule of exchange.rules ?? []) {
      if (rule.ask.test(line)) return unsure({ kind: "question", rule, again: false }, waitMs);
    }
    const other = platform.prompts.find({ line, tail: view.tail }, current);
    if (other === undefined || other.glued || promptLines(view.text(), other.prompt) < lines)
      return undefined;
    return unsure({ kind: "prompt", found: other }, waitMs);
  }

  function silence(view: View): number {
    return toleratedGapMs(silenceMs(rttMs(), delayFactor), view.arrivals());
  }

  return {
    look: decide,
    echoEnd: () => undefined,
    overrunAt: () => undefined,
    answers: () => 0,
    probed() {},
    cleaned: (text) => ({ text, probed: false }),
    answered() {},
    pressed() {},
  };
}
