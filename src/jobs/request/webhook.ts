/** Validates `options.webhook` with its plugin, and builds the part stored until the job ends. */
import * as v from "valibot";
import type { OperationKind } from "../../api/jobs/job.ts";
import type { ExecuteRequest } from "../../api/jobs/request.ts";
import type { Caller } from "../../auth/port.ts";
import { invalid, refuse } from "../../base/issues.ts";
import { masked } from "../../base/secrets/mask.ts";
import { suggestion } from "../../base/text/near-names.ts";
import { keptPlan } from "../../plugin/delivery-plan.ts";
import type { WebhookPlugin } from "../../plugin/index.ts";
import { pluginFault } from "../../registry/plugin-fault.ts";
import { receiverOf, type Store } from "../../store/port.ts";
import type { WebhookTarget } from "../port.ts";
import type { Plugins } from "./device/connection.ts";
import { type ReachTools, reachOfTask, requireReach, urlHosts } from "./device/request-reach.ts";
import { type Issue, readWith } from "./validate.ts";
import type { WebhookContent } from "./webhook-content.ts";

export interface CheckedWebhook {
  /** The receiving host; deliveries to one receiver are serialized. */
  readonly receiver: string;
  readonly events?: readonly string[];
  readonly content: WebhookContent;
  /** Options as output by the plugin's schema, with secrets. */
  readonly checked: unknown;
}

/** The command without hidden input. */
export function shownCommand(command: NonNullable<ExecuteRequest["command"]>) {
  if (typeof command === "string") return command;
  return command.map((entry) => {
    if (typeof entry === "string" || entry.hidden !== true) return entry;
    return entry.reply === undefined ? { ...entry, send: masked } : { ...entry, reply: masked };
  });
}

export async function checkWebhook(
  plugins: Plugins,
  options: ({ name?: string | null | undefined } & Record<string, unknown>) | undefined,
  path = "options.webhook",
): Promise<{ issues: Issue[]; webhook?: CheckedWebhook }> {
  if (!options) return { issues: [] };
  const plugin = webhookOf(plugins, options.name);
  if (!plugin) {
    const hint = suggestion(options.name ?? "", plugins.names("webhook"));
    return { issues: [{ path: `${path}.name`, message: `There is no webhook with that name.${hint}` }] };
  }
  const checked = await readWith(plugin, plugin.options, options, path);
  if (!checked.ok) return { issues: checked.issues };
  const plan = plugin.plan(checked.output);
  if (typeof plan !== "object" || plan === null)
    throw pluginFault(plugin, "plan", "it returned no delivery plan");
  const kept = v.safeParse(keptPlan, plan);
  if (!kept.success) {
    const [{ message, path: at }] = kept.issues;
    throw pluginFault(plugin, "plan", `\`${at?.[0]?.key}\` ${message}`);
  }
  return {
    issues: [],
    webhook: {
      receiver: plan.receiver ?? plugin.name,
      events: plan.events ?? undefined,
      checked: checked.output,
      content: { webhook: plugin.name, options, plan: kept.output },
    },
  };
}

/** @param work masked command or configuration, included in messages. */
export function withWork(
  webhook: CheckedWebhook | undefined,
  operation: OperationKind,
  work: unknown,
): CheckedWebhook | undefined {
  if (!webhook) return undefined;
  const field = operation === "query" ? "command" : "config";
  return { ...webhook, content: { ...webhook.content, [field]: work } };
}

function webhookOf(plugins: Plugins, name: string | null | undefined): WebhookPlugin | undefined {
  if (name !== undefined && name !== null) return plugins.get("webhook", name);
  return plugins.list("webhook").find((plugin) => plugin.default === true);
}

interface TargetTools extends ReachTools {
  readonly plugins: Plugins;
  readonly store: Pick<Store, "fingerprint">;
}

/** Options of a job's webhook that a stored one has elsewhere, or not at all. */
const ofJobs = ["events", "include_result"];

export function createTargetCheck(tools: TargetTools) {
  /** @throws ServiceError Validation, Forbidden (a host that the key may not reach) */
  return async (config: Readonly<Record<string, unknown>>, caller: Caller): Promise<WebhookTarget> => {
    const misplaced = ofJobs.find((name) => config[name] !== undefined && config[name] !== null);
    if (misplaced !== undefined)
      throw invalid(
        `config.${misplaced}`,
        "belongs to webhooks of jobs; this one has `events` beside `config`",
      );
    const { issues, webhook } = await checkWebhook(tools.plugins, config, "config");
    if (issues.length > 0 || webhook === undefined) return refuse(issues);
    const urls = urlHosts("config.url", webhook.receiver);
    await requireReach(tools, caller, { hosts: [], urls, credential: undefined });
    const reach = reachOfTask(caller, { ok: true, hosts: [], urls });
    const content: WebhookContent = {
      ...webhook.content,
      ...(reach.length > 0 ? { reach: [...reach] } : {}),
    };
    const { fingerprint } = tools.store;
    return {
      address: webhook.receiver,
      receiver: receiverOf(fingerprint(caller.keyId), fingerprint(webhook.receiver)),
      signed: typeof config.secret === "string",
      content: JSON.stringify(content),
    };
  };
}
