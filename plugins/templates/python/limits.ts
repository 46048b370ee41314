/** Counts what one run builds and does, and refuses with `TemplateLimit` before memory is spent. */
import { defaultTemplateLimits, TemplateError, type TemplateLimits } from "patchbay/plugin";

/** Big strings are also summed up over the run, so that a thousand of nearly the limit are refused. */
const SUMMED_FROM = 65_536;
const SUM_FACTOR = 16;

export function limitError(message: string): TemplateError {
  return new TemplateError("TemplateLimit", message);
}

/** @throws where values are nested deeper than they may be. */
export function checkDepth(depth: number, { limits }: Meter): void {
  if (depth > limits.depth) throw limitError(`a value nested deeper than ${limits.depth} levels`);
}

/** A text that is built piece by piece, as long as it may be. */
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

/** A class, since its fields are counted in every loop turn: closures were a tenth slower. */
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
  /** One loop turn, call or operator; `count` for work that is done in one go. */
  step(count = 1): void {
    this.stepsLeft -= count;
    if (this.stepsLeft < 0) throw limitError(`more than ${this.limits.steps} steps`);
  }
  /** A string of this length is about to be built. */
  text(length: number): void {
    const { stringChars } = this.limits;
    if (length < SUMMED_FROM && length <= stringChars) return;
    if (!(length <= stringChars)) throw limitError(`a string of more than ${stringChars} characters`);
    this.bigTextLeft -= length;
    if (this.bigTextLeft < 0)
      throw limitError(`more than ${stringChars * SUM_FACTOR} characters built in all`);
  }
  /** A list of this length is about to be built. */
  items(count: number): void {
    const { listItems } = this.limits;
    if (!(count <= listItems)) throw limitError(`a list of more than ${listItems} items`);
    this.step(count);
  }
  /** A piece of output of this length is about to be added. */
  output(length: number): void {
    this.outputLeft -= length;
    if (this.outputLeft < 0) throw limitError(`more than ${this.limits.outputChars} characters of output`);
  }
  /** A nested call, block or literal begins; each `enter` is paired with a `leave`, also when an error passes. */
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
