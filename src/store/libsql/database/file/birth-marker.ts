/**
 * Marker files that detect being copied: each contains its own birth time, which a copy does not keep. On file systems
 * without birth times (NFS before 4.2, some FUSE) the inode number is used instead.
 */
import {
  closeSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";

export interface BirthMarker {
  readonly text: string;
  /** False: the file is a copy. */
  readonly original: boolean;
}

/** The file is complete and fsynced before this returns. */
export function writeBirthMarker(path: string, text: string): void {
  rmSync(path, { force: true });
  const handle = openSync(path, "wx", 0o600);
  try {
    writeSync(handle, `${text}\n${birthOf(fstatSync(handle, { bigint: true }))}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Undefined if there is none. A file without a birth time was written by an older version and counts as original. */
export function readBirthMarker(path: string): BirthMarker | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  const [text = "", birth = ""] = readFileSync(path, "utf8").split("\n");
  if (text === "") return undefined;
  return { text, original: birth === "" || birth === birthOf(stat) || sameInode(birth, stat) };
}

type Stat = Pick<ReturnType<typeof fstatSync>, never> & { birthtimeNs: bigint; ino: bigint };

function birthOf({ birthtimeNs, ino }: Stat): string {
  return `${birthtimeNs} ${ino}`;
}

/** Only if the birth time is missing on one of the two file systems. */
function sameInode(birth: string, { birthtimeNs, ino }: Stat): boolean {
  const [bornThen, inodeThen] = birth.split(" ");
  if (bornThen !== "0" && birthtimeNs !== 0n) return bornThen === String(birthtimeNs);
  return inodeThen === String(ino);
}
