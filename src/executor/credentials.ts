/** Credentials by reference: `connection_args.credential` is resolved by its plugin just in time, and never stored. */
import { ServiceError } from "../base/errors.ts";
import { Secret } from "../base/secrets/secret.ts";
import type { Context } from "../plugin/kit/kit.ts";
import type { NetworkKit } from "../plugin/kit/network.ts";
import type { ThreadQuestion } from "../protocol/message-port.ts";
import type { PluginLoader } from "../registry/loader.ts";
import type { Registry } from "../registry/registry.ts";
import type { TaskMask } from "./masking.ts";
import { validated } from "./validate.ts";

export interface CredentialTools {
  readonly registry: Registry;
  readonly loaded: PluginLoader;
  readonly kit: Omit<NetworkKit, "settings">;
  /** Sends a question to the main thread, which has the store. */
  ask(question: ThreadQuestion): Promise<unknown>;
}

/** Parses the main thread's answer about a stored credential. */
function keptAnswer(answer: unknown): Record<string, string> | undefined {
  if (typeof answer !== "object" || answer === null) return undefined;
  return Object.fromEntries(Object.entries(answer).map(([field, value]) => [field, String(value)]));
}

/** Of all fields of a credential; keys and certificates are a few KiB. */
const maxChars = 256 * 1024;

/** @throws ServiceError DriverError: a source of the operator may return anything. Never quotes it. */
function fieldsIn(answer: unknown, source: string): Record<string, unknown> {
  const failed = (what: string) =>
    new ServiceError("DriverError", `The credential source ${source} returned ${what}.`, { outcome: "none" });
  if (typeof answer !== "object" || answer === null || Array.isArray(answer))
    throw failed("no object with fields");
  const fields: Record<string, unknown> = { ...answer };
  let chars = 0;
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof Secret) chars += value.reveal().length;
    else if (typeof value === "string") chars += value.length;
    else if (typeof value === "object" && value !== null)
      throw failed(`something else than a text as ${name.slice(0, 64)}`);
    chars += name.length;
  }
  if (chars > maxChars) throw failed(`more than ${maxChars / 1024} KiB`);
  return fields;
}

/** Fills in the fields of a connection from its credential; the caller's fields take precedence. */
export async function withCredential(
  connection: Record<string, unknown>,
  { registry, loaded, kit, ask }: CredentialTools,
  mask: TaskMask,
  ctx: Context,
  fresh = false,
  where = "connection_args.credential",
): Promise<Record<string, unknown>> {
  const { credential, ...fields } = connection;
  if (credential === undefined || credential === null) return connection;
  const name = typeof credential === "object" && "name" in credential ? String(credential.name) : "";
  const plugin = registry.get("credential", name);
  if (!plugin) {
    const message = `${where}: there is no credential source named "${name}".`;
    throw new ServiceError("Validation", message, {
      issues: [{ path: `${where}.name`, message }],
    });
  }
  const reference = await validated(plugin.reference, credential, where);
  const settings = registry.settings(plugin);
  mask.add([reference, settings]);
  const resolve = await loaded.get(plugin);
  // A plugin can only read its own credentials, whatever name it asks for.
  const keptCredential = async (ref: string) =>
    keptAnswer(await ask({ about: "keptCredential", source: plugin.name, ref: String(ref) }));
  const answer: unknown = await resolve({ ...kit, reference, settings, fresh, kept: keptCredential }, ctx);
  const values = fieldsIn(answer, plugin.name);
  // Everything from a credential source is secret, whatever its name, except the user name, as in a request.
  const { username: _shown, ...hidden } = values;
  mask.add(hidden, "all");
  return { ...values, ...fields };
}
