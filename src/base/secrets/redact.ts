/** Removes what looks like a secret from device output: passwords, communities, keys, hashes, private keys. */

const removed = "<removed>";

/** Keywords followed by a secret value; a digit in between is the encryption type. */
const words = [
  "pass(?:word|wd|phrase|code)?",
  "(?:shared-|psk)?secret",
  "community",
  "key-string",
  "(?:pre-shared|authentication|auth|priv|wpa)-(?:key|psk|password)",
  "psk",
  "(?:tacacs|radius)(?:-server)? key",
  "(?:md5|sha\\d*|des|3des|aes \\d+)(?= \\S)",
  "key(?= \\d )",
];
/** What may precede the value: encryption type, access. */
const kinds =
  "\\d{1,2}|ascii|hex|enc|(?:irreversible-)?cipher|simple|encrypted|plaintext|read|write|level \\d+";
const secretAfterWord = new RegExp(
  `\\b(${words.join("|")})(\\s*[:=]\\s*|[ \\t]+)((?:(?:${kinds})[ \\t]+){0,3})("[^"\\n]*"|'[^'\\n]*'|[^\\s;,]+)`,
  "gi",
);

/** Values that are recognizable themselves. */
const values: readonly RegExp[] = [
  /\$(?:\d{1,2}|2[aby]|y|sha1|nt)\$[^\s"';,]+/g,
  /\b(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-\S+) [A-Za-z0-9+/=]{20,}/g,
  /\b[0-9a-f]{32,}\b/gi,
  /%\^%#[^\s]{8,}%\^%#/g,
  /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g,
];

const pem = /-----BEGIN ([A-Z0-9 ]{1,40})-----[^-]*-----END \1-----/g;

/** @param secrets texts to remove in any context */
export function redact(text: string, secrets: readonly string[] = []): string {
  let clean = text.replace(pem, removed);
  for (const secret of secrets) if (secret !== "") clean = clean.replaceAll(secret, removed);
  clean = clean.replace(
    secretAfterWord,
    (_all, ...parts: string[]) => `${parts.slice(0, 3).join("")}${removed}`,
  );
  for (const pattern of values) clean = clean.replace(pattern, removed);
  return clean;
}
