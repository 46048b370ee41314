/** Inventory sources: schemas of requests and records. */
import * as v from "valibot";
import { isGiven } from "../../base/json/members.ts";
import { members } from "../../base/json/objects.ts";
import { hasSecretQuery } from "../../base/net/url.ts";
import { nameForm, plainText } from "../forms.ts";
import { writer } from "../jobs/job.ts";
import { described, field, integer, moment, named, text, type Unchanged } from "../schema.ts";
import { changeLimit, diffEntries } from "./inventory.ts";

export const sourceLimits = {
  /** Maximum number of sources. */
  most: 1_000,
  /** Runs kept per source. */
  runs: 20,
  /** Removals of a mirror without `max_removals`: this share of the devices it brought, or this many if that is more. */
  removedShare: 0.2,
  removedLeast: 10,
} as const;

export const sourceModes = ["merge", "mirror"] as const;

/** A kind of source, as its plugin describes it. */
export interface SourceKind {
  readonly name: string;
  /** Of its URL, such as `https:`. */
  readonly schemes: readonly string[];
  /** Whether it gives texts, for which a source names a format. */
  readonly needsFormat: boolean;
  /** Fields of this kind only, each with its schema if that is known here. */
  readonly fields: Readonly<Record<string, v.GenericSchema | undefined>>;
}

export const sourceName = v.pipe(v.string("must be a string"), v.regex(...nameForm));
/** Refuses logins in URLs, which would show in git's arguments; SSH needs a user name. */
function isWithoutLogin({ protocol, username, password }: URL): boolean {
  return password === "" && (protocol === "ssh:" || username === "");
}

/** A URL without a login: that is a credential. */
export const address = v.pipe(
  plainText(2_000),
  v.check((text) => URL.canParse(text), "must be a URL"),
  v.check(
    (text) => !URL.canParse(text) || isWithoutLogin(new URL(text)),
    "must not hold a login: name a credential",
  ),
  v.check((text) => !hasSecretQuery(text), "must not hold a token: name a credential"),
);
/** Fields of every kind. */
export const commonFields = {
  url: described(address, "URL of the service, the text, or the repository"),
  credential: field(
    described(
      v.pipe(
        members,
        v.check((reference) => typeof reference.name === "string", "must have the name of a source"),
      ),
      "Reference to a credential that supplies the login",
    ),
  ),
  brings: field(
    described(
      v.picklist(["devices", "templates", "recipes"], "must be devices, templates or recipes"),
      "What it has: `devices` (default), or the files of stored templates or recipes",
    ),
  ),
  group: field(
    described(
      v.pipe(
        v.string("must be a string"),
        v.regex(/^[A-Za-z0-9][\w.:-]{0,127}$/, "must be the name of a group"),
      ),
      "Group of devices that have none; created if missing",
    ),
  ),
  mode: v.optional(
    described(
      v.picklist(sourceModes, `must be one of ${sourceModes.join(", ")}`),
      "`merge`: given fields are replaced; `mirror`: also removes its devices that it no longer has",
    ),
    "merge",
  ),
  max_changes: changeLimit("Rejects a sync if more would be added, changed and removed"),
  max_removals: changeLimit("Rejects a sync if more would be removed"),
  delimiter: field(described(plainText(8), "For texts in columns: the column delimiter")),
  map: field(
    described(plainText(256), "For texts in columns without a header: comma-separated column names"),
  ),
  verify: v.optional(
    described(v.boolean("must be true or false"), "`false`: accepts any server certificate"),
    true,
  ),
};

const ofDevices = ["format", "group", "max_changes", "max_removals", "delimiter", "map"];

/** Whether it brings no devices. */
export const bringsFiles = ({ brings }: { readonly brings?: string | null | undefined }): boolean =>
  isGiven(brings) && brings !== "devices";

/** A source as it is stored; its kind and format may be of plugins that are no longer loaded. */
export const storedSource = v.looseObject({ kind: v.string(), format: field(v.string()), ...commonFields });
export type WrittenSource = v.InferOutput<typeof storedSource>;

const ownFields = new Set(["name", "kind", "format", ...Object.keys(commonFields)]);

/** The fields that belong to the kind of a source. */
export function optionsOf(source: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(source).filter(([name]) => !ownFields.has(name)));
}

