/** The secret that a request refers to, as identified by the credential plugin; keys are restricted by this name. */
import { invalid } from "../base/issues.ts";
import type { CredentialPlugin } from "../plugin/index.ts";
import type { Registry } from "./registry.ts";

/** @param reference output of the plugin's schema */
export function namedCredential(
  plugin: CredentialPlugin,
  reference: unknown,
): { readonly name: string; readonly kept: boolean } {
  const ref = plugin.identify?.(reference) ?? nameOf(reference);
  return { name: `${plugin.name}:${ref}`, kept: plugin.keeps === true };
}

function nameOf(reference: unknown): string {
  if (typeof reference !== "object" || reference === null) return JSON.stringify(reference) ?? "";
  const members = Object.entries(reference).filter(([name]) => name !== "name");
  const [only] = members;
  if (members.length === 1 && typeof only?.[1] === "string") return only[1];
  return JSON.stringify(Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** @returns the name of what a reference outside a request refers to. @throws ServiceError Validation */
export function credentialNamer(registry: Pick<Registry, "get">) {
  return async (reference: Readonly<Record<string, unknown>>) => {
    const name = String(reference.name);
    const plugin = registry.get("credential", name);
    if (!plugin)
      throw invalid("credential.name", `there is no credential source named "${name.slice(0, 64)}"`);
    const read = await plugin.reference["~standard"].validate(reference);
    if (read.issues) throw invalid("credential", read.issues[0]?.message ?? "is not valid");
    return namedCredential(plugin, read.value);
  };
}
