/** URLs as they may be shown: without what stands before the `@`, which may be a password. */

import { isSecretName } from "./mask.ts";

/** Takes user and password out of every URL in a text. */
export function maskUrls(text: string): string {
  return text.includes("@") ? text.replace(/\/\/[^\s/"'<>\\]*@/g, "//[secret]@") : text;
}

/** Scheme, host and path of a URL; a query may hold a token and is left out. */
export function shownUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}${url.search === "" ? "" : "?…"}`;
}

/** Parameters that are tokens and are not called so. */
const signature = /^(?:sig|signature|code|auth)$/i;

/** Whether a parameter of its query is called like a secret. */
export function hasSecretQuery(text: string): boolean {
  if (!text.includes("?") || !URL.canParse(text)) return false;
  return [...new URL(text).searchParams.keys()].some((name) => isSecretName(name) || signature.test(name));
}

/** What stands before the `@` of a URL, as it is written and as it is meant. */
export function urlCredentials(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const { username, password } = new URL(text);
  return [username, password].flatMap((part) => [part, decoded(part)]).filter((part) => part !== "");
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
