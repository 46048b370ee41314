/** Counts what one run builds and does, and refuses with `TemplateLimit` before memory is spent. */
import { defaultTemplateLimits, TemplateError, type TemplateLimits } from "../../../src/plugin/template.ts";

export interface Meter {
  readonly limits: TemplateLimits;
  /** One loop turn, call or operator; `count` for work that is done in one go. */
  step(count?: number): void;
  /** A string of this length is about to be built. */
  text(length: number): void;
  /** A list of this length is about to be built. */
  items(count: number): void;
  /** A piece of output of this length is about to be added. */
  output(length: number): void;
  /** A nested call, block or literal begins; each `enter` is paired with a `leave`, also when an error passes. */
  enter(): void;
  leave(): void;
  depth(): number;
}

/** Big strings are also summed up over the run, so that a thousand of nearly the limit are refused. */
const SUMMED_FROM = 65_536;
const SUM_FACTOR = 16;

export function limitError(message: string): TemplateError {
  return new TemplateError("TemplateLimit", message);
}

export function createMeter(limits: TemplateLimits = defaultTemplateLimits): Meter {
  let stepsLeft = limits.steps;
  let outputLeft = limits.outputChars;
  let bigTextLeft = limits.stringChars * SUM_FACTOR;
  let depth = 0;
  return {
    limits,
    step(count = 1) {
      stepsLeft -= count;
      if (stepsLeft < 0) throw limitError(`more than ${limits.steps} steps`);
    },
    text(length) {
      if (length < SUMMED_FROM && length <= limits.stringChars) return;
      if (!(length <= limits.stringChars))
        throw limitError(`a string of more than ${limits.stringChars} characters`);
      bigTextLeft -= length;
      if (bigTextLeft < 0)
        throw limitError(`more than ${limits.stringChars * SUM_FACTOR} characters built in all`);
    },
    items(count) {
      if (!(count <= limits.listItems)) throw limitError(`a list of more than ${limits.listItems} items`);
      stepsLeft -= count;
      if (stepsLeft < 0) throw limitError(`more than ${limits.steps} steps`);
    },
    output(length) {
      outputLeft -= length;
      if (outputLeft < 0) throw limitError(`more than ${limits.outputChars} characters of output`);
    },
    enter() {
      depth++;
      if (depth > limits.depth) throw limitError(`nested deeper than ${limits.depth} levels`);
    },
    leave() {
      depth--;
    },
    depth: () => depth,
  };
}
