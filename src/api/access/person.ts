/** Persons who sign in at a provider, and the roles that say what they may do: schemas of requests and records. */
import * as v from "valibot";
import { described, integer, moment, named, text, texts, type Unchanged } from "../schema.ts";
import { credentialPatterns } from "./credential.ts";
import {
  heldRecipes,
  heldRights,
  hostPatterns,
  keyRights,
  personScopes,
  rightsWord,
  type Scope,
  scopes,
} from "./key.ts";
import { recipePatterns, recipesOf, recipesWord } from "./recipe-right.ts";

export const personLimits = {
  /** Persons known here, without those who were forgotten. */
  most: 10_000,
  roles: 200,
  /** Groups of a person, and their length in characters. */
  groups: 2_000,
  groupChars: 256,
  nameChars: 64,
} as const;

/** A claimed name as it is shown: without control characters, marks that change the direction of text, and brackets. */
export function personNameOf(claimed: string): string {
  const plain = claimed
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N}._@+' -]+/gu, "_")
    .trim()
    .slice(0, personLimits.nameChars);
  return plain === "" ? "person" : plain.toWellFormed();
}

const groupNames = v.pipe(
  v.array(
    v.pipe(
      v.string("must be a string"),
      v.nonEmpty("must not be empty"),
      v.maxLength(personLimits.groupChars, `is longer than ${personLimits.groupChars} characters`),
    ),
    "must be a list",
  ),
  v.maxLength(personLimits.groups, `has more than ${personLimits.groups} entries`),
);

const limits = {
  scope: described(v.picklist(personScopes, `must be one of ${personScopes.join(", ")}`), "Permissions"),
  hosts: described(
    v.optional(hostPatterns, []),
    "Patterns of the hosts that they may reach; none: all. Names, wildcards, CIDR ranges, `select:<selector>`",
  ),
  credentials: described(
    v.optional(v.nullable(credentialPatterns), null),
    "Patterns of `<source>:<ref>` that they may use in `credential`; an empty list: none",
  ),
  rights: described(v.optional(keyRights, []), rightsWord),
  recipes: described(v.optional(v.nullable(recipePatterns), null), recipesWord),
};

/** Name of a role in a path. */
const roleName = v.pipe(
  v.string("must be a string"),
  v.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "must be letters, digits, `.`, `_` and `-`"),
);

/** What is wrong with the name of a role; undefined: nothing. */
export function roleNameProblem(text: string): string | undefined {
  return v.safeParse(roleName, text).issues?.[0].message;
}

/** Body of PUT /role/{name}. Strict: a misspelt `hosts` would be a role for all hosts. */
export const roleRequest = named(
  "RoleRequest",
  v.strictObject({
    position: described(
      v.optional(
        v.pipe(
          v.number("must be a number"),
          v.integer("must be a whole number"),
          v.minValue(0, "must be at least 0"),
          v.maxValue(1_000_000, "must be at most 1000000"),
        ),
        100,
      ),
      "Roles count in ascending order, those of one position by name: the first that names a person, or a group of theirs, is the person's role",
    ),
    issuer: described(
      v.optional(v.nullable(v.pipe(v.string(), v.url("must be a URL"))), null),
      "Only for persons of this provider; null: of any",
    ),
    groups: described(v.optional(groupNames, []), "Groups whose members have the role"),
    subjects: described(
      v.optional(groupNames, []),
      "Persons who have the role, as their provider names them (`sub`)",
    ),
    ...limits,
  }),
);

/** As in GET /role. */
export const roleRecord = named(
  "Role",
  v.object({
    name: text,
    position: integer,
    issuer: v.nullable(text),
    groups: texts,
    subjects: texts,
    scope: v.picklist(scopes),
    hosts: texts,
    credentials: described(v.nullable(texts), "Patterns of `<source>:<ref>`; null: the default"),
    rights: heldRights,
    recipes: heldRecipes,
    created_at: moment,
    changed_at: moment,
  }),
);
export type RoleRecord = Unchanged<v.InferOutput<typeof roleRecord>>;

/** What somebody may do, now. */
const held = {
  role: described(v.nullable(text), "The role that counts; null: none, so the person may not sign in"),
  scope: v.nullable(v.picklist(scopes)),
  hosts: texts,
  credentials: v.nullable(texts),
  rights: heldRights,
  recipes: heldRecipes,
};

