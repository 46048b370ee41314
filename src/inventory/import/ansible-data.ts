/** Reads a file of Ansible as its loader does: as JSON if it is valid JSON, else as YAML 1.1. */
import { ServiceError } from "../../base/errors.ts";
import { parseExact } from "../../base/json/exact-json.ts";
import { type ReadYaml, readYaml } from "../../base/yaml/yaml-read.ts";

/** @param where prefix of line numbers in messages. @throws ServiceError Validation */
export function readAnsibleData(text: string, where: string): ReadYaml {
  const json = jsonOf(text.replace(/^\ufeff/, ""));
  if (json === undefined) return readYaml(text, where, "pyyaml");
  try {
    // For the lines, and keys that appear twice.
    return { ...readYaml(text, where, "pyyaml"), value: json };
  } catch (error) {
    // Tabs are blanks in JSON only.
    if (error instanceof ServiceError) return { value: json, warnings: [], lineOf: () => undefined };
    throw error;
  }
}

function jsonOf(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return parseExact(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
