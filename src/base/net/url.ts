/** Makes URLs safe to show: removes user info, which may hold a password. */

import { isSecretName } from "../secrets/secret-name.ts";

/** Removes user and password from every URL in a text. */
export function maskUrls(text: string): string {
  return text.includes("@") ? text.replace(/\/\/[^\s/"'<>\\]*@/g, "//[secret]@") : text;
}

/** Scheme, host and path of a URL; the query is omitted, as it may hold a token. */
export function shownUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}${url.search === "" ? "" : "?…"}`;
}

/** Query parameters that are tokens although their names do not say so. */
const signature = /^(?:sig|signature|code|auth)$/i;

const isSecretParameter = (name: string) => isSecretName(name) || signature.test(name);

/** Whether a query parameter has the name of a secret. */
export function hasSecretQuery(text: string): boolean {
  if (!text.includes("?") || !URL.canParse(text)) return false;
  return [...new URL(text).searchParams.keys()].some(isSecretParameter);
}

/** Values of query parameters with the name of a secret, both as they are written and decoded. */
export function querySecrets(text: string): string[] {
  if (!URL.canParse(text)) return [];
  return new URL(text).search
    .slice(1)
    .split("&")
    .flatMap((pair) => {
      const [[name, value] = ["", ""]] = [...new URLSearchParams(pair)];
      return value !== "" && isSecretParameter(name) ? [pair.slice(pair.indexOf("=") + 1), value] : [];
    });
}

/** The user info of a URL, both encoded and decoded. */
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
