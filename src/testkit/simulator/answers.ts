/** Built-in answers of a simulated device: recorded transcripts of its platform, and the text of a refusal. */
import type { PlatformPlugin } from "../../plugin/platform.ts";
import { recorded } from "./recorded.ts";
import { readTranscripts } from "./transcripts.ts";

export type Answers = ReadonlyMap<string, string>;

/** Answers for platforms without recorded transcripts. */
const standIn = { ...recorded.cisco_ios, ...recorded.huawei };

/** Refusals of well-known systems. A device uses the first one that matches its platform's error patterns. */
const refusals = [
  "% Invalid input detected at '^' marker.",
  "Error: Unrecognized command found at '^' position.",
  "                              ^\n % Unrecognized command found at '^' position.",
  "unknown command.",
  "syntax error, expecting <command>.",
  "% Unknown command.",
  "Invalid command",
  "Unknown command",
  "Error: Invalid command",
  "% Bad command",
  "Command not found",
  "bad command name",
  "-bash: bogus: command not found",
];

export function refusalOf(platform: PlatformPlugin): string {
  return (
    platform.simulated?.refusal ??
    refusals.find((text) => platform.errors.some((pattern) => pattern.test(text))) ??
    "% Invalid input detected at '^' marker."
  );
}

/** `display version` belongs to one family; a platform detected by other commands must not answer it. */
function isOwn({ detect = [] }: PlatformPlugin, command: string): boolean {
  return (
    !command.startsWith("display ") ||
    detect.length === 0 ||
    detect.some(({ send }) => send.startsWith("display "))
  );
}

/** What a twin answers beside its configuration: only what somebody recorded. */
export function loadOwnAnswers(folder: string | undefined): Answers {
  return new Map(folder === undefined ? [] : readTranscripts(folder));
}

/** Built-in answers, overridden by the files of a folder: `show version` is in `show_version.txt`. */
export function loadAnswers(platform: PlatformPlugin, folder: string | undefined): Answers {
  const transcripts = recorded[platform.name];
  const entries = Object.entries(transcripts ?? standIn);
  const answers = new Map(transcripts ? entries : entries.filter(([command]) => isOwn(platform, command)));
  if (folder === undefined) return answers;
  for (const [command, text] of readTranscripts(folder)) answers.set(command, text);
  return answers;
}
