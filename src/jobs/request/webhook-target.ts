/** Checks where a stored webhook sends: the options of its plugin, and what the caller's key may reach. */

import type { WebhookContent } from "../../api/webhook-content.ts";
import type { Caller } from "../../auth/port.ts";
import { invalid, refuse } from "../../base/issues.ts";
import { receiverOf, type Store } from "../../store/port.ts";
import type { WebhookTarget } from "../port.ts";
import type { Plugins } from "./connection.ts";
import { type ReachTools, reachOfTask, requireReach, urlHosts } from "./request-reach.ts";
import { checkWebhook } from "./webhook.ts";

export interface TargetTools extends ReachTools {
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
