/** Whether a remote file starts like a local one: a resumed transfer must not join two different files. */
import { createHash, type Hash, randomInt } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import type { TimeLimit } from "../../../base/time/deadline.ts";
import type { Transport } from "../transport.ts";
import { hashLocal, readLocal, readWhole } from "./pump.ts";
import { hashOnServer } from "./remote-hash.ts";
import type { RemoteFile } from "./sftp.ts";

interface Overlap {
  readonly transport: Transport;
  readonly remotePath: string;
  readonly remote: RemoteFile;
  readonly local: FileHandle;
  readonly bytes: number;
  /** Of the first `bytes` of the local file. */
  readonly sha256: string;
}

const sampleBytes = 32_768;
const samples = 64;

/** Whether the first bytes are the same on both sides; if so, feeds them into `hash`. */
export async function beginsSame(
  asked: Omit<Overlap, "sha256">,
  limit: TimeLimit,
  hash: Hash,
): Promise<boolean> {
  const { local, bytes } = asked;
  if (bytes === 0) return true;
  const localHash = createHash("sha256");
  await hashLocal(local, bytes, localHash);
  if (!(await sameBeginning({ ...asked, sha256: localHash.digest("hex") }, limit))) return false;
  await hashLocal(local, bytes, hash);
  return true;
}

/**
 * With a shell, the server computes the hash. With SFTP only, samples at random offsets are compared. They detect a
 * different file, but may miss a single damaged block, which the final hash reveals.
 */
async function sameBeginning(overlap: Overlap, limit: TimeLimit): Promise<boolean> {
  const { transport, remotePath, bytes } = overlap;
  const remoteHash = await hashOnServer(transport, remotePath, bytes, limit);
  return remoteHash === undefined ? samplesMatch(overlap) : remoteHash === overlap.sha256;
}

async function samplesMatch({ local, remote, bytes }: Overlap): Promise<boolean> {
  const last = Math.max(0, bytes - sampleBytes);
  const offsets = new Set([0, last]);
  for (let i = 0; i < samples; i++) offsets.add(randomInt(last + 1));
  for (const offset of offsets) {
    const length = Math.min(sampleBytes, bytes - offset);
    const [localPart, remotePart] = await Promise.all([
      readLocal(local, offset, length),
      readWhole(remote, offset, length),
    ]);
    if (!localPart.equals(remotePart)) return false;
  }
  return true;
}
