/** Bundles an Ansible inventory with its `group_vars` and `host_vars` files for an import. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { messageOf, ServiceError } from "../../base/errors.ts";
import { inventoryTextLimits } from "../../base/inventory-limits.ts";

const folders = ["group_vars", "host_vars"] as const;
const maxFiles = 10_000;
const deepest = 8;

/** @param file the inventory file. @returns the request text, and the number of vars files in it. @throws ServiceError */
export function withVariables(
  file: string,
  hosts: string,
): { readonly text: string; readonly files: number } {
  const byFolder = Object.fromEntries(
    folders.map((folder) => [folder, filesBelow(join(dirname(file), folder))]),
  );
  const files = Object.values(byFolder).reduce(
    (sum, folderFiles) => sum + Object.keys(folderFiles).length,
    0,
  );
  if (files === 0) return { text: hosts, files };
  const text = JSON.stringify({ hosts, ...byFolder });
  if (text.length > inventoryTextLimits.bytes)
    throw new ServiceError(
      "PayloadTooLarge",
      `${file} and the files of variables beside it are larger than ${inventoryTextLimits.bytes} bytes.`,
    );
  return { text, files };
}

function filesBelow(folder: string): Record<string, string> {
  const texts: Record<string, string> = {};
  let bytesLeft = inventoryTextLimits.bytes;

  function take(path: string, name: string): void {
    const { size } = statSync(path);
    bytesLeft -= size;
    if (bytesLeft < 0 || Object.keys(texts).length === maxFiles)
      throw new ServiceError(
        "PayloadTooLarge",
        `${folder} has more than ${maxFiles} files, or than ${inventoryTextLimits.bytes} bytes.`,
      );
    texts[name] = readFileSync(path, "utf8");
  }

  function walk(at: string, before: string, depth: number): void {
    for (const name of readdirSync(at)) {
      const path = join(at, name);
      if (name.startsWith(".") || name.endsWith("~")) continue;
      const stat = statSync(path);
      if (stat.isDirectory() && depth < deepest) walk(path, `${before}${name}/`, depth + 1);
      else if (stat.isFile()) take(path, before + name);
    }
  }

  try {
    if (existsSync(folder)) walk(folder, "", 0);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const why = messageOf(error);
    throw new ServiceError("Validation", `${folder} cannot be read: ${why}.`);
  }
  return texts;
}