/** Body of PUT /inventory/source/{name}. @param formats those that can be imported */
export function writtenSource(kinds: readonly SourceKind[], formats: readonly string[]) {
  const kindNames = kinds.map(({ name }) => name);
  const kindOf = (name: string) => kinds.find((kind) => kind.name === name);
  const names = [...new Set(kinds.flatMap(({ fields }) => Object.keys(fields)))]
    .filter((name) => !ownFields.has(name))
    .sort();
  return v.pipe(
    v.strictObject({
      kind: described(
        v.picklist(kindNames, `must be one of ${kindNames.join(", ")}`),
        "Kind of source: a plugin",
      ),
      format: field(
        described(
          v.picklist(formats, `must be one of ${formats.join(", ")}`),
          "Format of the fetched text; not for kinds that give devices",
        ),
      ),
      ...commonFields,
      ...Object.fromEntries(names.map((name) => [name, sharedField(kinds, name)])),
    }),
    v.forward(
      v.check(
        // What is no URL is reported as such.
        ({ kind, url }) =>
          !URL.canParse(url) || kindOf(kind)?.schemes.includes(new URL(url).protocol) === true,
        "has a scheme that this kind does not support",
      ),
      ["url"],
    ),
    v.forward(
      v.check(
        ({ kind, format, brings }) =>
          bringsFiles({ brings }) || kindOf(kind)?.needsFormat !== true || Boolean(format),
        "is required for this kind",
      ),
      ["format"],
    ),
    v.forward(
      v.check(
        ({ kind, brings }) => !bringsFiles({ brings }) || kindOf(kind)?.needsFormat === true,
        "needs a kind that has files",
      ),
      ["brings"],
    ),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed || !bringsFiles(dataset.value)) return;
      const source: Record<string, unknown> = dataset.value;
      for (const name of ofDevices)
        if (isGiven(source[name]))
          addIssue({ message: "is for sources of devices only", path: [pathItem(source, name)] });
    }),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      const source: Record<string, unknown> = dataset.value;
      const fields = kindOf(dataset.value.kind)?.fields ?? {};
      for (const name of names) {
        if (!source[name] || name in fields) continue;
        const owners = kinds.filter((kind) => name in kind.fields).map((kind) => kind.name);
        addIssue({ message: `is for ${owners.join(" and ")} only`, path: [pathItem(source, name)] });
      }
    }),
  );
}
export type WrittenSourceSchema = ReturnType<typeof writtenSource>;

/** The schema that one kind has for a field; of several, their plugins decide. */
function sharedField(kinds: readonly SourceKind[], name: string): v.GenericSchema {
  const [only, ...others] = kinds.filter((kind) => name in kind.fields);
  const schema = only?.fields[name];
  return others.length > 0 || schema === undefined ? v.nullish(v.unknown()) : v.nullish(schema);
}

function pathItem(input: Record<string, unknown>, key: string): v.ObjectPathItem {
  return { type: "object", origin: "value", input, key, value: input[key] };
}

export const runStates = ["succeeded", "failed"] as const;

const count = v.nullable(integer);
const runEntries = {
  status: v.picklist(runStates),
  started_at: moment,
  ended_at: moment,
  by: described(text, "Name of the key"),
  dry_run: v.boolean(),
  added: described(
    count,
    "Number of added devices and groups; of a failed run, those it would have added, if known",
  ),
  changed: count,
  removed: count,
  unchanged: count,
  error: described(v.nullable(text), "Reason of the failure"),
};

/** A sync, or a dry run of one. */
export const sourceRun = named("SourceRun", v.object(runEntries));
export type SourceRun = Unchanged<v.InferOutput<typeof sourceRun>>;

export function readRun(value: unknown): SourceRun {
  return v.parse(sourceRun, value);
}

/** Answer of POST /inventory/source/{name}/sync. */
export const syncAnswer = named("Sync", v.object({ ...runEntries, ...diffEntries }));

const { mode, verify, ...others } = commonFields;
const recordFields = {
  ...others,
  // Without the checks of a new one.
  url: text,
  mode: mode.wrapped,
  verify: verify.wrapped,
  changed_at: moment,
  submitted_by: writer,
  runs: described(v.array(sourceRun), "Newest first"),
};
const recordWords = "As written, with its last runs";

/** Of any kind. */
export const sourceRecord = v.object({
  name: text,
  kind: text,
  format: field(text),
  ...recordFields,
});

/** Of the kinds that are loaded, for the API description. */
export function sourceRecordOf(kinds: readonly SourceKind[], formats: readonly string[]) {
  const { kind, format, ...fields } = writtenSource(kinds, formats).entries;
  return named(
    "Source",
    described(v.object({ name: text, kind, format, ...fields, ...recordFields }), recordWords),
  );
}

/** The definition is passed on as it was stored: another version may have written it. */
export type SourceRecord = Pick<
  Unchanged<v.InferOutput<typeof sourceRecord>>,
  "name" | "changed_at" | "submitted_by" | "runs"
> &
  Readonly<Record<string, unknown>>;

/** Answer of DELETE /inventory/source/{name}. */
export const removedSource = v.object({ name: text });
