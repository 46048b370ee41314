/** What of an HTTP request that a caller wrote is secret. */
import { querySecrets, urlCredentials } from "../net/url.ts";
import { masked, secretsOfJson } from "./mask.ts";

interface HttpQuestion {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | null | undefined;
  readonly body?: string | Readonly<Record<string, unknown>> | null | undefined;
}

/** What anybody may see of the headers. */
const openHeaders = /^(?:accept(?:-[a-z]+)?|content-type|user-agent)$/i;

/** Header values that nobody may see. */
export function secretHeaders(headers: HttpQuestion["headers"]): string[] {
  return Object.entries(headers ?? {}).flatMap(([name, value]) =>
    // A token also without its scheme.
    openHeaders.test(name) ? [] : [value, value.replace(/^\S+\s+/, "")],
  );
}

/** Headers as anybody may see them. */
export function shownHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, openHeaders.test(name) ? value : masked]),
  );
}

/** Texts that neither the request, as it is shown, nor a verdict may have. */
export function secretsOfQuestion({ url, headers, body }: HttpQuestion): string[] {
  const ofBody = secretsOfJson(typeof body === "string" ? body : JSON.stringify(body ?? {}));
  return [...urlCredentials(url), ...secretHeaders(headers), ...querySecrets(url), ...ofBody];
}
