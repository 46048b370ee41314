/** Encodings in which a secret may appear in a text: clear, base64, URL-encoded, hex, JSON-escaped. */

/** Shorter base64 fragments are not specific enough. */
const minPieceLength = 8;
/** Shorter hex may be any number. */
const minHexLength = 8;

export function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, "utf8");
  const url = encodeURIComponent(secret.toWellFormed());
  const json = JSON.stringify(secret).slice(1, -1);
  const hex = bytes.toString("hex");
  return [
    secret,
    json,
    // JSON within JSON, as in an error that quotes a body.
    JSON.stringify(json).slice(1, -1),
    url,
    url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    url.replaceAll("%20", "+"),
    ...(hex.length >= minHexLength ? [hex, hex.toUpperCase()] : []),
    ...base64Forms(bytes),
  ];
}

/**
 * The base64 of the whole secret, and the part of it that is the same at any offset in a longer text (`user:password`).
 */
function base64Forms(bytes: Buffer): string[] {
  const encoded = bytes.toString("base64").replace(/=+$/, "");
  const pieces = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    // Characters that also encode bits of neighbouring bytes vary with them.
    const from = before === 0 ? 0 : before + 1;
    const shared = (before + bytes.length) % 3 === 0 ? 0 : 1;
    return text.slice(from, text.length - shared);
  });
  return [encoded, ...pieces]
    .filter((form) => form.length >= minPieceLength)
    .flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]);
}
