/** What the API's fields and states are called: their names in words, with units, but for those that words do not explain. */
const own: Readonly<Record<string, string>> = {
  ref: "reference",
  secret: "enable secret",
  brings: "what it brings",
  map: "column names",
  verify: "verify the certificate",
  limit: "devices at most",
  sample: "of these by chance",
  concurrency: "devices at once",
  waiting_approval: "waits for approval",
};

export const labelOf = (name: string): string => own[name] ?? inWords(name);

/** For names that users give, which mean what they say. */
export const inWords = (name: string): string =>
  name
    .replace(/^max_(.+)/, "$1 at most")
    .replace(/_(days|seconds)$/, " ($1)")
    .replaceAll("_", " ")
    .replace("pkey", "private key")
    .replace(/\b(url|otp|ssh|cli|tls)\b/g, (word) => word.toUpperCase());
