/** What a device should have, as a text: written, or rendered from a template with the rights of who wrote the intent. */
import { createHash } from "node:crypto";
import { intentLimits } from "../api/intent/intent.ts";
import type { Caller } from "../auth/port.ts";
import { hasRight } from "../auth/rights.ts";
import { ServiceError } from "../base/errors.ts";
import { stringifyExact } from "../base/json/exact-json.ts";
import type { EffectiveDevice, Snapshot } from "../inventory/port.ts";
import type { Jobs } from "../jobs/port.ts";
import type { Definition } from "./definitions.ts";

/** Counts what changes the outcome of a comparison beside its texts: results of another one are compared anew. */
const engine = "2";

/** Whether the secrets of an intent are compared; else what closes their marks: a guess would tell whether it is right. */
export const closedBy = ({ digest }: Definition, owner: Caller | undefined): string | undefined =>
  owner !== undefined && hasRight(owner, "history_secrets") ? undefined : digest;

/** Equal for what would be the same text, and the same comparison. */
export function hashOf(
  definition: Definition,
  owner: Caller | undefined,
  device: EffectiveDevice,
  snapshot: Snapshot,
): string {
  const closed = closedBy(definition, owner) === undefined ? "open" : "closed";
  const hash = createHash("sha256").update(`${engine} ${closed} ${definition.digest} ${device.platform}`);
  if (definition.request?.rendering) {
    const { name, host, port, platform, driver, site, role, tags, group, groups, vars } = device;
    const description = group === null ? null : (snapshot.group(group)?.description ?? null);
    hash.update(
      stringifyExact([
        name,
        host,
        port,
        platform,
        driver,
        site,
        role,
        tags,
        group,
        groups,
        description,
        vars,
      ]),
    );
  }
  return hash.digest("hex");
}

/** @throws ServiceError as `Jobs.render` */
export async function wantedText(
  { request }: Definition,
  device: EffectiveDevice,
  owner: Caller,
  jobs: Pick<Jobs, "render">,
  signal: AbortSignal,
): Promise<string> {
  if (!request?.rendering) return request?.text ?? "";
  const { name, template, args, templates, context } = request.rendering;
  const value = {
    name,
    template,
    args,
    templates,
    context: context ?? {},
    device: device.name,
    strict: true,
  };
  const body = { text: JSON.stringify(value), value };
  const { text } = await jobs.render(body, undefined, owner, signal);
  if (text.length > intentLimits.textChars)
    throw new ServiceError(
      "PayloadTooLarge",
      `The text for ${device.name} has more than ${intentLimits.textChars} characters.`,
    );
  return text;
}
