/** Parses device fields of a command line: `host=10.0.0.1`, `tags=lab,core`, `vars.ntp=10.0.0.9`. */
import { ServiceError } from "../../base/errors.ts";
import { readCredential } from "../service/inventory.ts";
import { readPairs } from "./pairs.ts";

/** @throws ServiceError Validation: not of the form field=value, or a secret */
export function readFields(pairs: readonly string[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  const members: Record<string, Record<string, unknown>> = {};
  for (const pair of pairs) {
    const [, field = "", member, text = ""] = /^([a-z_]+)(?:\.([\w-]+))?=(.*)$/s.exec(pair) ?? [];
    if (field === "")
      throw new ServiceError(
        "Validation",
        `${JSON.stringify(pair)} is not of the form field=value, such as site=berlin.`,
      );
    if (member !== undefined)
      members[field] = { ...members[field], ...readPairs([`${member.replaceAll("-", "_")}=${text}`], field) };
    else fields[field] = fieldValue(field, text);
  }
  return { ...fields, ...members };
}

function fieldValue(field: string, text: string): unknown {
  if (text === "") return null;
  if (field === "tags") return text.split(",").map((tag) => tag.trim());
  if (field === "credential" && !text.startsWith("{")) return readCredential(text);
  if (field === "port") return Number(text);
  if (field === "enabled" && /^(true|false)$/.test(text)) return text === "true";
  return text.startsWith("{") || text.startsWith("[") ? readPairs([`${field}=${text}`], field)[field] : text;
}
