/** Counts the steps and allocations of a run and refuses with `TemplateLimit` before memory is used. */
import { TemplateError } from "./errors.ts";

/** An engine refuses with `TemplateLimit` what goes beyond. */
export interface TemplateLimits {
  /** Characters of the output. */
  readonly outputChars: number;
  /** Characters of any single string. */
  readonly stringChars: number;
  /** Elements of any single list. */
  readonly listItems: number;
  /** Loop iterations, calls and operators per run. */
  readonly steps: number;
  /** Nesting of calls, includes, blocks and literals. */
  readonly depth: number;
}

export const defaultTemplateLimits: TemplateLimits = {
  outputChars: 16 * 1024 * 1024,
  stringChars: 16 * 1024 * 1024,
  listItems: 1_000_000,
  steps: 20_000_000,
  depth: 200,
};

/** Strings from this size also count towards a total per run, so that many of nearly the limit are refused. */
const SUMMED_FROM = 65_536;
const SUM_FACTOR = 16;

export function limitError(message: string): TemplateError {
  return new TemplateError("TemplateLimit", message);
}

/** @throws if values are nested too deeply. */
export function checkDepth(depth: number, { limits }: Meter): void {
  if (depth > limits.depth) throw limitError(`a value nested deeper than ${limits.depth} levels`);
}

/** Builds text piece by piece, up to the length limit. */
export class Pieces {
  length = 0;
  private readonly parts: string[] = [];
  constructor(private readonly meter: Meter) {}
  put(text: string): void {
    this.length += text.length;
    if (this.length > this.meter.limits.stringChars) this.meter.text(this.length);
    this.parts.push(text);
  }
  text(): string {
    return this.parts.join("");
  }
}

/** A class, because its fields change in every loop iteration: closures were 10% slower. */
export class Meter {
  private stepsLeft: number;
  private outputLeft: number;
  private bigTextLeft: number;
  private nesting = 0;
  constructor(readonly limits: TemplateLimits = defaultTemplateLimits) {
    this.stepsLeft = limits.steps;
    this.outputLeft = limits.outputChars;
    this.bigTextLeft = limits.stringChars * SUM_FACTOR;
  }
  /** Counts a loop iteration, call or operator; `count` for work done at once. */
  step(count = 1): void {
    this.stepsLeft -= count;
    if (this.stepsLeft < 0) throw limitError(`more than ${this.limits.steps} steps`);
  }
  /** Call before building a string of this length. */
  text(length: number): void {
    const { stringChars } = this.limits;
    if (length < SUMMED_FROM && length <= stringChars) return;
    if (!(length <= stringChars)) throw limitError(`a string of more than ${stringChars} characters`);
    this.bigTextLeft -= length;
    if (this.bigTextLeft < 0)
      throw limitError(`more than ${stringChars * SUM_FACTOR} characters built in all`);
  }
  /** Call before building a list of this length. */
  items(count: number): void {
    const { listItems } = this.limits;
    if (!(count <= listItems)) throw limitError(`a list of more than ${listItems} items`);
    this.step(count);
  }
  /** Call before adding output of this length. */
  output(length: number): void {
    this.outputLeft -= length;
    if (this.outputLeft < 0) throw limitError(`more than ${this.limits.outputChars} characters of output`);
  }
  /** Enters a nested call, block or literal; each `enter` is paired with a `leave`, also on errors. */
  enter(): void {
    this.nesting++;
    if (this.nesting > this.limits.depth) throw limitError(`nested deeper than ${this.limits.depth} levels`);
  }
  leave(): void {
    this.nesting--;
  }
  depth(): number {
    return this.nesting;
  }
}
