/** The terminal of a simulated device on one session: echoes input, pages output, asks questions, shows the prompt. */

import { usualKeys } from "../../../plugin/controls.ts";
import type { PlatformPlugin } from "../../../plugin/platform.ts";
import type { TerminalSession } from "../device.ts";
import type { Question, Reaction } from "../reaction.ts";
import { type Thinking, thinkingMs } from "./thinking.ts";

export interface TerminalOptions {
  readonly platform: PlatformPlugin;
  readonly session: TerminalSession;
  readonly rows: number;
  readonly thinking?: Thinking;
  write(text: string): void;
  /** Called with every entered line, except passwords. */
  entered(line: string): void;
  close(): void;
}

export interface Terminal {
  start(banner: string): void;
  type(text: string): void;
  /** The connection is closed: no more output. */
  stop(): void;
}

type Mode =
  | { kind: "command" }
  | ({ kind: "ask" } & Question)
  | { kind: "page"; rest: string[]; after: Reaction };

export function createTerminal(options: TerminalOptions): Terminal {
  const { platform, session, rows, write, entered, close, thinking = 0 } = options;
  let mode: Mode = { kind: "command" };
  let line = "";
  let afterReturn = false;
  /** Input typed while the device is busy; it reads it after its answer. */
  let ahead = "";
  let busy: ReturnType<typeof setTimeout> | undefined;
  const echo = platform.echo !== false;
  const editor = createLineEditor(platform);
  const more = platform.pager?.example ?? "--More--";

  function answer(reaction: Reaction): void {
    const ms = thinkingMs(thinking, reaction.about ?? "command");
    if (ms === 0) {
      show(reaction);
      return;
    }
    busy = setTimeout(() => {
      busy = undefined;
      show(reaction);
      const waiting = ahead;
      ahead = "";
      take(waiting);
    }, ms);
  }

  function show(reaction: Reaction): void {
    const output = reaction.output.replace(/\r\n/g, "\n");
    if (session.paged()) page(output === "" ? [] : output.split("\n"), reaction);
    // The simulator must not be the bottleneck of a benchmark.
    else end(output === "" ? "" : `${output.replaceAll("\n", "\r\n")}\r\n`, reaction);
  }

  function page(lines: string[], after: Reaction): void {
    const whole = !session.paged() || lines.length < rows;
    const now = whole ? lines : lines.slice(0, rows - 1);
    const text = now.map((line) => `${line}\r\n`).join("");
    if (whole) {
      end(text, after);
      return;
    }
    mode = { kind: "page", rest: lines.slice(rows - 1), after };
    write(text + more);
  }

  function end(said: string, after: Reaction): void {
    let text = said;
    if (after.closes) {
      write(text);
      close();
      return;
    }
    if (after.asks) {
      mode = { kind: "ask", ...after.asks };
      text += after.asks.text;
    } else {
      mode = { kind: "command" };
      text += session.prompt();
    }
    write(text);
  }

  function enter(): void {
    const typed = line;
    line = "";
    if (mode.kind === "ask") {
      const { answered, hidden } = mode;
      if (!hidden) entered(typed);
      write("\r\n");
      answer(answered(typed));
      return;
    }
    if (echo) write("\r\n");
    if (typed.trim() !== "") entered(typed.trim());
    answer(session.enter(typed));
  }

  function press(key: string): void {
    if (mode.kind !== "page") return;
    const { rest, after } = mode;
    write(`\r${" ".repeat(more.length)}\r`);
    page(key === "q" ? [] : rest, after);
  }

  function take(text: string): void {
    let visible = "";
    const flush = () => {
      if (visible !== "" && echo && !(mode.kind === "ask" && mode.hidden)) write(visible);
      visible = "";
    };
    for (const char of text) {
      if (busy !== undefined) {
        ahead += char;
        continue;
      }
      const second = afterReturn && char === "\n";
      afterReturn = char === "\r";
      if (second) continue;
      if (mode.kind === "page") {
        press(char);
      } else if (char === "\r" || char === "\n") {
        flush();
        enter();
      } else if (char === "\x7f" || char === "\b") {
        flush();
        line = line.slice(0, -1);
        if (echo) write("\b \b");
      } else if (char === "\x04" && line === "" && mode.kind === "ask") {
        // Ends a text.
        line = char;
        enter();
      } else if (char === "\x03" && mode.kind === "ask" && !mode.key) {
        mode = { kind: "command" };
        line = "";
        write(`^C\r\n${session.prompt()}`);
      } else if (mode.kind === "command") {
        const effect = editor.press(char, line);
        if (typeof effect === "object") {
          line += effect.text;
          visible += effect.text;
        } else if (effect === "help") {
          flush();
          write(`?\r\n  <cr>\r\n${session.prompt()}${line}`);
        }
      } else {
        line += char;
        visible += char;
        if (mode.kind === "ask" && mode.key) {
          flush();
          enter();
        }
      }
    }
    flush();
  }

  return {
    start(banner) {
      if (banner !== "") write(`${banner.replace(/\n/g, "\r\n")}\r\n`);
      answer({ about: "login", ...session.greet() });
    },
    type: take,
    stop() {
      session.closed();
      clearTimeout(busy);
    },
  };
}

// Keys that the line editor of a simulated device takes for itself.

/** What a key does: text is added to the line, help is shown, anything else has no effect. */
type KeyEffect = { readonly text: string } | "help" | "nothing";

interface LineEditor {
  /** @param line what was typed of the line so far */
  press(key: string, line: string): KeyEffect;
}

function createLineEditor({ keys = usualKeys, keyQuotes = "" }: PlatformPlugin): LineEditor {
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
