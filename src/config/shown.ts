/** Values of settings for people: no secret, neither of its own nor in an address. */
import { isSecretName, masked } from "../base/mask.ts";

export function shownValue(value: unknown): string {
  if (value === undefined) return "";
  if (Array.isArray(value)) return value.map(withoutSecrets).join(":");
  return withoutSecrets(String(value));
}

/** Who logs in before the host of an address, and parameters of its query that are named like a secret. */
function withoutSecrets(text: string): string {
  return text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, `$1${masked}@`)
    .replace(/([?&])([^=&#]+)=([^&#]*)/g, (whole, mark: string, name: string) =>
      isSecretName(name) ? `${mark}${name}=${masked}` : whole,
    );
}
