/** Files of a folder become one text: Nornir's three belong together, of the others there is one, or lists that are joined. */
import { ServiceError } from "../base/errors.ts";

interface FileText {
  /** With its folders. */
  readonly name: string;
  readonly text: string;
}

const nornirFiles = ["hosts", "groups", "defaults"];

export function joinedTexts(files: readonly FileText[], format: string, path: string): string {
  const [only] = files;
  const isFile = files.length === 1 && only?.name === path.replace(/\/+$/, "");
  if (format === "nornir" && !isFile) return nornirText(files, path);
  if (only !== undefined && files.length === 1) return only.text;
  throw new ServiceError("Validation", "Validation Error", {
    issues: [{ path: "path", message: `is a folder of ${files.length} files: name one of them` }],
  });
}

function nornirText(files: readonly FileText[], path: string): string {
  const texts = files.flatMap(({ name, text }) => {
    const part = nornirFiles.find((one) => new RegExp(`(?:^|/)${one}\\.ya?ml$`).test(name));
    return part === undefined ? [] : [[part, text]];
  });
  if (!texts.some(([part]) => part === "hosts"))
    throw new ServiceError("CommandError", `There is no hosts.yaml in the folder ${path} of the repository.`);
  return JSON.stringify(Object.fromEntries(texts));
}