/** What limits allow, in sentences. `rights` includes those that come with the scope. */
export function limitsInWords({ scope, hosts, credentials, rights, recipes }: HeldLimits): string[] {
  if (scope === null) return ["May not sign in."];
  const reachesAll = hosts.length === 0;
  const named = credentials ?? (reachesAll ? ["*"] : []);
  return [
    scopeWords[scope],
    ...recipesInWords(scope, recipes),
    ...(scope === "admin" && reachesAll ? ["Manages keys, roles, persons and credentials."] : []),
    reachesAll ? "Reaches every device." : `Reaches only ${hosts.join(", ")}.`,
    named.length === 0
      ? "May name no stored credential."
      : `May name ${credentials === null ? "every credential" : `the credentials ${named.join(", ")}`}.`,
    rights.includes("history_secrets")
      ? "Reads stored configurations, with their secrets."
      : rights.includes("history")
        ? "Reads stored configurations, with secrets masked."
        : "Reads no stored configurations.",
  ];
}

interface HeldLimits {
  readonly scope: Scope | null;
  readonly hosts: readonly string[];
  readonly credentials: readonly string[] | null;
  readonly rights: readonly string[];
  readonly recipes: readonly string[] | null;
}

function recipesInWords(scope: Scope, recipes: readonly string[] | null): string[] {
  if (recipes === null) return [];
  const named = recipesOf({ scope, recipes }).join(", ");
  if (scope !== "read") return [named === "" ? "Runs no recipes." : `Runs only the recipes ${named}.`];
  return named === "" ? [] : [`Runs the recipes ${named}, and starts nothing else.`];
}

const scopeWords: Readonly<Record<Scope, string>> = {
  read: "Sees devices, jobs and results; changes nothing.",
  agent: "Calls the tools for agents, which read and propose changes; nothing else.",
  operate: "Runs commands, pushes configurations and keeps schedules; sees devices, jobs and results.",
  admin:
    "Does all that operators do, and administers the inventory, webhooks and workers; reads the audit trail.",
};

export const personStates = ["in_force", "no_role", "blocked", "forgotten"] as const;
export type PersonState = (typeof personStates)[number];

/** As in GET /person. */
export const personRecord = named(
  "Person",
  v.object({
    id: text,
    name: text,
    email: v.nullable(text),
    issuer: text,
    subject: described(text, "How the provider names the person (`sub`)"),
    groups: described(texts, "As the provider told them at the last sign-in"),
    state: v.picklist(personStates),
    ...held,
    created_at: moment,
    signed_in_at: moment,
    blocked_at: v.nullable(moment),
  }),
);
export type PersonRecord = Unchanged<v.InferOutput<typeof personRecord>>;

/** Body of PATCH /person/{name}. */
export const changedPerson = v.strictObject({
  blocked: described(
    v.boolean("must be true or false"),
    "Ends the sessions of the person and refuses their keys, or lets them in again",
  ),
});

/** Answer of POST /person/{name}/forget. */
export const forgottenPerson = v.object({
  id: described(text, "It stays, so that the records of the person still belong together"),
  name: described(text, "The pseudonym"),
});
export type ForgottenPerson = Unchanged<v.InferOutput<typeof forgottenPerson>>;

/** As in GET /person/me. */
export const meRecord = named(
  "Me",
  v.object({
    kind: described(
      v.picklist(["key", "person"]),
      "`person`: signed in; `key`: by an API key or its session",
    ),
    id: text,
    name: text,
    person: described(v.nullable(text), "The person, or whose key it is"),
    role: described(v.nullable(text), "Of a person; null: it is a key"),
    scope: v.picklist(scopes),
    hosts: texts,
    credentials: v.nullable(texts),
    rights: heldRights,
    recipes: heldRecipes,
    expires_at: described(v.nullable(moment), "When the key expires; null: never"),
  }),
);
export type MeRecord = Unchanged<v.InferOutput<typeof meRecord>>;

/** Body of POST /role/preview: a person who has signed in, or what a provider would tell of one. */
export const rolePreviewRequest = v.strictObject({
  person: described(v.optional(text), "Name or id of a person; in place of `issuer`, `subject` and `groups`"),
  role: described(
    v.optional(v.strictObject({ name: roleName, ...roleRequest.entries })),
    "A role as it would be stored, in place of one of that name",
  ),
  issuer: described(v.optional(v.pipe(v.string(), v.url("must be a URL"))), "Provider of the person"),
  subject: described(v.optional(text), "How the provider names the person (`sub`)"),
  groups: described(v.optional(groupNames, []), "Groups of the person"),
});

export type RolePreviewRequest = v.InferOutput<typeof rolePreviewRequest>;

export const rolePreview = v.object({
  ...held,
  because: described(v.nullable(text), "Why the role counts: its group or person, in a sentence"),
  others: described(texts, "Roles that would fit too, but stand further down"),
});
export type RolePreview = Unchanged<v.InferOutput<typeof rolePreview>>;
