/** A credential reference as short text: `env:core`, or `vault:path=net/core,field=password`. */
import { isRecord } from "../../base/json/members.ts";

/** @returns undefined if the text is not a credential reference */
export function readCredentialText(text: string): Record<string, string> | undefined {
  const [, name, reference = ""] = /^([\w-]+):(.+)$/s.exec(text) ?? [];
  if (name === undefined) return undefined;
  if (!/^\w+=/.test(reference)) return { name, ref: reference };
  const fields: Record<string, string> = {};
  for (const pair of reference.split(",")) {
    const [, field = "", value = ""] = /^(\w+)=(.*)$/s.exec(pair) ?? [];
    if (field === "") return undefined;
    fields[field] = value;
  }
  return { ...fields, name };
}

/** The inverse; undefined if the reference needs JSON. */
export function credentialText(credential: unknown): string | undefined {
  if (!isRecord(credential)) return undefined;
  const { name, ...fields } = credential;
  const entries = Object.entries(fields);
  if (typeof name !== "string" || entries.length === 0) return undefined;
  const { ref } = fields;
  const plain = entries.length === 1 && typeof ref === "string";
  const texts = entries.map(([field, value]) =>
    typeof value === "string" ? `${field}=${value}` : undefined,
  );
  const text = plain ? `${name}:${ref}` : `${name}:${texts.join(",")}`;
  return same(readCredentialText(text), credential) ? text : undefined;
}

function same(value: unknown, other: Record<string, unknown>): boolean {
  if (!isRecord(value)) return false;
  const names = Object.keys(other);
  return names.length === Object.keys(value).length && names.every((name) => value[name] === other[name]);
}
