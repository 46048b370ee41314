/** Checks `options.webhook` with its plugin and makes what is kept until the job has ended. */
import * as v from "valibot";
import { masked } from "../base/mask.ts";
import type { ExecuteRequest } from "../model/request.ts";
import type { Plugins } from "./connection.ts";
import { checkWith, type Issue } from "./issues.ts";
import { suggestion } from "./near.ts";

export interface CheckedWebhook {
  /** Where it goes: deliveries to one place go one after the other. */
  readonly origin: string;
  readonly events?: readonly string[] | undefined;
  readonly content: HookContent;
}

/** Sealed in the store; what the message tells besides the job's record. */
export const hookContent = v.object({
  webhook: v.string(),
  options: v.record(v.string(), v.unknown()),
  command: v.optional(v.unknown()),
  config: v.optional(v.unknown()),
  /** What the key of its caller may reach; absent: everything. */
  reach: v.optional(v.array(v.string())),
});
export type HookContent = v.InferOutput<typeof hookContent>;

/** What is typed unseen is told to nobody: a hidden reply, or a hidden line that answers nothing. */
export function shownCommand(command: NonNullable<ExecuteRequest["command"]>) {
  if (typeof command === "string") return command;
  return command.map((entry) => {
    if (typeof entry === "string" || entry.hidden !== true) return entry;
    return entry.reply === undefined ? { ...entry, send: masked } : { ...entry, reply: masked };
  });
}

const eventList = v.array(v.string());

export async function checkWebhook(
  plugins: Plugins,
  options: ({ name: string; url: string } & Record<string, unknown>) | undefined,
  request: Pick<ExecuteRequest, "command" | "config">,
  path = "options.webhook",
): Promise<{ issues: Issue[]; webhook?: CheckedWebhook }> {
  if (!options) return { issues: [] };
  const plugin = plugins.get("webhook", options.name);
  if (!plugin) {
    const message = `There is no webhook of that name.${suggestion(options.name, plugins.names("webhook"))}`;
    return { issues: [{ path: `${path}.name`, message }] };
  }
  const issues = await checkWith(plugin.options, options, path);
  if (issues.length > 0) return { issues };
  const events = v.safeParse(eventList, options.events);
  return {
    issues: [],
    webhook: {
      origin: URL.canParse(options.url) ? new URL(options.url).origin : options.url,
      events: events.success ? events.output : undefined,
      content: {
        webhook: plugin.name,
        options,
        ...(request.command === undefined || request.command === null
          ? {}
          : { command: shownCommand(request.command) }),
        ...(request.config === undefined || request.config === null ? {} : { config: request.config }),
      },
    },
  };
}
