/** /webhook: stored webhooks. */
import type { Call } from "../call.ts";
import { success } from "../respond.ts";

export async function listWebhooks({ options, caller }: Call): Promise<Response> {
  return success(await options.webhooks.list(caller));
}

export async function readWebhook({ options, name = "", caller }: Call): Promise<Response> {
  return success(await options.webhooks.read(name, caller));
}

export async function addWebhook(call: Call): Promise<Response> {
  return success(await call.options.webhooks.add(await call.body(), call.caller), "success", 201);
}

export async function changeWebhook(call: Call): Promise<Response> {
  const { options, name = "", caller } = call;
  return success(await options.webhooks.change(name, await call.body(), caller));
}

export async function removeWebhook({ options, name = "", caller }: Call): Promise<Response> {
  return success(await options.webhooks.remove(name, caller));
}

export async function testWebhook({ options, name = "", caller }: Call): Promise<Response> {
  return success(await options.webhooks.test(name, caller));
}
