/**
 * Keys that a device's line editor takes for itself (`?` shows help, a tab completes): types them as text where the
 * platform has a way, and says why a line cannot be typed where it has none.
 */
import { controlsOf, usualKeys } from "../../../plugin/controls.ts";
import type { PlatformPlugin } from "../../../plugin/platform.ts";

export interface Editor {
  /**
   * The keys that type this line at a prompt.
   * @param asksHelp a question mark at the end asks the device for help, as people type it
   */
  typed(line: string, asksHelp: boolean): string;
  /** The line as the device shows and stores it. */
  shown(line: string): string;
  /** Why the line cannot be typed at a prompt, or as text that the device reads; undefined if it can. */
  fault(line: string, as: "line" | "query" | "text"): string | undefined;
}

type EditorData = Pick<PlatformPlugin, "name" | "keys" | "keyQuotes" | "controls">;

/** Most lines hold none of these: they are typed as they are. */
const special = /[\x00-\x1f\x7f?]/;
/** Line ends end a line; the caller decides whether a text may hold several. */
const control = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/;

interface Walked {
  readonly typed: string;
  readonly shown: string;
  readonly fault?: string;
}

export function createEditor(platform: EditorData): Editor {
  const { name, keys = usualKeys, keyQuotes = "" } = platform;
  const allowed = controlsOf(platform);
  /** Longer than one key: the caller may have typed them, as people do. */
  const forms = Object.entries(keys).flatMap(([key, typed]) => (typed === null ? [] : [{ key, typed }]));
  /** Makes any key after it text. */
  const quoting = forms.find(({ key, typed }) => typed.length === 2 && typed.endsWith(key))?.typed[0];
  /** A parser of commands ignores blanks before a line; a shell's text begins with them. */
  const ignoresIndent = Object.hasOwn(keys, "?");

  function walk(line: string, asksHelp: boolean): Walked {
    const help = asksHelp && line.endsWith("?") ? line.length - 1 : -1;
    let typed = "";
    let shown = "";
    let fault: string | undefined;
    let quoted = false;
    let isIndent = true;
    const add = (keysTyped: string, text: string) => {
      typed += keysTyped;
      shown += text;
    };
    for (let at = 0; at < line.length; ) {
      const char = line.charAt(at);
      const form = forms.find((form) => line.startsWith(form.typed, at));
      isIndent &&= char === " " || char === "\t";
      if (form !== undefined) {
        add(form.typed, form.key);
        at += form.typed.length;
        continue;
      }
      if (char === quoting) {
        // At the end it would quote the line end.
        if (at + 1 === line.length) fault ??= `ends with ${named(char)}, which needs a character after it`;
        add(char + line.charAt(at + 1), line.charAt(at + 1));
        at += 2;
        continue;
      }
      if (keyQuotes.includes(char) && line[at - 1] !== "\\") quoted = !quoted;
      if (isIndent && char === "\t" && ignoresIndent) add(" ", " ");
      else add(...typedChar(char, at === help || quoted));
      at++;
    }
    return { typed, shown, ...(fault === undefined ? {} : { fault }) };

    function typedChar(char: string, isText: boolean): [string, string] {
      const keysTyped = isText ? char : (keys[char] ?? (Object.hasOwn(keys, char) ? null : char));
      if (keysTyped === null) {
        fault ??= `contains ${named(char)}, which the line editor of ${name} takes for itself and cannot be given as text: leave it out, or word the line differently`;
      } else if (keysTyped === char) fault ??= controlFault(char);
      return [keysTyped ?? char, char];
    }
  }

  function controlFault(text: string): string | undefined {
    for (const char of text) {
      if (!control.test(char) || allowed.includes(char)) continue;
      return `contains the control character ${named(char)}, which no dialogue of ${name} needs: remove it`;
    }
    return undefined;
  }

  return {
    typed: (line, asksHelp) => (special.test(line) ? walk(line, asksHelp).typed : line),
    shown: (line) => (special.test(line) ? walk(line, true).shown : line),
    fault(line, as) {
      if (!special.test(line)) return undefined;
      return as === "text" ? controlFault(line) : walk(line, as === "query").fault;
    },
  };
}

function named(char: string): string {
  const code = char.charCodeAt(0);
  if (char === "\t") return "a tab";
  if (code >= 0x20 && code !== 0x7f) return JSON.stringify(char);
  const names: Readonly<Record<number, string>> = { 0: "NUL", 27: "ESC", 127: "DEL" };
  const name = names[code] ?? `Ctrl-${String.fromCharCode(code + 0x40)}`;
  return `${name} (U+${code.toString(16).toUpperCase().padStart(4, "0")})`;
}
