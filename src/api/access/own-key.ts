/** Keys that persons make for themselves: limits, and the schema of a request. */
import * as v from "valibot";
import { described, field, named } from "../schema.ts";
import { credentialPatterns } from "./credential.ts";
import { agentIssues, hostPatterns, keyExpiry, keyName, keyRights, scopes } from "./key.ts";
import { recipePatterns } from "./recipe-right.ts";

export const ownKeyLimits = {
  /** Keys of one person that are in force. */
  inForce: 20,
  /** With those that have ended, which are stored for this time. */
  stored: 100,
  endedMs: 30 * 86_400_000,
  /** Life of a key in days, unless the request or the caller's own end says otherwise. */
  days: 90,
} as const;

/** In the stored name of a key of a person that has ended, before its id: the name may be used again. */
export const formerMark = "~";

const asCaller = "not given: as the caller has at that time";

/** Body of POST /person/me/key. Strict: a misspelt `hosts` would be a key for all hosts. */
export const newOwnKey = named(
  "NewOwnKey",
  v.pipe(
    v.strictObject({
      name: keyName,
      scope: described(
        v.optional(v.picklist(scopes, `must be one of ${scopes.join(", ")}`)),
        `Permissions of the key; ${asCaller}`,
      ),
      hosts: described(
        v.optional(hostPatterns, []),
        "Patterns of the hosts that the key may reach, each one as the person has it; none: those of the person, as they are at each use",
      ),
      credentials: described(
        field(credentialPatterns),
        "Patterns of `<source>:<ref>` that the key may use in `credential`; not given: those of the person, as they are at each use; an empty list: none",
      ),
      rights: described(v.optional(keyRights), `Rights beside the scope; ${asCaller}`),
      recipes: described(field(recipePatterns), `Names of recipes, with wildcards; ${asCaller}`),
      expires_days: described(
        v.optional(keyExpiry),
        `Days until the key expires, at most \`person_key_days\` of the settings; not given: ${ownKeyLimits.days}, or fewer if the caller ends before`,
      ),
    }),
    v.rawCheck(({ dataset, addIssue }) => {
      if (dataset.typed) for (const issue of agentIssues(dataset.value)) addIssue(issue);
    }),
  ),
);
export type NewOwnKeyRequest = v.InferOutput<typeof newOwnKey>;

/** A name for the key of a machine: its host name, as far as it may be the name of a key. */
export function keyNameFor(host: string): string {
  const [label = ""] = host.split(".");
  const plain = label.replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "");
  return plain.slice(0, 48) || "machine";
}
