/** Makes one delivery attempt of a webhook through its plugin. */
import type { Context } from "../plugin/kit/kit.ts";
import type { NetworkKit } from "../plugin/kit/network.ts";
import type { DeliverTask, TaskValues } from "../protocol/task.ts";
import type { PluginLoader } from "../registry/loader.ts";
import type { Registry } from "../registry/registry.ts";
import type { TaskMask } from "./masking.ts";
import { validated } from "./validate.ts";

export interface DeliverOptions {
  readonly registry: Registry;
  readonly loaded: PluginLoader;
  readonly kit: Omit<NetworkKit, "settings">;
}

export function createWebhookDelivery({ registry, loaded, kit }: DeliverOptions) {
  return async function deliver(
    task: DeliverTask,
    ctx: Context,
    mask: TaskMask,
  ): Promise<TaskValues["deliver"]> {
    const plugin = registry.require("webhook", task.webhook);
    const work = await loaded.get(plugin);
    const options = await validated(plugin.options, task.options, "options.webhook");
    const settings = registry.settings(plugin);
    mask.add([options, settings]);
    const { ok, status, message } = await work({ ...kit, options, settings, payload: task.payload }, ctx);
    return { ok, status, ...(message === undefined ? {} : { message: mask.text(message) }) };
  };
}
