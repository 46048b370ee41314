/** API keys: schemas of requests and records. */
import * as v from "valibot";
import { patternProblem } from "../../base/net/host-pattern.ts";
import { writer } from "../jobs/job.ts";
import { described, field, moment, named, text, texts, type Unchanged } from "../schema.ts";
import { credentialPatterns } from "./credential.ts";
import { recipePatterns, recipesWord } from "./recipe-right.ts";

/** What each scope includes. A key with `agent` may call `POST /mcp` and nothing else. */
const included = {
  read: ["read"],
  agent: ["agent"],
  operate: ["read", "agent", "operate"],
  admin: ["read", "agent", "operate", "admin"],
} as const;
/** The least first. */
export const scopes = ["read", "agent", "operate", "admin"] as const satisfies (keyof typeof included)[];
export type Scope = (typeof scopes)[number];
/** Of a person: agents have keys. */
export const personScopes = ["read", "operate", "admin"] as const satisfies Scope[];

export function includesScope(held: Scope, needed: Scope): boolean {
  return included[held].some((scope) => scope === needed);
}

/** An unknown scope, from a newer version, gets the least rights. */
export function scopeOf(text: string): Scope {
  return scopes.find((scope) => scope === text) ?? "read";
}

/** Rights that may be given, in ascending order; what includes what is in auth/rights. */
export const givenRights = ["history", "history_secrets", "approve"] as const;
/** What a key may do beside its scope. `break_glass` is only of the key that `patchbay key break-glass` makes. */
export const rights = [...givenRights, "break_glass"] as const;
export type Right = (typeof rights)[number];
/** The only one that a key with the scope `agent` may have. */
export const agentRight: Right = "history";

const maxHosts = 1_000;
const maxDays = 36_500;

const pattern = v.pipe(
  v.string("must be a string"),
  v.rawCheck(({ dataset, addIssue }) => {
    const isSelector = dataset.typed && /^select:.*\S/s.test(dataset.value);
    const problem = dataset.typed && !isSelector ? patternProblem(dataset.value) : undefined;
    if (problem !== undefined) addIssue({ message: problem });
  }),
);

const fingerprint = v.pipe(
  v.string("must be a string"),
  v.regex(
    /^[0-9a-fA-F]{2}(?::?[0-9a-fA-F]{2}){31}$/,
    "must be the SHA-256 of a certificate: 64 hexadecimal digits, with colons or without",
  ),
);

/** Normalizes a fingerprint to 64 lower-case hex digits. */
export function plainFingerprint(text: string): string {
  return text.replaceAll(":", "").toLowerCase();
}

const credentialsWord =
  "Patterns of `<source>:<ref>` that the key may use in `credential`; an empty list: none";

/** Any order, each once. */
export const keyRights = v.pipe(
  v.array(v.picklist(givenRights, `must be one of ${givenRights.join(", ")}`), "must be a list"),
  v.maxLength(givenRights.length, `has more than ${givenRights.length} entries`),
  v.transform((given) => givenRights.filter((right) => given.includes(right))),
);

export const rightsWord =
  "Rights beside the scope: `history` reads the configurations that the service keeps, `history_secrets` reads them with their secrets and includes `history`, `approve` votes on changes (a person's only)";

export const hostPatterns = v.pipe(
  v.array(pattern, "must be a list"),
  v.maxLength(maxHosts, `has more than ${maxHosts} entries`),
);

export const keyName = v.pipe(
  v.string("must be a string"),
  v.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "must be letters, digits, `.`, `_` and `-`"),
  v.description("Name of the key"),
);

export const keyExpiry = v.pipe(
  v.number("must be a number of days"),
  v.gtValue(0, "must be more than 0"),
  v.maxValue(maxDays, `must be at most ${maxDays}`),
  v.description("Days until the key expires"),
);

/** What a key with the scope `agent` cannot have. */
export function agentIssues(key: {
  readonly scope?: Scope | undefined;
  readonly rights?: readonly string[] | undefined;
}) {
  if (key.scope !== "agent") return [];
  if (key.rights?.some((right) => right !== agentRight) !== true) return [];
  const at = {
    type: "object",
    origin: "value",
    input: { ...key },
    key: "rights",
    value: key.rights,
  } as const;
  return [
    {
      message: `of a key with the scope agent may only be ${agentRight}`,
      path: [at] satisfies [v.ObjectPathItem],
    },
  ];
}

