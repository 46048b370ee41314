/** Manages stored credentials: administrators set, list and remove them; values are never returned. */

import { isDeepStrictEqual } from "node:util";
import {
  type CredentialRecord,
  credentialLimits,
  nameProblem,
  newCredential,
} from "../api/access/credential.ts";
import type { Body } from "../api/body.ts";
import type { WriterFilter } from "../api/filters.ts";
import { writerIn } from "../api/jobs/job.ts";
import { submitterNamed } from "../auth/caller.ts";
import { mayUseCredential, requireCredential } from "../auth/credentials.ts";
import type { Caller } from "../auth/port.ts";
import { ServiceError } from "../base/errors.ts";
import { invalid } from "../base/issues.ts";
import type { Plugins } from "../jobs/request/device/connection.ts";
import { checkShape } from "../jobs/request/validate.ts";
import type { Store } from "../store/port.ts";
import { requireKeyAdmin } from "./keys.ts";

export interface CredentialTools {
  readonly store: Pick<Store, "credentials">;
  readonly plugins: Plugins;
  readonly iso: (ms: number) => string;
}

export function createCredentialAdministration({ store: { credentials }, plugins, iso }: CredentialTools) {
  /** @throws ServiceError Validation */
  function requireSource(source: string): void {
    if (plugins.get("credential", source)?.keeps === true) return;
    const names = plugins
      .names("credential")
      .filter((name) => plugins.get("credential", name)?.keeps === true);
    throw invalid("source", `is not a source whose credentials are kept here: ${names.join(", ")}`);
  }

  return {
    async listCredentials(caller: Caller, { submitted_by }: WriterFilter = {}): Promise<CredentialRecord[]> {
      requireKeyAdmin(caller, subject);
      const visible = (await credentials.list(submitterNamed(submitted_by, caller))).filter(
        ({ source, ref }) => mayUseCredential(caller, named(source, ref)),
      );
      return visible.map((credential) => ({
        source: credential.source,
        ref: credential.ref,
        fields: credential.fields,
        created_at: iso(credential.createdAt),
        changed_at: iso(credential.changedAt),
        submitted_by: writerIn(credential),
        last_used_at: credential.lastUsedAt === null ? null : iso(credential.lastUsedAt),
      }));
    },

    async setCredential(
      ref: string,
      source: string,
      body: Body,
      caller: Caller,
      keep = false,
    ): Promise<"added" | "changed"> {
      requireKeyAdmin(caller, subject);
      const problem = nameProblem("ref", ref);
      if (problem !== undefined) throw invalid("ref", problem);
      requireSource(source);
      requireCredential(caller, named(source, ref));
      const fields = checkShape(newCredential, body.value);
      const former = keep ? await credentials.open(source, ref) : undefined;
      if (former !== undefined) {
        if (isDeepStrictEqual({ ...former }, { ...fields })) return "changed";
        throw new ServiceError(
          "InUse",
          `There is a credential ${ref} with other values, which devices may need: choose another name.`,
        );
      }
      const outcome = await credentials.set({ source, ref, fields }, caller);
      if (outcome !== "full") return outcome;
      const { most, maxBytes } = credentialLimits;
      const text = `The limit is reached: at most ${most} credentials of ${maxBytes / 1024 / 1024} MiB in total can be stored. Remove unused ones.`;
      throw new ServiceError("PayloadTooLarge", text);
    },

    async removeCredential(ref: string, source: string, caller: Caller): Promise<void> {
      requireKeyAdmin(caller, subject);
      requireCredential(caller, named(source, ref));
      if (await credentials.remove(source, ref, caller)) return;
      throw new ServiceError("NotFound", "There is no credential with that name.");
    },
  };
}

const subject = "Credentials";

/** As a request names it. */
const named = (source: string, ref: string) => ({ name: `${source}:${ref}`, kept: true });
