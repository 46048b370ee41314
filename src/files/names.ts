/** Resolves file names of callers below the transfer folder, without following symlinks. */
import { ServiceError } from "../base/errors.ts";
import { isEntryName, type OpenFolder, openFolder, outsideFolders } from "../base/files/open-folder.ts";
import { invalid } from "../base/issues.ts";

const maxSteps = 16;
const controls = /[\x00-\x1f\x7f]/;

/** @throws ServiceError Validation */
export function stepsOf(name: string): string[] {
  const steps = name.split("/");
  const isWrong = (step: string) => !isEntryName(step) || controls.test(step) || step.includes("\ufffd");
  if (steps.length <= maxSteps && name.isWellFormed() && !steps.some(isWrong)) return steps;
  throw invalid(
    "name",
    `must be the name of a file, or a path of at most ${maxSteps} names without . and ..`,
  );
}

/**
 * Runs an action with the folder of a file held open.
 * @throws ServiceError Forbidden: a symlink in the path; NotFound
 */
export async function inFolderOf<T>(
  root: string,
  name: string,
  make: boolean,
  work: (folder: OpenFolder, last: string) => Promise<T>,
): Promise<T> {
  const steps = stepsOf(name);
  const last = steps.pop() ?? "";
  const folders: OpenFolder[] = [];
  try {
    let folder = await openFolder(root, undefined);
    folders.push(folder);
    for (const step of steps) {
      folder = await folder.folder(step, make);
      folders.push(folder);
    }
    return await work(folder, last);
  } catch (error) {
    throw fileError(error);
  } finally {
    for (const folder of folders) await folder.close();
  }
}

/** Converts a file system error to an API error. */
function fileError(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT") return new ServiceError("NotFound", "There is no file with that name.");
  if (code === "ELOOP" || code === "ENOTDIR" || code === "EISDIR" || code === "ENXIO")
    return outsideFolders();
  if (code === "ENOSPC" || code === "EDQUOT")
    return new ServiceError("StorageFull", "The disk of the transfer folder is full.");
  return error;
}
