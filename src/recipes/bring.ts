/** Templates and recipes that a source brings: all files are checked first, and one that is broken changes nothing. */

import { recipeLimits, recipeName, recipeRequest } from "../api/recipes/recipe.ts";
import { templateLimits, templateName, templateRequest } from "../api/recipes/template.ts";
import { readStrict } from "../api/strict.ts";
import type { Caller } from "../auth/port.ts";
import { ServiceError } from "../base/errors.ts";
import { errorSentence, type Issue, issueTexts, refuse } from "../base/issues.ts";
import type { BringFiles, Brought } from "../inventory/exchange/sources-port.ts";
import type { Registry } from "../registry/registry.ts";
import type { Store, WrittenDocument } from "../store/port.ts";
import { sourceCheck } from "./documents.ts";
import type { Recipes, Templates } from "./port.ts";

export interface BringTools {
  readonly store: Pick<Store, "templates" | "recipes" | "sources">;
  readonly plugins: Pick<Registry, "list">;
  readonly templates: Pick<Templates, "proven">;
  readonly recipes: Pick<Recipes, "proven">;
}

/** They say that nothing was tried: not about the files. */
const notTried = new Set(["Cancelled", "TooManyRequests", "Unavailable", "StorageFull"]);

/** By extension. */
export function enginesByExtension({ list }: Pick<Registry, "list">): Record<string, string> {
  return Object.fromEntries(
    list("template")
      .filter((one) => one.withoutTemplate !== true && one.trustedSourcesOnly !== true)
      .flatMap(({ name, extensions = [] }) => extensions.map((extension) => [extension, name])),
  );
}

export function createBringing({ store, plugins, templates, recipes }: BringTools): BringFiles {
  const kinds = {
    templates: {
      documents: store.templates,
      limits: templateLimits,
      schema: templateRequest,
      nameSchema: templateName,
      engines: () => enginesByExtension(plugins),
      proven: (value: unknown, caller: Caller, signal: AbortSignal) =>
        templates.proven(value, caller, signal),
    },
    recipes: {
      documents: store.recipes,
      limits: recipeLimits,
      schema: recipeRequest,
      nameSchema: recipeName,
      engines: () => ({}),
      proven: (value: unknown, caller: Caller) => recipes.proven(value, caller),
    },
  } as const;
  const isSource = sourceCheck(store.sources);
  /** What was brought by a source that is gone may be taken over by another one. */
  const isOfOther = async (source: string | null) => source === null || (await isSource(source));

  async function checked({ what, files, source }: Brought, caller: Caller, signal: AbortSignal) {
    const { documents: stored, limits, schema, nameSchema, engines, proven } = kinds[what];
    // With its reader of YAML, which a service may never need.
    const { documentsIn } = await import("./folder.ts");
    const { documents, faults } = documentsIn(files, engines());
    const issues: Issue[] = faults.map(({ file, message }) => ({ path: file, message }));
    if (documents.length > limits.most)
      refuse([{ path: what, message: `are ${documents.length}, and ${limits.most} may be stored` }]);
    const before = new Map((await stored.list()).map((one) => [one.name, one]));
    const sound: { readonly name: string; readonly written: WrittenDocument }[] = [];
    for (const { name, file, value } of documents) {
      if (signal.aborted) throw new ServiceError("Cancelled", "The sync was cancelled: nothing was changed.");
      const named = readStrict(nameSchema, name);
      const other = before.get(name);
      if ("issues" in named)
        issues.push({ path: file, message: `its name ${named.issues[0]?.message ?? "is none"}` });
      else if (other !== undefined && other.source !== source && (await isOfOther(other.source)))
        issues.push({
          path: file,
          message: `${name} is there already, ${other.source === null ? "written here" : `of the source ${other.source}`}`,
        });
      else
        try {
          const known = other && (await stored.find(name));
          const read = readStrict(schema, value);
          // Proven when it was written: of a thousand that are synced again only what has changed is tried.
          if (
            known?.document !== undefined &&
            "output" in read &&
            known.document === JSON.stringify(read.output)
          ) {
            sound.push({ name, written: { document: known.document, listed: other?.listed ?? "" } });
            continue;
          }
          const written = await proven(value, caller, signal);
          if (Buffer.byteLength(written.document) > limits.maxBytes)
            issues.push({ path: file, message: `has more than ${limits.maxBytes / 1024} KiB` });
          else sound.push({ name, written });
        } catch (error) {
          if (!(error instanceof ServiceError) || notTried.has(error.kind)) throw error;
          const texts = issueTexts(error);
          for (const message of texts.length === 0 ? [errorSentence(error)] : texts)
            issues.push({ path: file, message });
        }
    }
    if (issues.length > 0) refuse(issues);
    return { sound, before };
  }

  return async (brought, caller, signal) => {
    const { what, source, revision, removes, dryRun } = brought;
    const { documents: stored, limits } = kinds[what];
    const { sound, before } = await checked(brought, caller, signal);
    const names = new Set(sound.map(({ name }) => name));
    const gone = removes
      ? [...before.values()].filter((one) => one.source === source && !names.has(one.name))
      : [];
    // A source without a file looks like a broken one.
    if (gone.length > 0 && sound.length === 0)
      refuse([{ path: what, message: "has none, and a mirror would remove all that it has brought" }]);
    const counts = { added: 0, changed: 0, removed: gone.length, unchanged: 0 };
    for (const { name, written } of sound) {
      const known = before.get(name);
      const same = known !== undefined && (await stored.find(name))?.document === written.document;
      if (same) counts.unchanged++;
      else if (known === undefined) counts.added++;
      else counts.changed++;
      if (same || dryRun) continue;
      const done = await stored.put(name, { ...written, source, revision }, caller, known?.version ?? null);
      if (done === "full")
        throw new ServiceError("TooManyRequests", `There are ${limits.most} ${what}; remove one first.`);
      if (done === "moved")
        throw new ServiceError("PreconditionFailed", `${name} was changed meanwhile: sync again.`);
    }
    if (!dryRun) for (const { name, version } of gone) await stored.remove(name, caller, version);
    return counts;
  };
}
