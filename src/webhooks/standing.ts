/** Whether a stored webhook is told of anything, and why not. */

import { readSpec, type WebhookSpec } from "../api/webhooks/webhook.ts";
import type { Holders } from "../auth/holders.ts";
import type { Holder } from "../auth/port.ts";
import type { StoredWebhook } from "../store/port.ts";

export type Standing =
  | { readonly state: "active" | "disabled"; readonly spec: WebhookSpec; readonly content: string }
  | { readonly state: "stopped"; readonly why: string };

/** The holders of webhooks, by their ids. */
export async function holdersOf(
  webhooks: readonly Pick<StoredWebhook, "owner">[],
  holders: Pick<Holders, "byId">,
): Promise<ReadonlyMap<string, Holder>> {
  const found = new Map<string, Holder>();
  for (const owner of new Set(webhooks.map((webhook) => webhook.owner))) {
    const holder = await holders.byId(owner);
    if (holder !== undefined) found.set(owner, holder);
  }
  return found;
}

export const keyIsGone = "its API key was revoked or has expired";
const giveAnew = "give `config` anew";

/** @param owner the key or person that gave its address; undefined: there is none any more */
export function standingOf(
  { spec, content }: Pick<StoredWebhook, "spec" | "content">,
  owner: Pick<Holder, "state"> | undefined,
): Standing {
  const { whole, unreadable } = readSpec(spec);
  const stopped = (why: string) => ({ state: "stopped", why }) as const;
  if (whole === undefined) return stopped(unreadableText(unreadable));
  if (content === undefined) return stopped(`its \`config\` cannot be opened: ${giveAnew}`);
  if (owner?.state !== "in_force") return stopped(`${keyIsGone}: ${giveAnew}`);
  return { state: whole.enabled ? "active" : "disabled", spec: whole, content };
}

export const unreadableText = (fields: readonly string[]) =>
  `this version of Patchbay cannot read its ${fields.join(", ")}: another version wrote it. Update this node, or give these fields anew`;
