/** Formats settings for display, with secrets removed, including those within URLs. */
import { isSecretName, masked } from "../base/secrets/mask.ts";

export function shownValue(value: unknown): string {
  if (value === undefined) return "";
  if (Array.isArray(value)) return value.map(withoutSecrets).join(":");
  return withoutSecrets(String(value));
}

/** Removes user info from URLs, and query parameters with secret-like names. */
function withoutSecrets(text: string): string {
  return text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, `$1${masked}@`)
    .replace(/([?&])([^=&#]+)=([^&#]*)/g, (match, mark: string, name: string) =>
      isSecretName(name) ? `${mark}${name}=${masked}` : match,
    );
}
