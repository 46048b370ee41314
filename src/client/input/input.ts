/** Reads a file, or standard input for `-`. */
import { readFileSync } from "node:fs";
import * as v from "valibot";
import { messageOf, ServiceError } from "../../base/errors.ts";
import { readReason } from "../../base/files/file-errors.ts";
import { issueTexts } from "../../base/issues.ts";
import { sameMembers } from "../../base/json/objects.ts";
import { readYaml } from "../../base/yaml/yaml-read.ts";

/** @throws ServiceError Validation: it cannot be read */
export const readInput = (file: string): string => readText(file === "-" ? 0 : file, nameOf(file));

/** @throws ServiceError Validation: it cannot be read */
export function readText(file: string | number, name = String(file)): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new ServiceError("Validation", `${name} cannot be read: ${readReason(error)}.`);
  }
}

/** Reads an object in YAML or JSON, with the types of numbers and the order of keys. @throws ServiceError Validation */
export function readObject(file: string): Record<string, unknown> {
  const text = readInput(file);
  try {
    return v.parse(sameMembers, readYaml(text, "", "core").value ?? {});
  } catch (error) {
    const why = issueTexts(error)[0] ?? messageOf(error).split("\n")[0];
    throw new ServiceError("Validation", `${nameOf(file)} must be an object in YAML or JSON: ${why}`);
  }
}

export function nameOf(file: string): string {
  return file === "-" ? "The standard input" : file;
}
