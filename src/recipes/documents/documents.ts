/** Recipes and templates as documents: who writes them, under which version, and how many there may be. */
import type { Body } from "../../api/body.ts";
import { entryKey } from "../../api/inventory/inventory.ts";
import type { VersionRecord } from "../../api/recipes/template.ts";
import { readStrict } from "../../api/strict.ts";
import { requireScope } from "../../auth/caller.ts";
import type { Caller } from "../../auth/port.ts";
import { ServiceError } from "../../base/errors.ts";
import { invalid } from "../../base/issues.ts";
import type { Precondition } from "../../inventory/port.ts";
import type {
  Documents,
  InventorySources,
  StoredDocument,
  StoredHead,
  WrittenDocument,
} from "../../store/port.ts";

export interface DocumentWords {
  readonly noun: "recipe" | "template";
  readonly most: number;
  /** Maximum body size in bytes. */
  readonly maxBytes: number;
  readonly nameSchema: Parameters<typeof readStrict>[0];
  /** Whether there is such a source: without it, what it brought is anybody's. */
  isSource(name: string): Promise<boolean>;
}

export function createDocuments(
  documents: Documents,
  iso: (ms: number) => string,
  { noun, most, maxBytes, nameSchema, isSource }: DocumentWords,
) {
  const moved = () =>
    new ServiceError("PreconditionFailed", `The ${noun} has changed since: read it again and retry.`);

  async function find(name: string, version?: number): Promise<StoredDocument> {
    const stored = await documents.find(name, version);
    if (stored !== undefined) return stored;
    throw new ServiceError(
      "NotFound",
      version === undefined
        ? `There is no ${noun} ${JSON.stringify(name.slice(0, 64))}.`
        : `There is no version ${version} of that ${noun}, or it is kept no more.`,
    );
  }

  /** @returns undefined: any version; null: none may be there */
  async function expectedOf(name: string, condition: Precondition): Promise<number | null | undefined> {
    if (condition === undefined) return undefined;
    if (condition === "none") return null;
    if (typeof condition === "number") return condition;
    const stored = await documents.find(name);
    if (stored === undefined) throw moved();
    return stored.version;
  }

  /** @throws ServiceError InUse */
  async function requireOwn(name: string): Promise<void> {
    const source = (await documents.find(name))?.source ?? undefined;
    if (source !== undefined && (await isSource(source)))
      throw new ServiceError("InUse", `The ${noun} ${name} is of the source ${source}: change it there.`);
  }

  return {
    find,

    headOf: ({ name, version, changedAt, who, source, revision }: StoredHead) => ({
      ...{ name, version, changed_at: iso(changedAt), changed_by: who },
      ...(source === null ? {} : { source }),
      ...(revision === null ? {} : { revision }),
    }),

    /** @throws ServiceError Forbidden, Validation, PayloadTooLarge */
    requireWritable(name: string, { text }: Body, caller: Caller): void {
      requireWriter(caller, noun);
      const named = readStrict(nameSchema, name);
      if ("issues" in named) throw invalid("name", named.issues[0]?.message ?? "is no name");
      if (Buffer.byteLength(text) > maxBytes)
        throw new ServiceError("PayloadTooLarge", `A ${noun} may have at most ${maxBytes / 1024} KiB.`);
    },

    /** @throws ServiceError PreconditionFailed, TooManyRequests */
    async put(name: string, written: WrittenDocument, caller: Caller, condition: Precondition) {
      await requireOwn(name);
      const done = await documents.put(name, written, caller, await expectedOf(name, condition));
      if (done === "full")
        throw new ServiceError("TooManyRequests", `There are ${most} ${noun}s; remove one first.`);
      if (done === "moved") throw moved();
      return { stored: await find(name, done.version), added: done.added };
    },

    /** @throws ServiceError NotFound, PreconditionFailed */
    async remove(name: string, caller: Caller, condition: Precondition): Promise<void> {
      requireWriter(caller, noun);
      const { version } = await find(name);
      const expected = await expectedOf(name, condition);
      await requireOwn(name);
      if (expected === null || (expected !== undefined && expected !== version)) throw moved();
      if (!(await documents.remove(name, caller, expected))) throw moved();
    },

    async versions(name: string, caller: Caller): Promise<VersionRecord[]> {
      requireScope(caller, "read");
      await find(name);
      return (await documents.versions(name)).map(({ version, changedAt, who }) => ({
        ...{ version, changed_at: iso(changedAt), changed_by: who },
      }));
    },
  };
}

function requireWriter(caller: Caller, noun: string): void {
  requireScope(caller, "admin");
  if (caller.hosts.length > 0)
    throw new ServiceError("Forbidden", `Writing ${noun}s needs an admin key that may reach all hosts.`);
}

export const sourceCheck = (sources: Pick<InventorySources, "get">) => async (name: string) =>
  (await sources.get(entryKey(name))) !== undefined;
