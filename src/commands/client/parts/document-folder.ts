/**
 * `patchbay template test <folder>` and `patchbay recipe test <folder>`: what a service would say of the files, from a
 * temporary one of its own that has the folder as a source. A check for a repository.
 */
import { realpathSync, statSync } from "node:fs";
import { delimiter } from "node:path";
import { pathToFileURL } from "node:url";
import { ServiceError } from "../../../base/errors.ts";
import { shown } from "../../../base/text/terminal-text.ts";
import { exitCodes } from "../../../client/output/outcome.ts";
import type { Terminal } from "../../../client/output/terminal.ts";
import { readFaults, readListed } from "../../../client/rooms/stored-templates.ts";
import type { Program } from "../../../service/program.ts";
import { startTemporary, type TemporaryService } from "../../../service/temporary.ts";

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

interface FolderCheck {
  readonly noun: "template" | "recipe";
  readonly folder: string;
  /** A folder of templates that recipes name. */
  readonly templates?: string | undefined;
  readonly program: Program;
  readonly terminal: Terminal;
}

/** @returns the exit code: 0 if all files are sound. @throws ServiceError Validation: there is no such folder */
export async function checkFolder(check: FolderCheck): Promise<number> {
  const { noun, program, terminal } = check;
  const folder = folderAt(check.folder);
  const templates = check.templates === undefined ? undefined : folderAt(check.templates);
  const roots = [folder, ...(templates === undefined ? [] : [templates])].join(delimiter);
  const service = await startTemporary(program, "error", { template_roots: roots });
  try {
    const problems = [
      ...(templates === undefined ? [] : await problemsOf(service, "template", templates)),
      ...(await problemsOf(service, noun, folder)),
    ];
    for (const problem of problems) await terminal.write(`failed ${shown(problem)}\n`);
    if (problems.length > 0) return exitCodes.failed;
    const { data } = await service.call("GET", `/${noun}`);
    const sound = readListed(data);
    for (const { name, tests } of sound)
      await terminal.write(`ok ${name}${tests === undefined ? "" : ` (${tests} tests)`}\n`);
    if (sound.length > 0) return exitCodes.good;
    throw new ServiceError("Validation", `${check.folder} has no files of ${noun}s.`);
  } finally {
    await service.stop();
  }
}

function folderAt(path: string): string {
  if (!isFolder(path)) throw new ServiceError("Validation", `${path} is no folder.`);
  const folder = realpathSync(path);
  if (folder.includes(delimiter))
    throw new ServiceError("Validation", `${path}: its path must not have \`${delimiter}\`.`);
  return folder;
}

/** As a sync of the folder tells them. */
async function problemsOf(
  service: TemporaryService,
  noun: "template" | "recipe",
  folder: string,
): Promise<string[]> {
  const source = { kind: "local_folder", url: pathToFileURL(folder).href, brings: `${noun}s` };
  const path = `/inventory/source/${noun}s`;
  await service.call("PUT", path, JSON.stringify(source));
  const { code, message, data } = await service.call<unknown>("POST", `${path}/sync`, "{}");
  if (code === 200) return [];
  return readFaults(data) ?? [message];
}
