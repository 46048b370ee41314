/** Parses `name=value` arguments. */
import { ServiceError } from "../../base/errors.ts";
import { isSecretName } from "../../base/secrets/secret-name.ts";

/** Values that are valid JSON are parsed as JSON. @throws ServiceError Validation */
export function readPairs(pairs: readonly string[], flag: string): Record<string, unknown> {
  const read = pairs.map((pair) => {
    const [, name = "", value = ""] = /^([A-Za-z_]\w*)=(.*)$/s.exec(pair) ?? [];
    if (name === "")
      throw new ServiceError("Validation", `${flag}: ${JSON.stringify(pair)} is not of the form name=value.`);
    if (isSecretName(name))
      throw new ServiceError(
        "Validation",
        `${flag}: ${name} is a secret, and flags are visible in process lists: use the prompt, PATCHBAY_CLIENT_PASSWORD or --credential.`,
      );
    return [name, jsonOrText(value)] as const;
  });
  return Object.fromEntries(read);
}

function jsonOrText(text: string): unknown {
  if (!/^(?:[-\d[{"]|true$|false$|null$)/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
