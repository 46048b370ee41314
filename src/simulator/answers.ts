/** What a simulated device says by itself: what was recorded of its platform, and what a refusal looks like. */
import type { PlatformPlugin } from "../plugin/platform.ts";
import { recorded } from "./recorded.ts";
import { readTranscripts } from "./transcripts.ts";

export type Answers = ReadonlyMap<string, string>;

/** Devices of systems of which nothing was recorded answer as these. */
const standIn = { ...recorded.cisco_ios, ...recorded.huawei };

/** Refusals of well-known systems; a device says the first one that its platform takes for a refusal. */
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

/** `display version` is of one family: a system that is known by other commands must not answer as that. */
function isOwn({ detect = [] }: PlatformPlugin, command: string): boolean {
  return (
    !command.startsWith("display ") ||
    detect.length === 0 ||
    detect.some(({ send }) => send.startsWith("display "))
  );
}

/** Built-in answers, and over them the files of a folder: `show version` stands in `show_version.txt`. */
export function loadAnswers(platform: PlatformPlugin, folder: string | undefined): Answers {
  const transcripts = recorded[platform.name];
  const entries = Object.entries(transcripts ?? standIn);
  const answers = new Map(transcripts ? entries : entries.filter(([command]) => isOwn(platform, command)));
  if (folder === undefined) return answers;
  for (const [command, text] of readTranscripts(folder)) answers.set(command, text);
  return answers;
}
