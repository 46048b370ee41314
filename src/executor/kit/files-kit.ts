/** Restricts which local files a driver may access: below the operator's roots only. */

import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { limitWord } from "../../auth/caller.ts";
import { ServiceError, toErrorData } from "../../base/errors.ts";
import { fileBelow, folderBelow } from "../../base/files/file-below.ts";
import type { DialRule } from "../../base/net/dial.ts";
import type { FilesKit } from "../../plugin/kit/network.ts";
import type { WorkerSettings } from "../../protocol/message-port.ts";

/** Names that OpenSSH gives private keys; others are tried if they end in `.pem` or `.key`. */
const keyName = /^(id_[a-z0-9_]+|.*\.(pem|key))$/;

/** A rejected path fails with `outcome: "none"`, as nothing was sent. */
async function below(
  roots: readonly string[],
  path: string,
  use: "read" | "write",
  find: typeof fileBelow,
): Promise<string> {
  try {
    return await find(roots, path, use);
  } catch (error) {
    const { kind, message } = toErrorData(error);
    throw new ServiceError(kind, message, { outcome: "none" }, { cause: error });
  }
}

/**
 * The transfer folders hold files of all devices: a key restricted to some hosts may neither read nor write there, as
 * over the API.
 * @throws ServiceError Forbidden
 */
export function requireTransfers({ limited }: Pick<DialRule, "limited">): void {
  if (!limited) return;
  const message = `${limitWord()} is limited to certain hosts, and files do not belong to a host.`;
  throw new ServiceError("Forbidden", message, { outcome: "none" });
}

/** @param rule what the current task may dial. */
export function createFilesKit(
  settings: Pick<WorkerSettings, "transferRoots" | "keyRoots">,
  rule: () => Pick<DialRule, "limited">,
): FilesKit {
  /** The first root is created on the first write. */
  async function transferred(path: string, use: "read" | "write", find: typeof fileBelow): Promise<string> {
    requireTransfers(rule());
    const roots = settings.transferRoots;
    if (use === "write" && roots[0] !== undefined)
      await mkdir(roots[0], { recursive: true, mode: 0o700 }).catch(() => {});
    return below(roots, path, use, find);
  }

  return {
    localFile: (path, use) => transferred(path, use, fileBelow),
    localFolder: (path, use) => transferred(path, use, folderBelow),
    keyFile: (path) => below(settings.keyRoots, path, "read", fileBelow),
    async discoverKeys() {
      const keyPaths: string[] = [];
      for (const root of settings.keyRoots) {
        const names = await readdir(root).catch(() => []);
        for (const name of names.sort()) {
          if (keyName.test(name)) keyPaths.push(join(root, name));
        }
      }
      return keyPaths;
    },
  };
}
