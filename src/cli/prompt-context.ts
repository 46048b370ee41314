/** The prompt's context beside the privilege level (context and path), and how to return to it. */
import type { Context } from "../plugin/kit.ts";
import type { PlatformPlugin } from "../plugin/platform.ts";
import type { Conversation } from "./conversation.ts";
import type { Prompt } from "./prompt.ts";

/** Nested contexts; leaving each takes one step. */
const deepestContext = 12;

/** Whether a later job finds the prompt of the session's start: name, level, context and path. */
export function samePrompt(a: Prompt | undefined, b: Prompt | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a === b || (a.level === b.level && (a.text === b.text || constant(a.text) === constant(b.text)));
}

/** The prompt without its variable parts: a command counter, a clock, the mark of unsaved changes. */
function constant(text: string): string {
  return text
    .replace(/([.:!])\d+(?=[\])]?\s*[#>%$]$)/, "$1")
    .replace(/\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?/g, "")
    .replace(/^[*!+] ?|[*!+](?=\S{0,2}$)/g, "")
    .trim();
}

export interface PromptContext {
  /** Name of the context; "" if none is selected. */
  readonly context: string;
  readonly brackets: number;
}

export function promptContextOf(platform: Pick<PlatformPlugin, "context">, { text }: Prompt): PromptContext {
  const line = text.slice(text.lastIndexOf("\n") + 1);
  return {
    context: platform.context?.pattern.exec(text)?.[1] ?? "",
    brackets: line.match(/\([^()]*\)/g)?.length ?? 0,
  };
}

/** Whether the device is in the same context. Its name may have changed, and so may a state in parentheses. */
export function inPromptContext(
  platform: Pick<PlatformPlugin, "context">,
  place: PromptContext,
  prompt: Prompt,
): boolean {
  const now = promptContextOf(platform, prompt);
  return now.context === place.context && now.brackets <= place.brackets;
}

/**
 * Returns to a context with the platform's commands, as long as they change the prompt. The level must already match.
 * @returns whether the context is reached
 */
export async function returnTo(talk: Conversation, place: PromptContext, ctx: Context): Promise<boolean> {
  const { plugin } = talk.platform;
  const isThere = () => {
    const prompt = talk.prompt();
    return prompt !== undefined && inPromptContext(plugin, place, prompt);
  };
  for (let steps = 0; steps < deepestContext && !isThere(); steps++) {
    const before = talk.prompt();
    const chosen = before === undefined ? "" : promptContextOf(plugin, before).context;
    const text = chosen === "" ? leaveWord(plugin, place) : plugin.context?.leave;
    if (before === undefined || text === undefined) return false;
    await talk.say({ input: { kind: "line", text }, levels: Object.keys(plugin.levels) }, ctx);
    if (talk.prompt()?.text === before.text) return false;
  }
  return isThere();
}

/** If the prompt shows no context: enters the original one, or leaves one that no pattern recognizes. */
function leaveWord(plugin: PlatformPlugin, { context }: PromptContext): string | undefined {
  if (context !== "") return plugin.context?.enter?.replaceAll("{context}", () => context);
  return plugin.config === undefined ? undefined : plugin.levels[plugin.config]?.leave;
}
