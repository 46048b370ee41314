/** Has the server compute the SHA-256 of its files, if it has a shell. */

import { ServiceError } from "../../../base/errors.ts";
import { shellQuote } from "../../../base/text/shell-quote.ts";
import type { TimeLimit } from "../../../base/time/deadline.ts";
import { exec } from "../exec/exec.ts";
import type { Transport } from "../transport.ts";

/**
 * Command names of Linux, macOS and the BSDs; a missing command reads nothing. OpenSSL comes first: it uses CPU
 * instructions for SHA and takes a quarter of the time of coreutils.
 */
const hashing =
  "{ openssl dgst -sha256 -r 2>/dev/null || sha256sum 2>/dev/null || shasum -a 256 2>/dev/null || sha256 -q 2>/dev/null; }";
const sha256OfNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
const filesAtOnce = 2_000;

/** A leading dash must not become an option. */
const argument = (path: string) => shellQuote(path.startsWith("-") ? `./${path}` : path);

/**
 * @param bytes length of the hashed beginning of the file
 * @param wholeFile the file is no longer than that, so it is read without a pipe
 * @returns undefined if the server does not report it
 */
export async function hashOnServer(
  transport: Transport,
  path: string,
  bytes: number,
  limit: TimeLimit,
  wholeFile = false,
): Promise<string | undefined> {
  const command = wholeFile
    ? `${hashing} < ${argument(path)}`
    : `head -c ${bytes} ${argument(path)} | ${hashing}`;
  const stdout = await output(transport, command, "", limit);
  const hash = /^([0-9a-f]{64})\b/.exec(stdout ?? "")?.[1];
  // The hash of nothing means that the shell does not see the path.
  return hash === sha256OfNothing && bytes > 0 ? undefined : hash;
}

/** @returns hashes in the order of the paths, which are relative to `folder`; undefined unless all are reported */
export async function hashesOnServer(
  transport: Transport,
  folder: string,
  paths: readonly string[],
  limit: TimeLimit,
): Promise<string[] | undefined> {
  const hashes: string[] = [];
  for (let at = 0; at < paths.length; at += filesAtOnce) {
    const batch = paths.slice(at, at + filesAtOnce);
    const input = batch.map((path) => `./${path}\0`).join("");
    const stdout = await output(transport, `cd ${argument(folder)} && xargs -0 sha256sum`, input, limit);
    const digests = [...(stdout ?? "").matchAll(/^\\?([0-9a-f]{64}) /gm)].map(([, hash = ""]) => hash);
    if (digests.length !== batch.length) return undefined;
    hashes.push(...digests);
  }
  return hashes;
}

async function output(
  transport: Transport,
  command: string,
  input: string,
  limit: TimeLimit,
): Promise<string | undefined> {
  try {
    return (
      await exec(
        transport,
        command,
        { maxBytes: 16 * 1024 * 1024, shell: "sh", ...(input === "" ? {} : { input }) },
        limit,
      )
    ).stdout;
  } catch (error) {
    if (limit.signal.aborted || transport.ended.aborted || !(error instanceof ServiceError)) throw error;
    return undefined;
  }
}
