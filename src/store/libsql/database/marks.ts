/**
 * Files that know whether they are the very ones that were made: each holds its own time of birth, which no copy
 * keeps. Where the file system has none (NFS before 4.2, some FUSE), the number of the inode stands for it.
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

export interface Mark {
  readonly text: string;
  /** False: another file with this text was made first. */
  readonly original: boolean;
}

/** Made whole and on disk before this returns. */
export function makeMark(path: string, text: string): void {
  rmSync(path, { force: true });
  const handle = openSync(path, "wx", 0o600);
  try {
    writeSync(handle, `${text}\n${birthOf(fstatSync(handle, { bigint: true }))}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Undefined when there is none; one without a birth is of a version that wrote none, and counts as original. */
export function readMark(path: string): Mark | undefined {
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

/** Only where one of the two file systems tells no birth. */
function sameInode(birth: string, { birthtimeNs, ino }: Stat): boolean {
  const [bornThen, inodeThen] = birth.split(" ");
  if (bornThen !== "0" && birthtimeNs !== 0n) return bornThen === String(birthtimeNs);
  return inodeThen === String(ino);
}
