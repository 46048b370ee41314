/** Where a version stands in a Git repository: one folder, or one repository, for each group; a file for each device. */
import { createHash } from "node:crypto";

/** A sequence of versions of a device. */
export type Part = "running" | "startup" | "set";

/** Of devices without a group; also the name of their repository. A group of this name shares it. */
export const groupOfNone = "default";

/** Bytes of a file name that every file system takes, with room for the name of the part. */
const maxBytes = 200;

/**
 * A name as a file name that no file system, Git or shell reads as anything else: all but letters, digits and `._:@+=,-`
 * becomes `%` with two hex digits, as do a dot or dash in front and a dot at the end. Reversible unless it is too long.
 */
export function fileName(name: string): string {
  const escaped = name
    .replace(/[^\w.:@+=,-]/gu, (char) => percent(char))
    .replace(/^[.-]/, percent)
    .replace(/\.$/, percent)
    // Separates the name of a part.
    .replaceAll("--", "-%2D");
  if (escaped === "") return "%";
  if (escaped.length <= maxBytes) return escaped;
  const mark = createHash("sha256").update(name).digest("hex").slice(0, 16);
  return `${escaped.slice(0, maxBytes - mark.length - 3).replace(/%.?$/, "")}%~${mark}`;
}

function percent(char: string): string {
  return [...Buffer.from(char)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
    .join("");
}

/** The path of a device's file in a repository of all groups. */
export function pathOf(group: string | null, device: string, part: Part): string {
  return `${folderOf(group)}/${ownPath(device, part)}`;
}

/** The path in the repository of one group. */
export function ownPath(device: string, part: Part): string {
  return part === "running" ? fileName(device) : `${fileName(device)}--${part}`;
}

/** The folder, or the repository, of a group. */
export function folderOf(group: string | null): string {
  return fileName(group ?? groupOfNone);
}
