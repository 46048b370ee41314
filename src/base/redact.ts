/** Takes out of a device's output what looks like a secret: passwords, communities, keys, hashes, private keys. */

const removed = "<removed>";

/** Words before a value that nobody else may know; a digit between them tells how it is kept. */
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
/** What may stand between: how it is kept, and whom it lets in. */
const kinds =
  "\\d{1,2}|ascii|hex|enc|(?:irreversible-)?cipher|simple|encrypted|plaintext|read|write|level \\d+";
const secretAfterWord = new RegExp(
  `\\b(${words.join("|")})(\\s*[:=]\\s*|[ \\t]+)((?:(?:${kinds})[ \\t]+){0,3})("[^"\\n]*"|'[^'\\n]*'|[^\\s;,]+)`,
  "gi",
);

/** Values that say what they are. */
const values: readonly RegExp[] = [
  /\$(?:\d{1,2}|2[aby]|y|sha1|nt)\$[^\s"';,]+/g,
  /\b(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-\S+) [A-Za-z0-9+/=]{20,}/g,
  /\b[0-9a-f]{32,}\b/gi,
  /%\^%#[^\s]{8,}%\^%#/g,
  /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g,
];

const pem = /-----BEGIN ([A-Z0-9 ]{1,40})-----[^-]*-----END \1-----/g;

/** @param secrets texts that must not stand in it, whatever stands before them */
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
