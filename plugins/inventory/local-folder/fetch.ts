/** Reads the files of a folder, and of those in it. */
import { constants } from "node:fs";
import { open, opendir, readlink, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type FetchedInventory, InventoryError, type InventorySourceTools } from "patchbay/plugin";

const maxBytes = 8 * 1024 * 1024;
const maxFiles = 1_000;
/** Of all kinds, those that are left out included. */
const maxEntries = 10_000;
const deepest = 10;
/** No link, and no pipe that never opens. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export default async function fetchFolder({
  url,
  templateFolder,
}: Pick<InventorySourceTools<unknown, unknown>, "url" | "templateFolder">): Promise<FetchedInventory> {
  const folder = await templateFolder(pathOf(url));
  const files: { name: string; text: string }[] = [];
  let left = maxBytes;
  let entriesLeft = maxEntries;

  /** Links are left out: they may lead elsewhere. */
  async function read(inside: string, depth: number): Promise<void> {
    const entries: { readonly name: string; readonly isFolder: boolean }[] = [];
    for await (const entry of await opendir(join(folder, inside))) {
      if (entriesLeft-- === 0) throw tooLarge(`The folder has more than ${maxEntries} entries.`);
      if (!entry.name.startsWith(".") && (entry.isDirectory() || entry.isFile()))
        entries.push({ name: entry.name, isFolder: entry.isDirectory() });
    }
    for (const { name: last, isFolder } of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = join(inside, last);
      if (isFolder) {
        if (depth === deepest) throw tooLarge(`The folder has more than ${deepest} levels.`);
        await read(name, depth + 1);
        continue;
      }
      const bytes = await readOnce(folder, name, left);
      if (bytes === undefined) continue;
      left -= bytes.length;
      if (left < 0) throw tooLarge(`The files have more than ${maxBytes} bytes.`);
      if (files.length === maxFiles) throw tooLarge(`The folder has more than ${maxFiles} files.`);
      files.push({ name, text: bytes.toString("utf8") });
    }
  }

  await read("", 1);
  return { files, folder: "" };
}

const tooLarge = (message: string) => new InventoryError("PayloadTooLarge", message);

function pathOf(url: string): string {
  const target = new URL(url);
  if (target.host !== "") throw new InventoryError("Forbidden", "A file URL names no host: file:///path.");
  try {
    return fileURLToPath(target);
  } catch {
    throw new InventoryError("Forbidden", "The file URL names no path: a slash in a name cannot be encoded.");
  }
}

/**
 * What is opened is what is checked and read, whatever is put in its place meanwhile.
 * @returns undefined: it is gone, or no file in the folder any more; more than `most` bytes are not read to their end
 */
async function readOnce(folder: string, name: string, most: number): Promise<Buffer | undefined> {
  const path = join(folder, name);
  const file = await open(path, flags).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    if (!(await file.stat()).isFile()) return undefined;
    // A folder above it may have become a link.
    const place = await readlink(`/proc/self/fd/${file.fd}`).catch(() => realpath(path).catch(() => ""));
    if (!place.startsWith(folder + sep)) return undefined;
    const pieces: Buffer[] = [];
    let length = 0;
    while (length <= most) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(64 * 1024));
      if (bytesRead === 0) break;
      pieces.push(buffer.subarray(0, bytesRead));
      length += bytesRead;
    }
    return Buffer.concat(pieces);
  } finally {
    await file.close();
  }
}