/** Strict, because a misspelt `hosts` would be a key for all hosts. */
export const newKeyRequest = named(
  "NewKeyRequest",
  v.pipe(
    v.strictObject({
      name: keyName,
      scope: described(
        v.optional(v.picklist(scopes, `must be one of ${scopes.join(", ")}`), "operate"),
        "Permissions of the key",
      ),
      hosts: v.optional(
        v.pipe(
          hostPatterns,
          v.description(
            "Patterns of the hosts that the key may reach; none: all. Names, wildcards, CIDR ranges, `select:<selector>`",
          ),
        ),
        [],
      ),
      credentials: described(v.optional(v.nullable(credentialPatterns), null), credentialsWord),
      rights: described(v.optional(keyRights, []), rightsWord),
      recipes: described(v.optional(v.nullable(recipePatterns), null), recipesWord),
      certificate: described(
        v.optional(fingerprint),
        "SHA-256 of a client certificate (hexadecimal) that replaces the key: no key text is generated",
      ),
      expires_days: v.optional(keyExpiry),
    }),
    v.rawCheck(({ dataset, addIssue }) => {
      if (dataset.typed) for (const issue of agentIssues(dataset.value)) addIssue(issue);
    }),
  ),
);
export type NewKeyRequest = v.InferOutput<typeof newKeyRequest>;

/** Body of PATCH /key. */
export const changedKey = v.pipe(
  v.strictObject({
    credentials: described(field(credentialPatterns), credentialsWord),
    rights: described(v.optional(keyRights), rightsWord),
    recipes: described(field(recipePatterns), recipesWord),
  }),
  v.check((lists) => Object.keys(lists).length > 0, "must have credentials, rights or recipes"),
);
export type ChangedKey = v.InferOutput<typeof changedKey>;

/** @returns the request or the first error */
export function readChangedKey(value: unknown): ChangedKey | NewKeyProblem {
  const read = v.safeParse(changedKey, value);
  return read.success ? read.output : problemOf(read.issues[0]);
}

export interface NewKeyProblem {
  readonly field: string;
  readonly message: string;
}

/** @returns the request or the first error */
export function readNewKey(value: unknown): NewKeyRequest | NewKeyProblem {
  const read = v.safeParse(newKeyRequest, value);
  return read.success ? read.output : problemOf(read.issues[0]);
}

function problemOf({ path, message }: v.BaseIssue<unknown>): NewKeyProblem {
  return { field: String(path?.[0]?.key), message };
}

const dayMs = 86_400_000;

/** @returns milliseconds since 1970 */
export function expiryOf(
  { expires_days }: Pick<NewKeyRequest, "expires_days">,
  now: number,
): number | undefined {
  return expires_days === undefined ? undefined : now + expires_days * dayMs;
}

export const keyStates = ["in_force", "expired", "revoked"] as const;
export type KeyState = (typeof keyStates)[number];

/** In records. */
export const heldRights = described(
  v.array(v.picklist(rights)),
  "Rights that it has: given to it, or included in its scope (`admin` includes `history`) or in another right; `break_glass` is of the key for emergencies",
);

export const heldRecipes = described(
  v.nullable(texts),
  "Names of the recipes that it may run, with wildcards; null: all with the scope `operate` or `admin`, none with another",
);

/** As in GET /key, without the key itself. */
export const keyRecord = named(
  "Key",
  v.object({
    id: text,
    name: described(text, "Of a key of a person with the person's name: `anna/laptop`"),
    person: described(
      v.nullable(text),
      "Name of the person it belongs to, who limits what it may do; null: a key of a machine",
    ),
    scope: v.picklist(scopes),
    hosts: texts,
    credentials: described(v.nullable(texts), "Patterns of `<source>:<ref>`; null: the default"),
    rights: heldRights,
    recipes: heldRecipes,
    certificate: described(v.nullable(text), "SHA-256 of the client certificate; null for a key text"),
    state: v.picklist(keyStates),
    created_at: moment,
    submitted_by: described(writer, "Who made it; null: it was made before this was noted"),
    expires_at: v.nullable(moment),
    last_used_at: v.nullable(moment),
    revoked_at: v.nullable(moment),
  }),
);
export type KeyRecord = Unchanged<v.InferOutput<typeof keyRecord>>;

/** Answer of POST /key. */
export const madeKey = named(
  "MadeKey",
  v.object({
    ...v.pick(v.object(keyRecord.entries), [
      "id",
      "name",
      "scope",
      "hosts",
      "credentials",
      "rights",
      "recipes",
      "expires_at",
      "certificate",
    ]).entries,
    key: described(
      text,
      "Returned only here, because only its hash is stored; empty if a certificate replaces the key",
    ),
  }),
);
export type MadeKey = Unchanged<v.InferOutput<typeof madeKey>>;

export function stateOfKey(
  { revokedAt, expiresAt }: { readonly revokedAt: number | null; readonly expiresAt: number | null },
  now: number,
): KeyState {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= now ? "expired" : "in_force";
}
