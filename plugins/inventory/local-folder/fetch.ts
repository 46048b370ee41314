/** Reads the files of a folder, and of those in it. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type FetchedInventory, InventoryError, type InventorySourceTools } from "patchbay/plugin";

const maxBytes = 8 * 1024 * 1024;
const maxFiles = 1_000;
const deepest = 10;

export default async function fetchFolder({
  url,
  templateFolder,
}: Pick<InventorySourceTools<unknown, unknown>, "url" | "templateFolder">): Promise<FetchedInventory> {
  const target = new URL(url);
  if (target.host !== "") throw new InventoryError("Forbidden", "A file URL names no host: file:///path.");
  const folder = await templateFolder(fileURLToPath(target));
  const files: { name: string; text: string }[] = [];
  let left = maxBytes;

  /** Links are left out: they may lead elsewhere. */
  async function read(inside: string, depth: number): Promise<void> {
    const entries = await readdir(join(folder, inside), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = join(inside, entry.name);
      if (entry.name.startsWith(".")) continue;
      if (entry.isDirectory()) {
        if (depth === deepest)
          throw new InventoryError("PayloadTooLarge", `The folder has more than ${deepest} levels.`);
        await read(name, depth + 1);
      }
      if (!entry.isFile()) continue;
      const path = join(folder, name);
      left -= (await stat(path)).size;
      if (left < 0)
        throw new InventoryError("PayloadTooLarge", `The files have more than ${maxBytes} bytes.`);
      if (files.length === maxFiles)
        throw new InventoryError("PayloadTooLarge", `The folder has more than ${maxFiles} files.`);
      files.push({ name, text: await readFile(path, "utf8") });
    }
  }

  await read("", 1);
  return { files, folder: "" };
}
