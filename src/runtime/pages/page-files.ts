/** The library of the API page, gzip-compressed as it is sent. */
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { zlib } from "../../base/lazy-modules.ts";
import { pagePaths } from "./page-paths.ts";

/** Each file is read once, on first use. */
export function createPageFiles() {
  const script = once(() => packed(pagePaths.script));
  const style = once(() => packed(pagePaths.style));
  return { script, style };
}

async function packed(path: string): Promise<Uint8Array> {
  const bytes = await readFile(path);
  return pagePaths.packed ? bytes : promisify(zlib().gzip)(bytes);
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
