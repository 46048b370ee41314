/** Fault injection between the terminal of a simulated device and its connection. */
import type { Line } from "./line.ts";

export interface Faults {
  /** Sends nothing from this step on. */
  readonly silentAt?: "banner" | "auth" | "shell" | "prompt" | "command";
  /** Cuts the connection after this many characters of output. */
  readonly dropAfter?: number;
  /** Sends one character at a time, this many milliseconds apart. */
  readonly trickleMs?: number;
  /** Splits the output into chunks of random size with short delays; the seed makes it reproducible. */
  readonly cutSeed?: number;
  /** Pauses this many milliseconds inside its output, behind text that looks like the end of a prompt. */
  readonly pauseMs?: number;
  /** Is silent this many milliseconds before each echo, and repeats its prompt in the middle of it. */
  readonly lateMs?: number;
  /** Prints without end after the first command. */
  readonly endless?: boolean;
  /** Mixes non-text bytes into all output after the first prompt, like a noisy line or a wrong baud rate. */
  readonly garbage?: boolean;
  /** From this login on (counted from 1) presents another host key, like a replaced device. */
  readonly newKeyAt?: number;
}

/** What a prompt may show behind the host name, and what changes by itself. */
export const promptShows = ["counter", "clock"] as const;
export type PromptShows = (typeof promptShows)[number];

/** Fault names for the command line. */
export const namedFaults = {
  stall: { silentAt: "command" },
  drop: { dropAfter: 400 },
  trickle: { trickleMs: 20 },
  cut: { cutSeed: 1 },
  pause: { pauseMs: 700 },
  late: { lateMs: 700 },
  endless: { endless: true },
  garbage: { garbage: true },
  "key-change": { newKeyAt: 2 },
} as const satisfies Record<string, Faults>;

/** Ends of text that looks like a prompt, inside a text. */
const promptLike = /(?<=[\w)\]][>#$%\]] ?|^[>#$%] )(?=[^>#$%\]\s]|\r\n.)/gms;
/** A prompt at the end of a text, which is echoed behind it. */
const promptAtEnd = /[^\r\n]{1,200}[>#$%\]] ?$/;
/** Number of pauses in one text. */
const maxPauses = 3;

/** Maximum size of a chunk, most are much smaller; maximum delay between chunks. */
const maxCut = 200;
const maxCutMs = 4;

const noise = "\x00\x07\x1b[5~\x1b]0;\ufffd\x1b[99;\ufffd\x08\x0e\x1b[?2004h";

/** Inserts noise after every few characters, always the same, so that a failure is reproducible. */
function spoil(text: string): string {
  return text.replace(/.{1,7}/gs, (part) => part + noise.slice(part.length % 5));
}

/** Seeded random numbers from 0 to 1 (Park and Miller). */
function randomFrom(seed: number): () => number {
  let state = (Math.abs(Math.trunc(seed)) % 2_147_483_646) + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

export function withFaults(line: Line, faults: Faults, latencyMs: number): Line {
  let sent = 0;
  let writes = 0;
  const waiting: string[] = [];
  let promptBefore = "";
  const paused: { readonly text: string; readonly pauses: boolean }[] = [];
  let trickle: ReturnType<typeof setInterval> | undefined;
  let next: ReturnType<typeof setTimeout> | undefined;
  let ends = false;
  const random = randomFrom(faults.cutSeed ?? 0);

  function deliver(text: string): void {
    if (faults.trickleMs !== undefined) {
      drip(text, faults.trickleMs);
      return;
    }
    if (faults.pauseMs !== undefined) {
      const places = [...text.matchAll(promptLike)].map(({ index }) => index).slice(0, maxPauses);
      // No pause behind the prompt itself, nor before the echo that follows it.
      for (const [at, start] of [0, ...places].entries())
        paused.push({ text: text.slice(start, places[at]), pauses: at < places.length });
      if (next === undefined) sendPaused();
      return;
    }
    if (faults.lateMs !== undefined) {
      if (promptBefore !== "")
        paused.push({ text: "", pauses: true }, { text: `\r\n${promptBefore}`, pauses: true });
      paused.push({ text, pauses: false });
      promptBefore = promptAtEnd.exec(text)?.[0] ?? "";
      if (next === undefined) sendPaused();
      return;
    }
    if (faults.cutSeed !== undefined) {
      for (let at = 0; at < text.length; ) {
        const length = 1 + Math.floor(random() ** 2 * maxCut);
        waiting.push(text.slice(at, at + length));
        at += length;
      }
      next ??= setTimeout(sendPiece, 0);
      return;
    }
    if (faults.dropAfter !== undefined && sent + text.length >= faults.dropAfter) {
      line.write(text.slice(0, Math.max(0, faults.dropAfter - sent)));
      line.close();
      return;
    }
    sent += text.length;
    line.write(text);
  }

  function drip(text: string, everyMs: number): void {
    waiting.push(...text);
    trickle ??= setInterval(() => {
      const next = waiting.shift();
      if (next !== undefined) return line.write(next);
      clearInterval(trickle);
      trickle = undefined;
    }, everyMs);
  }

  function sendPaused(): void {
    next = undefined;
    for (let piece = paused.shift(); piece !== undefined; piece = paused.shift()) {
      line.write(piece.text);
      if (piece.pauses) {
        next = setTimeout(sendPaused, faults.pauseMs ?? (faults.lateMs ?? 0) / 2);
        return;
      }
    }
    if (ends) line.close();
  }

  function sendPiece(): void {
    next = undefined;
    const piece = waiting.shift();
    if (piece !== undefined) line.write(piece);
    if (waiting.length > 0) next = setTimeout(sendPiece, random() * maxCutMs);
    else if (ends) line.close();
  }

  return {
    write(text) {
      writes++;
      if (faults.silentAt === "prompt" || (faults.silentAt === "command" && writes > 1)) return;
      const shown = faults.garbage && writes > 1 ? spoil(text) : text;
      if (latencyMs === 0) deliver(shown);
      else setTimeout(() => deliver(shown), latencyMs);
      if (faults.endless && writes === 3) setInterval(() => deliver(`${"x".repeat(4_000)}\r\n`), 1).unref();
    },
    close() {
      clearInterval(trickle);
      ends = true;
      if (next !== undefined) return;
      if (latencyMs === 0) line.close();
      else setTimeout(() => line.close(), latencyMs);
    },
  };
}
