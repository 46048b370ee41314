/** What a call reads: a file by its name, or the standard input by `-`. */
import { readFileSync } from "node:fs";
import * as v from "valibot";
import { parse as parseYaml } from "yaml";
import { ServiceError } from "../base/errors.ts";

/** @throws ServiceError Validation: it can not be read */
export function readInput(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ServiceError("Validation", `${nameOf(file)} can not be read: ${why}.`);
  }
}

/** An object in YAML or JSON. @throws ServiceError Validation */
export function readObject(file: string): Record<string, unknown> {
  const text = readInput(file);
  try {
    return v.parse(v.record(v.string(), v.unknown()), parseYaml(text, { maxAliasCount: 100 }) ?? {});
  } catch (error) {
    const why = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    throw new ServiceError("Validation", `${nameOf(file)} must be an object in YAML or JSON: ${why}`);
  }
}

export function nameOf(file: string): string {
  return file === "-" ? "The standard input" : file;
}
