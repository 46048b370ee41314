/** Credentials by reference: `connection_args.credential` is resolved by its plugin, just in time, never stored. */
import { ServiceError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Context } from "../plugin/kit.ts";
import type { Loaded } from "../registry/loaded.ts";
import type { Registry } from "../registry/registry.ts";
import { checked } from "./check.ts";
import type { TaskMask } from "./masking.ts";

interface Tools {
  readonly registry: Registry;
  readonly loaded: Loaded;
  readonly log: Log;
  readonly mask: TaskMask;
}

/** The fields of a connection with those of its credential laid under what the caller gave. */
export async function withCredential(
  connection: Record<string, unknown>,
  { registry, loaded, log, mask }: Tools,
  ctx: Context,
): Promise<Record<string, unknown>> {
  const { credential, ...fields } = connection;
  if (credential === undefined || credential === null) return connection;
  const name = typeof credential === "object" && "name" in credential ? String(credential.name) : "";
  const plugin = registry.get("credential", name);
  if (!plugin) {
    const message = `connection_args.credential: there is no credential source named "${name}".`;
    throw new ServiceError("Validation", message, {
      issues: [{ path: "connection_args.credential.name", message }],
    });
  }
  const reference = await checked(plugin.reference, credential, "connection_args.credential");
  const source = await loaded.get(`credential ${name}`, plugin.load, { log });
  mask.add(reference);
  const values = await source.resolve(reference, ctx);
  // Whatever it is called, what comes from a source of secrets is one.
  mask.add(values, "all");
  return { ...values, ...fields };
}
