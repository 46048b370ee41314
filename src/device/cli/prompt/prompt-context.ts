/** The prompt's context beside the privilege level (context and path), and how to return to it. */
import type { Context } from "../../../plugin/kit/kit.ts";
import type { PlatformPlugin } from "../../../plugin/platform.ts";
import type { Conversation } from "../exchange/conversation.ts";
import { clockless, type Prompt, sameButNumbers } from "./prompt.ts";

/** Nested contexts; leaving each takes one step. */
const deepestContext = 12;

/** Whether a later job finds the prompt of the session's start: name, level, context and path. */
export function samePrompt(a: Prompt | undefined, b: Prompt | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  if (a === b) return true;
  if (a.level !== b.level) return false;
  return (
    a.text === b.text || constant(a.text) === constant(b.text) || (b.varies === true && sameButNumbers(a, b))
  );
}

/** The prompt without its variable parts: a command counter, a clock, a load, the mark of unsaved changes. */
function constant(text: string): string {
  return clockless(text)
    .replace(/([.:!])\d+(?=[\])]?\s*[#>%$]$)/, "$1")
    .replace(/\b\d{1,3}\.\d\d\b/g, "")
    .replace(/^[*!+] ?|[*!+](?=\S{0,2}$)/g, "")
    .trim();
}

export interface PromptContext {
  /** Name of the context; "" if none is selected. */
  readonly context: string;
  readonly brackets: number;
}

export function promptContextOf(
  platform: Pick<PlatformPlugin, "context">,
  { text, varies }: Prompt,
): PromptContext {
  const line = clockless(text.slice(text.lastIndexOf("\n") + 1));
  const context = platform.context?.pattern.exec(clockless(text))?.[1]?.trim() ?? "";
  return {
    context: isCount(context, varies) ? "" : context,
    brackets: line.match(/\([^()]*\)/g)?.length ?? 0,
  };
}

/** A counter or a load stands where some systems show a context. */
function isCount(context: string, varies: boolean | undefined): boolean {
  return /^\d+(?:\.\d+)?$/.test(context) && (varies === true || context.includes("."));
}

/** Whether the device is in the same context. Its name may have changed, and so may a state in parentheses. */
export function inPromptContext(
  platform: Pick<PlatformPlugin, "context">,
  place: PromptContext,
  prompt: Prompt,
): boolean {
  const now = promptContextOf(platform, prompt);
  // Only later prompts may have shown that it counts.
  const isThere =
    now.context === place.context || (now.context === "" && isCount(place.context, prompt.varies));
  return isThere && now.brackets <= place.brackets;
}

/**
 * Returns to a context with the platform's commands, as long as they change the prompt. The level must already match. A
 * command is typed only for a context that a blank line brings back: what changes by itself is none.
 * @returns whether the context is reached
 */
export async function returnTo(talk: Conversation, place: PromptContext, ctx: Context): Promise<boolean> {
  const { plugin } = talk.platform;
  const levels = Object.keys(plugin.levels);
  const now = () => {
    const prompt = talk.prompt();
    return prompt && { prompt, chosen: promptContextOf(plugin, prompt) };
  };
  const isThere = () => {
    const prompt = talk.prompt();
    return prompt !== undefined && inPromptContext(plugin, place, prompt);
  };
  if (!isThere() && plugin.endsWithLine !== true) {
    const before = now()?.chosen.context;
    await talk.say({ input: { kind: "line", text: "" }, verifyEcho: false, levels }, ctx);
    const after = now()?.chosen;
    if (after !== undefined && after.context !== before) return after.brackets <= place.brackets;
  }
  for (let steps = 0; steps < deepestContext && !isThere(); steps++) {
    const at = now();
    const text = at?.chosen.context === "" ? leaveWord(plugin, place) : plugin.context?.leave;
    if (at === undefined || text === undefined) return false;
    await talk.say({ input: { kind: "line", text }, levels }, ctx);
    if (talk.prompt()?.text === at.prompt.text) return false;
  }
  return isThere();
}

/** If the prompt shows no context: enters the original one, or leaves one that no pattern recognizes. */
function leaveWord(plugin: PlatformPlugin, { context }: PromptContext): string | undefined {
  if (context !== "") return plugin.context?.enter?.replaceAll("{context}", () => context);
  // The brackets of a shell contain a branch or an environment.
  if (plugin.hiddenState === true) return undefined;
  return plugin.config === undefined ? undefined : plugin.levels[plugin.config]?.leave;
}
