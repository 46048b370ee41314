/** Keys that the line editor of a simulated device takes for itself. */
import { usualKeys } from "../../plugin/controls.ts";
import type { PlatformPlugin } from "../../plugin/platform.ts";

/** What a key does: text is added to the line, help is shown, anything else has no effect. */
export type KeyEffect = { readonly text: string } | "help" | "nothing";

export interface LineEditor {
  /** @param line what was typed of the line so far */
  press(key: string, line: string): KeyEffect;
}

export function createLineEditor({ keys = usualKeys, keyQuotes = "" }: PlatformPlugin): LineEditor {
  const forms = Object.entries(keys).flatMap(([key, typed]) => (typed === null ? [] : [{ key, typed }]));
  const quoting = forms.find(({ key, typed }) => typed.length === 2 && typed.endsWith(key))?.typed[0];
  let isText = false;
  return {
    press(key, line) {
      const wasText = isText;
      isText = !wasText && key === quoting;
      if (wasText) return { text: key };
      if (isText) return "nothing";
      const own = forms.find(({ typed }) => typed === key);
      if (own !== undefined) return { text: own.key };
      if (!Object.hasOwn(keys, key) || isWithin(line, keyQuotes)) return { text: key };
      return key === "?" ? "help" : "nothing";
    },
  };
}

function isWithin(line: string, quotes: string): boolean {
  return [...quotes].some((quote) => (line.replaceAll(`\\${quote}`, "").split(quote).length - 1) % 2 === 1);
}
