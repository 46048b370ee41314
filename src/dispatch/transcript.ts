/** Collects what a push, an upload or a task sends and receives, within bounds and without secrets. */
import type { Payload } from "../api/jobs/request.ts";
import type { TranscriptContent } from "../api/jobs/transcript.ts";
import { isRecord } from "../base/json/members.ts";
import { createOutputMasker, secretsOfJson } from "../base/secrets/mask.ts";
import { hashOfSent } from "../base/secrets/sent-hash.ts";
import type { NewTranscript } from "../store/port.ts";
import type { Output } from "./result.ts";

export interface Transcript {
  /** The lines to push, rendered. */
  lines(lines: readonly string[]): void;
  /** Live output, already masked: the dialogue of the push, and of what saves it or takes it back. */
  output(text: string): void;
  /** The device's own comparison, already masked. */
  difference(text: string): void;
  /** @param outputs of the driver, for one whose dialogue is no text */
  end(outputs: readonly Output[]): Sent;
}

export interface Sent {
  readonly transcript: NewTranscript;
  /** Number of lines in it. */
  readonly lines: number;
}

const maxLineChars = 1024 * 1024;
const headChars = 256 * 1024;
const tailChars = 64 * 1024;

export function createTranscript({ connection, driverArgs, contextJson }: Payload): Transcript {
  let sent: readonly string[] = [];
  let head = "";
  let tail = "";
  let omitted = 0;
  let compared: string | undefined;

  function output(text: string): void {
    const room = headChars - head.length;
    head += text.slice(0, room);
    if (text.length <= room) return;
    tail += text.slice(Math.max(0, room));
    const over = tail.length - tailChars;
    // Cut now and then, not for each piece.
    if (over < tailChars) return;
    tail = tail.slice(over);
    omitted += over;
  }

  return {
    lines(lines) {
      const secrets = [
        ...secretsOfJson(JSON.stringify([connection, driverArgs])),
        ...secretsOfJson(contextJson ?? "{}"),
      ];
      const { username = "" } = connection;
      const masker = createOutputMasker(secrets, [String(username ?? "")]);
      sent = lines.map(masker.text);
    },
    output,
    difference(text) {
      compared = text.slice(0, headChars);
    },
    end(outputs) {
      if (head === "")
        for (const { command, output: text, json } of outputs) output(shownOf(command, text, json));
      return transcriptOf(sent, dialogueOf(head, tail, omitted), compared ?? differenceOf(outputs));
    },
  };
}

/** Of a job whose node died: its lines, and no dialogue. */
export function transcriptOf(lines: readonly string[], dialogue: string | null, difference?: string): Sent {
  const { kept, isCut } = withinBounds(lines);
  const content: TranscriptContent = {
    lines: kept,
    dialogue,
    difference,
    ...(isCut ? { cut: true } : {}),
  };
  const sha256 = hashOfSent(kept, dialogue);
  return { transcript: { content: JSON.stringify(content), sha256 }, lines: kept.length };
}

function dialogueOf(head: string, tail: string, omitted: number): string {
  const over = Math.max(0, tail.length - tailChars);
  const left = omitted + over;
  return left === 0 ? head + tail : `${head}\n[${left} characters omitted]\n${tail.slice(over)}`;
}

function withinBounds(lines: readonly string[]): { kept: string[]; isCut: boolean } {
  const kept: string[] = [];
  let room = maxLineChars;
  for (const line of lines) {
    if (line.length > room) return { kept, isCut: true };
    kept.push(line);
    room -= line.length + 1;
  }
  return { kept, isCut: false };
}

/** Drivers of candidates and sessions answer with the difference that the device made of the lines. */
function differenceOf(outputs: readonly Output[]): string | undefined {
  const found = outputs.flatMap(({ output }) =>
    isRecord(output) && typeof output.diff === "string" && output.diff !== "" ? [output.diff] : [],
  );
  return found.length === 0 ? undefined : found.join("\n").slice(0, headChars);
}

function shownOf(command: string, output: unknown, json: string | undefined): string {
  const text = typeof output === "string" ? output : (json ?? JSON.stringify(output) ?? "");
  return command === "" ? `${text}\n` : `${command}\n${text}\n`;
}
