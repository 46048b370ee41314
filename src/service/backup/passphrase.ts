/** Reads the passphrase of an encrypted archive from a file. */
import { readFileSync } from "node:fs";
import { ServiceError } from "../../base/errors.ts";
import { readReason } from "../../base/files/file-errors.ts";
import { type Secret, secret } from "../../base/secrets/secret.ts";

const leastChars = 12;
const maxChars = 1_024;

/** @throws ServiceError Validation */
export function passphraseOf(text: string, where: string): Secret {
  if (text.length >= leastChars && text.length <= maxChars && !/[\r\n\0]/.test(text)) return secret(text);
  throw new ServiceError(
    "Validation",
    `${where}: a passphrase must be one line of at least ${leastChars} characters.`,
  );
}

/**
 * Strips the line end.
 * @throws ServiceError Validation
 */
export function passphraseIn(file: string): Secret {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const why = readReason(error);
    throw new ServiceError("Validation", `The passphrase file ${file} cannot be read: ${why}.`);
  }
  return passphraseOf(text.replace(/\r?\n$/, ""), file);
}
