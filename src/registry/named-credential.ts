/** The secret that a request refers to, as identified by the credential plugin; keys are restricted by this name. */
import type { CredentialPlugin } from "../plugin/index.ts";

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
