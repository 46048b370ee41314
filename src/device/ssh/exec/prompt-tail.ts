/** What a program writes directly behind its prompt, in pieces: held until it is clear where the dialogue ends. */

export interface PromptTail {
  /** The text behind the dialogue; undefined while the dialogue may go on. */
  push(text: string): string | undefined;
  /** The same at the end of the stream. */
  end(): string;
}

const maxChars = 4096;
/** A line end, or characters echoed for a reply and taken back. */
const echoed = /^[\r*\b ]*$/;

/** @param pattern anchored with `^`; may match nothing */
export function createPromptTail(pattern: RegExp): PromptTail {
  let held = "";
  const behind = () => held.slice(pattern.exec(held)?.[0].length ?? 0);
  return {
    push(text) {
      held += text;
      const rest = behind();
      const hasBegun = rest.length < held.length;
      const mayGoOn = rest === "" || echoed.test(rest) || (!hasBegun && rest.startsWith("]"));
      const isOver = held.includes("\n") || held.length > maxChars || !mayGoOn;
      return isOver ? rest : undefined;
    },
    end: behind,
  };
}
