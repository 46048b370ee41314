/** One attempt of a webhook, through its plugin. */
import type { Log } from "../base/log.ts";
import type { Context } from "../plugin/kit.ts";
import type { WebhookKit } from "../plugin/webhook.ts";
import type { DeliverTask, TaskValues } from "../protocol/task.ts";
import type { Loaded } from "../registry/loaded.ts";
import type { Registry } from "../registry/registry.ts";
import { checked } from "./check.ts";
import type { TaskMask } from "./masking.ts";

export interface DeliverOptions {
  readonly registry: Registry;
  readonly loaded: Loaded;
  readonly request: WebhookKit["request"];
  readonly log: Log;
}

export function createDeliver({ registry, loaded, request, log }: DeliverOptions) {
  return async function deliver(
    task: DeliverTask,
    ctx: Context,
    mask: TaskMask,
  ): Promise<TaskValues["deliver"]> {
    const plugin = registry.demand("webhook", task.webhook);
    const webhook = await loaded.get(`webhook ${plugin.name}`, plugin.load, { log, request });
    const options = await checked(plugin.options, task.options, "options.webhook");
    mask.add(options);
    const { ok, status, message } = await webhook.deliver(task.payload, options, ctx);
    return { ok, status, ...(message === undefined ? {} : { message: mask.text(message) }) };
  };
}
