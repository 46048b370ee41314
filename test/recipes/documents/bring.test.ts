/** What a source brings: many files at once, and a sync that is cut off says what it has written. */
import { expect, test } from "vitest";
import type { Caller } from "../../../src/auth/port.ts";
import { createBringing } from "../../../src/recipes/documents/bring.ts";
import type { StoredDocument } from "../../../src/store/port.ts";

const caller: Caller = {
  ...{ keyId: "k", name: "admin", from: null, scope: "admin", hosts: [], credentials: null, rights: null },
  recipes: null,
};
const head = (name: string) => ({
  ...{ name, version: 1, changedAt: 0, who: "admin", source: "git", revision: null, listed: "" },
});

/** @param onPut called before each write */
function place(stored: Map<string, string>, onPut: (count: number) => void) {
  const seen = { tried: 0, atOnce: 0, most: 0, puts: 0 };
  const documents = {
    list: async () => [...stored.keys()].map((name) => ({ ...head(name), document: undefined })),
    find: async (name: string): Promise<StoredDocument | undefined> => {
      const document = stored.get(name);
      return document === undefined ? undefined : { ...head(name), document };
    },
    put: async (name: string, { document }: { document: string }) => {
      onPut(++seen.puts);
      seen.most = Math.max(seen.most, ++seen.atOnce);
      await Promise.resolve();
      seen.atOnce--;
      stored.set(name, document);
      return { version: 1, added: true };
    },
  };
  const bring = createBringing({
    store: { templates: documents, recipes: documents, sources: {} },
    plugins: { list: () => [] },
    templates: {},
    recipes: {
      proven: async (value: object) => {
        seen.tried++;
        return { document: JSON.stringify(value), listed: "" };
      },
    },
    log: { info() {} },
  } as unknown as Parameters<typeof createBringing>[0]);
  return { bring, seen };
}

const text = "steps:\n  - {name: a, kind: render, request: {template: x}}\n";
const files = Array.from({ length: 1_000 }, (_, at) => ({ name: `r${at}.yaml`, text }));
const brought = {
  ...{ what: "recipes" as const, files, source: "git" },
  ...{ revision: undefined, removes: false, dryRun: false },
};

test("a thousand are written several at once", async () => {
  const stored = new Map<string, string>();
  const { bring, seen } = place(stored, () => {});
  expect(await bring(brought, caller, new AbortController().signal)).toMatchObject({ added: 1_000 });
  expect([stored.size, seen.tried, seen.most]).toEqual([1_000, 1_000, 16]);
});

test("cut off, it says what it has written, and the next sync writes the rest", async () => {
  const stored = new Map<string, string>();
  const leaving = new AbortController();
  const first = place(stored, (count) => {
    if (count === 100) leaving.abort();
  });
  await expect(first.bring(brought, caller, leaving.signal)).rejects.toThrow(
    /cancelled: \d+ recipes were written, and a sync goes on with the others/,
  );
  expect(stored.size).toBeLessThan(120);
  const second = place(stored, () => {});
  const counts = await second.bring(brought, caller, new AbortController().signal);
  expect([counts.added + counts.changed + counts.unchanged, stored.size]).toEqual([1_000, 1_000]);
  const late = new AbortController();
  late.abort();
  await expect(place(new Map(), () => {}).bring(brought, caller, late.signal)).rejects.toThrow("nothing was");
});
