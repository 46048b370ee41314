/** The master key that seals secrets: from the settings, or a file made at the first start for its owner only. */
import { randomBytes } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { ServiceError } from "../base/errors.ts";
import type { Config } from "../config.ts";

export interface MasterKeys {
  readonly current: Uint8Array;
  /** Keys of the past, which still open what was sealed with them. */
  readonly former: readonly Uint8Array[];
}

const keyBytes = 32;

export function masterKeyFile(config: Config): string {
  return join(config.values.data_dir, "master.key");
}

/** One key a line, the newest first. */
export function loadMasterKeys(config: Config): MasterKeys {
  const given = config.values.master_key;
  const file = masterKeyFile(config);
  if (given) {
    const [current, ...former] = given
      .reveal()
      .split(/[\s,]+/)
      .map((text) => decode(text, "PATCHBAY_MASTER_KEY"));
    return { current: current ?? decode("", "PATCHBAY_MASTER_KEY"), former };
  }
  if (!existsSync(file)) writeMasterKeys(file, [randomBytes(keyBytes)]);
  const [current, ...former] = readFileSync(file, "utf8")
    .trim()
    .split(/\s+/)
    .map((text) => decode(text, file));
  return { current: current ?? decode("", file), former };
}

export function writeMasterKeys(file: string, keys: readonly Uint8Array[]): void {
  mkdirSync(join(file, ".."), { recursive: true, mode: 0o700 });
  // Created for its owner only, never widened and narrowed: there is no moment in which others can read it.
  const fresh = `${file}.${randomBytes(4).toString("hex")}`;
  const handle = openSync(fresh, "wx", 0o600);
  writeSync(handle, `${keys.map((key) => Buffer.from(key).toString("hex")).join("\n")}\n`);
  closeSync(handle);
  renameSync(fresh, file);
}

function decode(text: string, where: string): Uint8Array {
  const bytes = /^[0-9a-fA-F]{64}$/.test(text) ? Buffer.from(text, "hex") : Buffer.from(text, "base64");
  if (bytes.length === keyBytes) return bytes;
  throw new ServiceError(
    "Validation",
    `${where}: the master key must be ${keyBytes} bytes as hex or base64.`,
  );
}
