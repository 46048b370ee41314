/** Where a session stands beside its privilege level: the context and the path that its prompt shows, and the way back. */
import type { Context } from "../plugin/kit.ts";
import type { PlatformPlugin } from "../plugin/platform.ts";
import type { Conversation } from "./conversation.ts";
import type { Prompt } from "./prompt.ts";

/** Contexts within contexts; each takes a step. */
const deepestContext = 12;

/** Whether a later job finds the prompt that the session was opened with: name, level, context and path. */
export function samePrompt(a: Prompt | undefined, b: Prompt | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a === b || (a.level === b.level && (a.text === b.text || constant(a.text) === constant(b.text)));
}

/** Without what changes by itself: a count of the commands, a clock, the mark of what is not saved yet. */
function constant(text: string): string {
  return text
    .replace(/([.:!])\d+(?=[\])]?\s*[#>%$]$)/, "$1")
    .replace(/\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?/g, "")
    .replace(/^[*!+] ?|[*!+](?=\S{0,2}$)/g, "")
    .trim();
}

export interface PromptContext {
  /** The context by its name; "" where none is chosen. */
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

/** Whether the device stands where it stood: its name may be another now, a state in brackets may have changed. */
export function inPromptContext(
  platform: Pick<PlatformPlugin, "context">,
  place: PromptContext,
  prompt: Prompt,
): boolean {
  const now = promptContextOf(platform, prompt);
  return now.context === place.context && now.brackets <= place.brackets;
}

/**
 * Goes back to a place by the platform's own words, as long as they change something; the level must be the right one.
 * @returns whether it stands there
 */
export async function returnTo(talk: Conversation, place: PromptContext, ctx: Context): Promise<boolean> {
  const { plugin } = talk.platform;
  const there = () => {
    const prompt = talk.prompt();
    return prompt !== undefined && inPromptContext(plugin, place, prompt);
  };
  for (let steps = 0; steps < deepestContext && !there(); steps++) {
    const before = talk.prompt();
    const chosen = before === undefined ? "" : promptContextOf(plugin, before).context;
    const text = chosen === "" ? leaveWord(plugin, place) : plugin.context?.leave;
    if (before === undefined || text === undefined) return false;
    await talk.say({ input: { kind: "line", text }, levels: Object.keys(plugin.levels) }, ctx);
    if (talk.prompt()?.text === before.text) return false;
  }
  return there();
}

/** Where no context shows: into the one it was opened in, or out of what no pattern tells. */
function leaveWord(plugin: PlatformPlugin, { context }: PromptContext): string | undefined {
  if (context !== "") return plugin.context?.enter?.replaceAll("{context}", () => context);
  return plugin.config === undefined ? undefined : plugin.levels[plugin.config]?.leave;
}
