/**
 * Combines the files of a folder into one text: Nornir's three files, or Ansible's hosts and variables; other formats
 * have a single file.
 */
import { ServiceError } from "../base/errors.ts";
import { invalid } from "../base/issues.ts";

interface FileText {
  /** With its folders. */
  readonly name: string;
  readonly text: string;
}

/** The first line of a pointer in place of a file's content. */
const lfsStart = "version https://git-lfs.github.com/spec/";
const nornirFiles = ["hosts", "groups", "defaults"];

export function joinedTexts(files: readonly FileText[], format: string, path: string): string {
  const pointer = files.find(({ text }) => text.startsWith(lfsStart));
  if (pointer !== undefined)
    throw new ServiceError(
      "CommandError",
      `${pointer.name} is kept with Git LFS, and the repository has a pointer only: commit it as a normal file.`,
    );
  const [only] = files;
  const isFile = files.length === 1 && only?.name === path.replace(/\/+$/, "");
  if (format === "nornir" && !isFile) return nornirText(files, path);
  if (format === "ansible" && !isFile) return ansibleText(files, path);
  if (only !== undefined && files.length === 1) return only.text;
  throw invalid("path", `is a folder with ${files.length} files: name one of them`);
}

function nornirText(files: readonly FileText[], path: string): string {
  const texts = files.flatMap(({ name, text }) => {
    const part = nornirFiles.find((fileName) => new RegExp(`(?:^|/)${fileName}\\.ya?ml$`).test(name));
    return part === undefined ? [] : [[part, text]];
  });
  if (!texts.some(([part]) => part === "hosts"))
    throw new ServiceError("CommandError", `There is no hosts.yaml in the folder ${path} of the repository.`);
  return JSON.stringify(Object.fromEntries(texts));
}

/** `hosts` or its equivalent, with the files of `group_vars` and `host_vars` next to it. */
function ansibleText(files: readonly FileText[], path: string): string {
  const start = path === "." ? "" : `${path.replace(/\/+$/, "")}/`;
  const below = files.flatMap(({ name, text }) =>
    name.startsWith(start) ? [[name.slice(start.length), text] as const] : [],
  );
  const hosts = below.filter(([name]) => /^(?:hosts|inventory)(?:\.(?:ini|ya?ml))?$/.test(name));
  const [[, text] = []] = hosts;
  if (text === undefined || hosts.length > 1)
    throw new ServiceError(
      "CommandError",
      `The folder ${path} of the repository must have one of hosts, hosts.ini, hosts.yaml, inventory, inventory.ini and inventory.yaml; it has ${hosts.length}.`,
    );
  const filesOf = (folder: string) =>
    Object.fromEntries(
      below.flatMap(([name, content]) =>
        name.startsWith(`${folder}/`) ? [[name.slice(folder.length + 1), content]] : [],
      ),
    );
  return JSON.stringify({ hosts: text, group_vars: filesOf("group_vars"), host_vars: filesOf("host_vars") });
}
