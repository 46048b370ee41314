/** Templates and recipes that a source brings: all files are checked first, and one that is broken changes nothing. */

import { recipeLimits, recipeName, recipeRequest } from "../../api/recipes/recipe.ts";
import { templateLimits, templateName, templateRequest } from "../../api/recipes/template.ts";
import { readStrict } from "../../api/strict.ts";
import type { Caller } from "../../auth/port.ts";
import { ServiceError } from "../../base/errors.ts";
import { errorSentence, type Issue, issueTexts, refuse } from "../../base/issues.ts";
import type { Log } from "../../base/log.ts";
import { abortReason, createDeadline } from "../../base/time/deadline.ts";
import type { BringFiles, Brought } from "../../inventory/exchange/sources-port.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Store, WrittenDocument } from "../../store/port.ts";
import type { Recipes, Templates } from "../port.ts";
import { sourceCheck } from "./documents.ts";

export interface BringTools {
  readonly store: Pick<Store, "templates" | "recipes" | "sources">;
  readonly plugins: Pick<Registry, "list">;
  readonly templates: Pick<Templates, "proven">;
  readonly recipes: Pick<Recipes, "proven">;
  readonly log: Pick<Log, "info">;
}

/** Files that are tried at once, and documents that are written: the store writes several in one transaction. */
const atOnce = { tried: 4, written: 16 } as const;
/** Of all files of a sync, from the first that is tried. */
const bringMs = 10 * 60_000;
/** How often the log tells how far it is. */
const tellMs = 5_000;

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

export function createBringing({ store, plugins, templates, recipes, log }: BringTools): BringFiles {
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

  /** Says how far a part of it is, for whoever waits. */
  function progress({ what, source }: Brought, part: string, of: number) {
    let [done, told] = [0, performance.now()];
    return () => {
      done++;
      if (performance.now() - told < tellMs) return;
      told = performance.now();
      log.info("source.progress", { source, what, part, done, of });
    };
  }

  async function checked(brought: Brought, caller: Caller, signal: AbortSignal) {
    const { what, files, source } = brought;
    const { documents: stored, limits, schema, nameSchema, engines, proven } = kinds[what];
    // With its reader of YAML, which a service may never need.
    const { documentsIn } = await import("./folder.ts");
    const { documents, faults } = documentsIn(files, engines());
    const issues: Issue[] = faults.map(({ file, message }) => ({ path: file, message }));
    if (documents.length > limits.most)
      refuse([{ path: what, message: `are ${documents.length}, and ${limits.most} may be stored` }]);
    const before = new Map((await stored.list()).map((one) => [one.name, one]));
    const sound: { readonly name: string; readonly written: WrittenDocument; readonly same: boolean }[] = [];
    const told = progress(brought, "tried", documents.length);
    await eachOf(documents, atOnce.tried, async ({ name, file, value }) => {
      if (signal.aborted) throw cutOff(signal, "nothing was changed");
      told();
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
            const written = { document: known.document, listed: other?.listed ?? "" };
            sound.push({ name, written, same: true });
            return;
          }
          const written = await proven(value, caller, signal);
          if (Buffer.byteLength(written.document) > limits.maxBytes)
            issues.push({ path: file, message: `has more than ${limits.maxBytes / 1024} KiB` });
          else sound.push({ name, written, same: known?.document === written.document });
        } catch (error) {
          if (!(error instanceof ServiceError) || notTried.has(error.kind)) throw error;
          const texts = issueTexts(error);
          for (const message of texts.length === 0 ? [errorSentence(error)] : texts)
            issues.push({ path: file, message });
        }
    });
    const places = new Map(documents.map(({ file }, at) => [file, at]));
    const placeOf = ({ path }: Issue) => places.get(path) ?? -1;
    if (issues.length > 0) refuse(issues.sort((a, b) => placeOf(a) - placeOf(b)));
    return { sound, before };
  }

  return async (brought, caller, cancelled) => {
    const deadline = createDeadline(bringMs, tooLate);
    try {
      return await bringAll(brought, caller, AbortSignal.any([cancelled, deadline.signal]));
    } finally {
      deadline.dispose();
    }
  };

  async function bringAll(brought: Brought, caller: Caller, signal: AbortSignal) {
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
    const told = progress(brought, "written", sound.length);
    let put = 0;
    await eachOf(sound, atOnce.written, async ({ name, written, same }) => {
      const known = before.get(name);
      told();
      if (same) counts.unchanged++;
      else if (known === undefined) counts.added++;
      else counts.changed++;
      if (same || dryRun) return;
      if (signal.aborted)
        throw cutOff(signal, `${put} ${what} were written, and a sync goes on with the others`);
      const done = await stored.put(name, { ...written, source, revision }, caller, known?.version ?? null);
      if (done === "full")
        throw new ServiceError("TooManyRequests", `There are ${limits.most} ${what}; remove one first.`);
      if (done === "moved")
        throw new ServiceError("PreconditionFailed", `${name} was changed meanwhile: sync again.`);
      put++;
    });
    if (!dryRun) for (const { name, version } of gone) await stored.remove(name, caller, version);
    return counts;
  }
}

const cutOff = (signal: AbortSignal, what: string): ServiceError => {
  const isLate = abortReason(signal).kind === "ReadTimeout";
  return isLate
    ? new ServiceError("ReadTimeout", `${tooLate().message.slice(0, -1)}: ${what}.`)
    : new ServiceError("Cancelled", `The sync was cancelled: ${what}.`);
};

const tooLate = () => new ServiceError("ReadTimeout", `The sync took more than ${bringMs / 60_000} minutes.`);

/** So many at once; the first failure ends it, once those that have begun are over. */
async function eachOf<T>(list: readonly T[], most: number, work: (one: T) => Promise<void>): Promise<void> {
  let [at, failed] = [0, false];
  const go = async () => {
    while (!failed && at < list.length) {
      const one = list[at++];
      if (one === undefined) return;
      try {
        await work(one);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(most, list.length) }, go));
  const bad = ended.find((one) => one.status === "rejected");
  if (bad !== undefined) throw bad.reason;
}
