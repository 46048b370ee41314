/** Intents as callers write, read and remove them. */

import * as v from "valibot";
import { intentLimits, intentName, intentRequest } from "../api/intent/intent.ts";
import { requireScope } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { requireRight, requireRightsOf } from "../auth/rights.ts";
import { ServiceError } from "../base/errors.ts";
import { refuse, refuseAny } from "../base/issues.ts";
import { readSelector } from "../inventory/selector/selector.ts";
import type { Plugins } from "../jobs/request/device/connection.ts";
import { pinned } from "../jobs/request/named-templates.ts";
import { checkUse } from "../jobs/request/template-request.ts";
import { checkShape } from "../jobs/request/validate.ts";
import type { Store } from "../store/port.ts";
import { intentRecordOf } from "./definitions.ts";
import type { Intents } from "./port.ts";

export interface IntentsOptions {
  readonly store: Pick<Store, "intents" | "history" | "templates">;
  readonly iso: (ms: number) => string;
  readonly plugins: Plugins;
  /** With the rights of today; undefined: they have none any more. */
  ownerOf(id: string): Promise<Caller | undefined>;
  /** Devices are to be compared. */
  onChanged(name: string, caller: Caller): Promise<void>;
}

export function createIntents({ store, iso, plugins, ownerOf, onChanged }: IntentsOptions): Intents {
  const { intents } = store;

  function requireReader(caller: Caller): void {
    requireScope(caller, "read");
    requireRight(caller, "history");
  }

  function requireWriter(caller: Caller): void {
    requireScope(caller, "operate");
    requireRight(caller, "history");
  }

  /** It is for the devices that its writer reaches: who reaches fewer takes it away from the others. */
  async function requireReachOf(name: string, caller: Caller): Promise<void> {
    if (caller.hosts.length === 0) return;
    const owner = await intents.get(name).then((found) => found && ownerOf(found.owner));
    if (owner === undefined || owner.keyId === caller.keyId) return;
    requireRightsOf(caller, { ...caller, hosts: owner.hosts }, `change the intent "${name}"`);
  }

  async function recordOf(name: string, caller: Caller) {
    const found = v.is(intentName, name) ? await intents.get(name) : undefined;
    if (found === undefined) throw new ServiceError("NotFound", "There is no intent with that name.");
    return intentRecordOf(found, caller, await store.history.markKey(), iso);
  }

  return {
    async list(caller) {
      requireReader(caller);
      const [all, markKey] = await Promise.all([intents.list(), store.history.markKey()]);
      return all.map((one) => intentRecordOf(one, caller, markKey, iso));
    },

    async read(name, caller) {
      requireReader(caller);
      return recordOf(name, caller);
    },

    async put(name, { text, value }, caller, expected) {
      requireWriter(caller);
      if (!v.is(intentName, name)) checkShape(v.object({ name: intentName }), { name });
      if (Buffer.byteLength(text) > intentLimits.bytes)
        throw new ServiceError(
          "PayloadTooLarge",
          `An intent may have at most ${intentLimits.bytes / 1024} KiB: a template holds what devices have in common.`,
        );
      const request = checkShape(intentRequest, value);
      readSelector(request.select);
      // What an answer shows is not what was written.
      if (/<secret [0-9a-f]{6,8}>/.test(JSON.stringify(request)))
        refuse([{ path: "text", message: "has marks in place of secrets: write the secrets" }]);
      await requireReachOf(name, caller);
      const { rendering } = request;
      if (rendering) {
        refuseAny(await checkUse(plugins, rendering, "render"));
        // It stays with the name: what it asks for follows the template.
        await pinned({ store }, (change) => change(rendering, "rendering"));
      }
      const put = await intents.put(
        { name, own: JSON.stringify(request), owner: caller.keyId },
        expected,
        caller,
      );
      if (put === "full")
        throw new ServiceError("PayloadTooLarge", `There may be ${intentLimits.most} intents: remove one.`);
      if (put === "moved")
        throw new ServiceError(
          "PreconditionFailed",
          expected === "none"
            ? "There is an intent with that name."
            : "The intent was changed since it was read, or is gone: read it again.",
        );
      await onChanged(name, caller);
      return { record: await recordOf(name, caller), added: put.revision === 1 };
    },

    async remove(name, caller, expected) {
      requireWriter(caller);
      if (expected === "none")
        throw new ServiceError("PreconditionFailed", "The path names an intent that exists.");
      await requireReachOf(name, caller);
      const removed = await intents.remove(name, expected, caller);
      if (removed === "gone") throw new ServiceError("NotFound", "There is no intent with that name.");
      if (removed === "moved")
        throw new ServiceError(
          "PreconditionFailed",
          "The intent was changed since it was read: read it again.",
        );
    },
  };
}
