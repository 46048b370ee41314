/** Whether a stored webhook is told of anything, and why not. */
import { stateOfKey } from "../api/key.ts";
import { readSpec, type WebhookSpec } from "../api/webhook.ts";
import type { StoredKey, StoredWebhook } from "../store/port.ts";

export type Standing =
  | { readonly state: "active" | "disabled"; readonly spec: WebhookSpec; readonly content: string }
  | { readonly state: "stopped"; readonly why: string };

export const keyIsGone = "its API key was revoked or has expired";
const giveAnew = "give `config` anew";

/** @param owner the key that gave its address; undefined: there is none any more */
export function standingOf(
  { spec, content }: Pick<StoredWebhook, "spec" | "content">,
  owner: Pick<StoredKey, "revokedAt" | "expiresAt"> | undefined,
  now: number,
): Standing {
  const { whole, unreadable } = readSpec(spec);
  const stopped = (why: string) => ({ state: "stopped", why }) as const;
  if (whole === undefined) return stopped(unreadableText(unreadable));
  if (content === undefined) return stopped(`its \`config\` cannot be opened: ${giveAnew}`);
  if (owner === undefined || stateOfKey(owner, now) !== "in_force")
    return stopped(`${keyIsGone}: ${giveAnew}`);
  return { state: whole.enabled ? "active" : "disabled", spec: whole, content };
}

export const unreadableText = (fields: readonly string[]) =>
  `this version of Patchbay cannot read its ${fields.join(", ")}: another version wrote it. Update this node, or give these fields anew`;
