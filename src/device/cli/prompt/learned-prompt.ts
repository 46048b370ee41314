/**
 * Prompts that match no level of the platform: recognized if the device shows one twice, by its host name, or by the
 * caller's pattern.
 */
import { patternFault, userPattern } from "../../../base/regex/pattern.ts";
import { anyQuestions } from "../exchange/questions.ts";
import { type CompiledPlatform, pressFor } from "../platform.ts";
import { type Found, lastLineOf, type Prompt } from "./prompt.ts";

/** Ends of prompts that are not questions, pagers or text. */
const promptEnd = /[\])}\w"'*+~-]? ?[>#$%]$/;
const maxPromptLength = 200;

/** The prompt that this line would be if it came back unchanged after a RETURN; undefined if it cannot be one. */
export function learnablePrompt(platform: CompiledPlatform, line: string): Prompt | undefined {
  if (!looksLikePrompt(platform, line)) return undefined;
  const head = headOf(line);
  return { level: levelOf(platform, head, line), text: line, lines: 1, stem: head };
}

/** The prompt of a known device in an undeclared mode. */
export function unknownMode(
  platform: CompiledPlatform,
  line: string,
  currentPrompt: Prompt,
  levels: readonly string[] | undefined,
): Prompt | undefined {
  const text = line.trimEnd();
  const last = currentPrompt.text.slice(currentPrompt.text.lastIndexOf("\n") + 1);
  const head =
    currentPrompt.stem === ""
      ? ""
      : last.slice(0, last.indexOf(currentPrompt.stem) + currentPrompt.stem.length);
  if (head.length < 2 || !text.startsWith(head) || !looksLikePrompt(platform, text)) return undefined;
  // A longer name is a different name.
  if (/^[\w.]/.test(text.slice(head.length))) return undefined;
  const { config } = platform.plugin;
  const inConfig =
    config !== undefined && (currentPrompt.level === config || levels?.includes(config) === true);
  return { level: inConfig ? config : currentPrompt.level, text, lines: 1, stem: currentPrompt.stem };
}

/** The platform with a learned prompt: the platform's own patterns recognize the same name in other modes. */
export function withLearnedPrompt(platform: CompiledPlatform, learned: Prompt): CompiledPlatform {
  return withFallback(platform, (line) => {
    if (line === learned.text) return learned;
    if (!line.startsWith(learned.stem)) return undefined;
    const level = likeExamples(platform, line.slice(learned.stem.length));
    return level === undefined ? undefined : { level, text: line, lines: 1, stem: learned.stem };
  });
}

/** The platform with the caller's prompt: the whole line, or a regular expression that matches it. */
export function withPattern(platform: CompiledPlatform, prompt: string): CompiledPlatform {
  const literal = prompt.trimEnd();
  const pattern = patternFault(prompt) === undefined ? userPattern(prompt, "prompt") : undefined;
  return withFallback(platform, (line) => {
    const match = line === literal ? { index: 0, 0: line } : pattern?.exec(line);
    if (match?.index !== 0 || match[0].trimEnd() !== line) return undefined;
    const head = headOf(line);
    return { level: levelOf(platform, head, line), text: line, lines: 1, stem: head };
  });
}

function withFallback(
  platform: CompiledPlatform,
  find: (line: string) => Prompt | undefined,
): CompiledPlatform {
  const { prompts } = platform;
  return {
    ...platform,
    prompts: {
      find(end, currentPrompt): Found | undefined {
        const found = prompts.find(end, currentPrompt);
        if (found !== undefined && !found.glued) return found;
        const line = lastLineOf(end).trimEnd();
        const prompt = line === "" || line.length > maxPromptLength ? undefined : find(line);
        return prompt === undefined ? found : { prompt, glued: false };
      },
    },
  };
}

function looksLikePrompt(platform: CompiledPlatform, line: string): boolean {
  return (
    line.length <= maxPromptLength &&
    promptEnd.test(line) &&
    // A progress indicator.
    !/\d ?%$/.test(line) &&
    pressFor(platform, line) === undefined &&
    ![...anyQuestions, ...(platform.plugin.questions ?? [])].some(({ ask }) => ask.test(line))
  );
}

/** The text before the sign that marks the level: the host name and its decorations. */
function headOf(line: string): string {
  return line.replace(/ ?[>#$%]$/, "");
}

function levelOf(platform: CompiledPlatform, head: string, line: string): string {
  const { plugin } = platform;
  const like = likeExamples(platform, line.slice(head.length));
  if (like !== undefined) return like;
  const lowest = Object.entries(plugin.levels).find(([, { from }]) => from === undefined)?.[0];
  return line.endsWith(">") ? (lowest ?? plugin.home) : plugin.home;
}

/** The level that this prompt would have for a host named `R1`. */
function likeExamples({ prompts, plugin }: CompiledPlatform, rest: string): string | undefined {
  for (const name of ["R1", "admin@R1", "(R1)"]) {
    const level = prompts.find(name + rest)?.prompt.level ?? prompts.find(`${name}${rest} `)?.prompt.level;
    if (level !== undefined) return level;
  }
  const examples = Object.entries(plugin.levels).filter(([, { example }]) =>
    example?.trimEnd().endsWith(rest.trim()),
  );
  return examples.length === 1 ? examples[0]?.[0] : undefined;
}
