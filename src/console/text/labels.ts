import { shownCell } from "../shown.ts";

/**
 * What the API's fields and states are called: their names in words, with units, but for those that words do not explain.
 * A word that is right on one page only is a text of that page: others use the name for something else.
 */
const own: Readonly<Record<string, string>> = {
  secret: "enable secret",
  waiting_approval: "waits for approval",
};

/** A record in a line, such as what a check asks for. */
export const toldIn = (of: object): string =>
  Object.entries(of)
    .map(([name, value]) => `${inWords(name)} ${shownCell(value)}`)
    .join(", ");

export const labelOf = (name: string): string => own[name] ?? inWords(name);

/** For names that users give, which mean what they say. */
export const inWords = (name: string): string =>
  name
    .replace(/^max_(.+)/, "$1 at most")
    .replace(/_(days|seconds)$/, " ($1)")
    .replaceAll("_", " ")
    .replace("pkey", "private key")
    .replace(/\b(url|otp|ssh|cli|tls)\b/g, (word) => word.toUpperCase());
